import type { Manifest } from '../../assembly/types.js';
import { FieldwiseError } from '../../util/error.js';
import type { RunDiagnostic } from '../report/run-diagnostic.js';
import type { Inventory } from './inventory-store.js';
import type { StackIdentity } from './stack-identity.js';

/**
 * Returns true if a program with another id deploys a stack. A missing id is unknown, and never another's.
 *
 * @param takeOver the id of a program whose stacks count as those of this one.
 */
export function isOfAnotherProgram(deployedBy: string | undefined, { id }: Pick<Manifest, 'id'>, takeOver?: string): boolean {
  return id !== undefined && deployedBy !== undefined && deployedBy !== id && deployedBy !== takeOver;
}

/**
 * Refuses a stack that a program with another id deploys, under its present name or a former one.
 *
 * @param inventories of the stack, under all of its names.
 * @param takeOver the id of a program whose stacks this one takes over.
 * @throws FieldwiseError `stack-of-another-program` (usage).
 */
export function requireSameProgram(
  present: StackIdentity,
  inventories: readonly Pick<Inventory, 'stack' | 'id'>[],
  manifest: Pick<Manifest, 'id'>,
  takeOver: string | undefined,
): void {
  const other = inventories.find(({ id }) => isOfAnotherProgram(id, manifest, takeOver));
  if (other === undefined) return;
  const { stack, app, instance, manager } = other.stack;
  const isFormer = manager !== present.manager;
  const [role, program] = isFormer ? [`, a former name of stack ${present.stack},`, ''] : ['', ' of the same name'];
  const bothLive = isFormer ? 'remove `renamedFrom`' : 'give one of them another `name` or `instance` in fieldwise.yaml';
  throw new FieldwiseError(
    'stack-of-another-program',
    'usage',
    `Stack ${stack} of app ${app} (${instance})${role} is deployed by another program${program}: its id is ${other.id}, and that of this program is ${manifest.id}`,
    {
      location: { manager },
      next: `Nothing was changed. If this program takes the place of that one, run a deploy once with \`--take-over ${other.id}\`. If both are to live on, ${bothLive}.`,
    },
  );
}

/** Returns a warning for the stacks of which the inventory does not say by which program they are deployed, although this one has an id. */
export function unknownProgramWarning(
  inventories: readonly Pick<Inventory, 'stack' | 'id' | 'shards'>[],
  { id }: Pick<Manifest, 'id'>,
): RunDiagnostic | undefined {
  const unknown = id === undefined ? [] : inventories.filter((inventory) => inventory.shards.length > 0 && inventory.id === undefined);
  if (unknown.length === 0) return undefined;
  const names = unknown.map(({ stack }) => stack.stack).join(', ');
  return {
    event: 'warning',
    code: 'program-unknown',
    message: `${unknown.length === 1 ? `Stack ${names} was` : `Stacks ${names} were`} last deployed by a program without an \`id\`, or by an earlier version of Fieldwise, which drops it: this program, before it had ${id}, or another of the same name`,
    next: 'A deploy notes the id of this program. If another program deploys them, give one of the two another `name` or `instance` first.',
  };
}

/** Returns the warning that another program has a former name of a stack by now. */
export function takenNameWarning({ stack }: StackIdentity, { stack: former, id }: Pick<Inventory, 'stack' | 'id'>): RunDiagnostic {
  return {
    event: 'warning',
    code: 'former-name-taken',
    message: `Another program (id ${id}) deploys stack ${former.stack} of app ${former.app} (${former.instance}) by now, a former name of stack ${stack}: nothing of it is taken over`,
    next: 'Remove `renamedFrom` from the program.',
  };
}

/** Returns a warning that `--take-over` names a program that deploys none of these stacks. */
export function unusedTakeOverWarning(
  inventories: readonly Pick<Inventory, 'id'>[],
  manifest: Pick<Manifest, 'id'>,
  takeOver: string | undefined,
): RunDiagnostic | undefined {
  if (takeOver === undefined || inventories.some(({ id }) => id === takeOver && isOfAnotherProgram(id, manifest))) return undefined;
  return {
    event: 'warning',
    code: 'flag-unmatched',
    message: `No stack of this run is deployed by another program with the id ${takeOver}`,
    next: 'Leave out `--take-over`, which a program needs once. The error `stack-of-another-program` names the id of the other one.',
  };
}
