import type { Assembly } from '../../assembly/types.js';
import type { Inventory, InventoryStore, StackIdentity } from '../../engine/inventory/inventory-store.js';
import { isPreviousEntry } from '../../engine/transfer/previous-entries.js';
import { type EntryIdentity, isOfClientSideKubectl } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';

/** An owner whose ownership ends. */
export interface PreviousOwner {
  /** Returns true for its entries of managedFields, of whatever subresource. */
  readonly isOwner: (entry: Pick<EntryIdentity, 'manager' | 'operation'>) => boolean;
  /** Present for a stack, and for the field manager of one. */
  readonly manager?: string;
  /** Present for a stack with an inventory in the cluster. */
  readonly stack?: StackIdentity;
}

/** The prefixes that distinguish stacks from field managers. */
const stackPrefix = 'stack:';
const managerPrefix = 'manager:';
const managerOfStack = 'fieldwise/';

type Known = (matches: (inventory: Inventory) => boolean) => StackIdentity | undefined;

/** kubectl, by each of its field managers. */
const kubectl: PreviousOwner = {
  isOwner: ({ manager, operation }) => manager === 'kubectl' || isOfClientSideKubectl({ manager, operation }),
};

/**
 * Resolves previous owners: `kubectl`, the name of a field manager, also as `manager:NAME`, or `stack:NAME` for a stack of the program, or of the same
 * app and instance in the cluster.
 *
 * @throws FieldwiseError `stack-unknown`, `handoff-before-rename`, `adopt-from-stack`.
 */
export async function previousOwnersOf(
  names: readonly string[],
  assembly: Assembly,
  store: Pick<InventoryStore, 'read'>,
): Promise<readonly PreviousOwner[]> {
  const isStack = (name: string) => name.startsWith(stackPrefix) || withoutPrefix(name, managerPrefix).startsWith(managerOfStack);
  const inventories = names.some(isStack) ? await store.read() : [];
  const known: Known = (matches) => inventories.find(matches)?.stack;
  const owners = names.map((name) => previousOwnerOf(name, assembly, known));
  if (owners.length > 1 && owners.some(isOfStack)) {
    throw new FieldwiseError('adopt-from-stack', 'usage', 'The fields of one stack are adopted at a time, and without those of others', {
      next: `Run once for each \`--from\`: ${names.join(', ')}.`,
    });
  }
  return owners;
}

/** Returns true for the owner of a stack's fields. */
export function isOfStack({ manager }: PreviousOwner): boolean {
  return manager?.startsWith(managerOfStack) === true;
}

function previousOwnerOf(name: string, { manifest }: Assembly, known: Known): PreviousOwner {
  const { app, instance, stacks } = manifest;
  if (name.startsWith(stackPrefix)) return ownerOfStack(name.slice(stackPrefix.length), manifest, known);
  const manager = withoutPrefix(name, managerPrefix);
  if (manager === name && name === 'kubectl') return kubectl;
  if (manager === name && stacks.some((stack) => stack.name === name)) {
    throw new FieldwiseError('adopt-from-stack', 'usage', `${name} is the name of a stack of ${app}, instance ${instance}`, {
      next: `Write \`--from ${stackPrefix}${name}\` for the stack, or \`--from ${managerPrefix}${name}\` for a field manager of this name.`,
    });
  }
  return ownerOf(manager, known);
}

function ownerOfStack(name: string, { app, instance, stacks }: Assembly['manifest'], known: Known): PreviousOwner {
  const declared = stacks.find((stack) => stack.name === name);
  if (declared !== undefined) {
    const former = declared.formerIdentities?.map((identity) => ownerOf(identity.manager, known)).find((owner) => owner.stack);
    const present = ownerOf(declared.manager, known);
    if (present.stack === undefined && former?.stack !== undefined) throw notRenamedError(name, former.stack);
    return present;
  }
  const stack = known(
    (inventory) => inventory.stack.app === app && inventory.stack.instance === instance && inventory.stack.stack === name,
  );
  if (stack !== undefined) return ownerOf(stack.manager, known);
  const suggestion = managerMeant(name, known);
  if (suggestion !== undefined) {
    throw new FieldwiseError('stack-unknown', 'usage', `${name} is not a stack of ${app}, instance ${instance}`, {
      next: `For a stack of another app or instance, name its field manager: \`--from ${managerPrefix}${suggestion}\`.`,
    });
  }
  throw new FieldwiseError(
    'stack-unknown',
    'usage',
    `Neither the program nor the cluster has a stack ${name} of ${app}, instance ${instance}`,
    {
      next: 'Name another stack, or a field manager: `--from manager:NAME`. `fieldwise list` shows the stacks of the cluster.',
    },
  );
}

/** Until its next deploy, a renamed stack owns nothing under its new name. */
function notRenamedError(name: string, former: StackIdentity): FieldwiseError {
  const message = `Stack ${name} has not been deployed since its rename: the cluster has it as ${former.manager}`;
  return new FieldwiseError('handoff-before-rename', 'usage', message, {
    next: `Run \`fieldwise deploy ${name}\` first, or name its former field manager: \`--from ${managerPrefix}${former.manager}\`.`,
  });
}

/** Returns the field manager for a name that lacks the prefix `manager:`, or that names a stack as `app/instance/stack`. */
function managerMeant(name: string, known: Known): string | undefined {
  if (name.startsWith(managerOfStack)) return name;
  const stack = known(({ stack: { app, instance, stack, manager } }) => `${app}/${instance}/${stack}` === name || manager === name);
  return stack?.manager;
}

function ownerOf(manager: string, known: Known): PreviousOwner {
  const isOwner = (entry: Pick<EntryIdentity, 'manager' | 'operation'>) => isPreviousEntry({ ...entry, subresource: '' }, manager);
  const stack = known((inventory) => inventory.stack.manager === manager);
  return { isOwner, manager, ...(stack === undefined ? {} : { stack }) };
}

function withoutPrefix(name: string, prefix: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}
