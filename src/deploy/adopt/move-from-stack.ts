import { objectText } from '../../assembly/identity.js';
import type { Assembly } from '../../assembly/types.js';
import { addressIfServed } from '../../engine/addresses/address.js';
import type { Step } from '../../engine/graph/waves.js';
import type { StackIdentity } from '../../engine/inventory/inventory-store.js';
import { explain } from '../../engine/report/explain.js';
import type { RunDiagnostic } from '../../engine/report/run-diagnostic.js';
import type { Session } from '../../engine/run/session.js';
import { declaredByPreviousOwner, releaseTrackingAnnotation } from '../../engine/transfer/release-ownership.js';
import { transferLifecycle } from '../../engine/transfer/transfer-lifecycle.js';
import { formatPath, membersOf, valueAt } from '../../fields/index.js';
import { applyEntryOf } from '../../ownership/index.js';
import type { AdoptionCandidate } from './adoption-candidates.js';
import type { Adoption } from './carry-out-adoptions.js';
import type { PreviousOwner } from './previous-owner.js';

/** The objects whose right to delete moved from a stack, and those where it could not. */
interface MovedLifecycles {
  readonly objects: readonly string[];
  readonly failed: readonly Adoption[];
}

/**
 * Removes what is left of a stack in objects of which it has no field any more, and moves the right to delete them to the stacks that own them.
 */
export async function moveLifecycles(
  {
    session,
    identities,
    previous,
  }: { readonly session: Session; readonly identities: readonly StackIdentity[]; readonly previous: PreviousOwner },
  steps: readonly Step[],
): Promise<MovedLifecycles> {
  const objects: string[] = [];
  const failed: Adoption[] = [];
  for (const step of steps) {
    const object = objectText(step.intent);
    try {
      if (await moveLifecycle(session, step, previous, identities)) objects.push(object);
    } catch (error) {
      failed.push({ object, stack: step.stack.name, to: step.stack.manager, transfers: [], result: 'failed', error: explain(error) });
    }
  }
  return { objects, failed };
}

async function moveLifecycle(
  { cluster, inventories }: Session,
  step: Step,
  { manager, stack }: PreviousOwner,
  identities: readonly StackIdentity[],
): Promise<boolean> {
  const address = await addressIfServed(cluster, step.intent);
  const found = address && (await cluster.tryGet(address));
  const live = await releaseTrackingAnnotation(cluster, step, manager as string, found);
  if (live === undefined || applyEntryOf(live, manager as string) !== undefined) return false;
  if (stack === undefined || applyEntryOf(live, step.stack.manager) === undefined) return false;
  const recipient = identities.find((identity) => identity.manager === step.stack.manager) as StackIdentity;
  return transferLifecycle(inventories, step, stack, recipient);
}

/** Returns adoptions with the fields that the program still declares in the stack which gave them up. */
export function withStillDeclared(
  assembly: Assembly,
  adoptions: readonly Adoption[],
  candidates: readonly AdoptionCandidate[],
  previous: PreviousOwner | undefined,
): readonly Adoption[] {
  if (previous?.manager === undefined) return adoptions;
  return adoptions.map((adoption, index) => {
    const { step, transfers } = candidates[index] as AdoptionCandidate;
    const declared = declaredByPreviousOwner(assembly, previous.manager as string, step)?.object;
    const stillDeclared = transfers.transfers.flatMap(({ fields }) =>
      membersOf(fields).flatMap(({ path, leaf }) => (leaf && valueAt(declared, path) !== undefined ? [formatPath(path)] : [])),
    );
    return adoption.result === 'adopted' && stillDeclared.length > 0 ? { ...adoption, stillDeclared } : adoption;
  });
}

/** Returns warnings about adopted fields that their previous owner applies again at its next run, unless somebody removes them from what it applies. */
export function reappliedFields(
  { manifest: { app, instance } }: Assembly,
  candidates: readonly AdoptionCandidate[],
  adoptions: readonly Adoption[],
  previous: PreviousOwner | undefined,
): readonly RunDiagnostic[] {
  const isOfProgram = previous?.stack?.app === app && previous.stack.instance === instance;
  return adoptions.flatMap(({ object, transfers, stillDeclared = [], result }, index): RunDiagnostic[] => {
    if (result !== 'adopted') return [];
    if (stillDeclared.length > 0) {
      const message = `The previous owner still declares ${stillDeclared.join(', ')} of ${object}, and its next deploy will own these fields again`;
      return [{ event: 'warning', code: 'previous-owner-declares', message, next: 'Remove them from its program.' }];
    }
    const recorded = candidates[index]?.transfers.transfers ?? [];
    return transfers.flatMap(({ fields }, position): RunDiagnostic[] => {
      const from = recorded[position]?.from;
      if (from?.operation !== 'Apply' || isOfProgram) return [];
      const message = `${from.manager} is not of this program, and its next apply will own ${fields.join(', ')} of ${object} again`;
      return [{ event: 'warning', code: 'previous-owner-declares', message, next: 'Remove them from what it applies.' }];
    });
  });
}
