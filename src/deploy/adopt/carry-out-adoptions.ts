import { objectText } from '../../assembly/identity.js';
import { objectReference } from '../../engine/addresses/object-reference.js';
import type { MovedFields } from '../../engine/guards/guard-diagnostics.js';
import type { StackIdentity } from '../../engine/inventory/inventory-store.js';
import { patchOwners } from '../../engine/object/patch-owners.js';
import { explain } from '../../engine/report/explain.js';
import type { ReportedError } from '../../engine/report/run-diagnostic.js';
import { forEachConcurrent } from '../../engine/run/for-each-concurrent.js';
import { defaultConcurrency, type RunOptions } from '../../engine/run/options.js';
import type { Session } from '../../engine/run/session.js';
import { type OwnershipTransfers, ownershipPatch, ownershipTransfers } from '../../engine/transfer/ownership-transfers.js';
import { equalSets, leafTexts } from '../../fields/index.js';
import { uidOf } from '../../fields/object.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { ownerText } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { AdoptionCandidate } from './adoption-candidates.js';
import type { RecordedAdoption } from './record.js';
import { recordDeletable } from './record-deletable.js';

/** The adoption of fields of one object. */
export interface Adoption {
  readonly object: string;
  readonly stack: string;
  /** The manager that owns the fields afterwards, alone or with owners that are not adopted from. */
  readonly to: string;
  readonly transfers: readonly { readonly from: string; readonly fields: readonly string[] }[];
  /** The change of the annotation of client-side apply; absent if it stays as it is. */
  readonly lastApplied?: 'trimmed' | 'removed';
  /** The fields of the stack that the annotation loses; absent if it stays as it is. */
  readonly lastAppliedFields?: readonly string[];
  /** The fields that the program still declares in the stack which gives them up, and whose next deploy owns them again; absent if none. */
  readonly stillDeclared?: readonly string[];
  /** Absent in a preview. */
  readonly result?: 'adopted' | 'failed';
  readonly error?: ReportedError;
}

/** The agreed adoptions: of fields, and of the right to delete. */
export interface AgreedAdoptions {
  readonly fields: readonly AdoptionCandidate[];
  readonly lifecycles: readonly AdoptionCandidate[];
}

/**
 * Ends the ownership of the previous owners, then records the right to delete the objects of which no transfer failed.
 *
 * @param stacks the locked stacks.
 */
export async function carryOutAdoptions(
  session: Session,
  stacks: readonly StackIdentity[],
  { fields, lifecycles }: AgreedAdoptions,
  options: Pick<RunOptions, 'inventoryNamespace' | 'concurrency'>,
): Promise<{ readonly adoptions: readonly Adoption[]; readonly transferredLifecycles: readonly string[] }> {
  const adoptions = new Map<AdoptionCandidate, Adoption>();
  await forEachConcurrent(fields, options.concurrency ?? defaultConcurrency, async (candidate) => {
    adoptions.set(candidate, await transferOwnership(session.cluster, candidate));
  });
  const transferred = lifecycles.filter((candidate) => adoptions.get(candidate)?.result !== 'failed');
  for (const stack of stacks) {
    const own = transferred.filter(({ step }) => step.stack.manager === stack.manager);
    await recordDeletable(session.inventories, stack, new Map(own.map(({ step, uid }) => [step.key, uid])), true);
  }
  return {
    adoptions: fields.map((candidate) => adoptions.get(candidate) as Adoption),
    transferredLifecycles: transferred.map(({ step }) => objectText(step.intent)),
  };
}

async function transferOwnership(cluster: ClusterClient, candidate: AdoptionCandidate): Promise<Adoption> {
  const { step, address, uid, recipient, transfers, isAdoptable } = candidate;
  const { manager } = step.stack;
  try {
    await patchOwners(cluster, address, (live) => {
      const current = live && uidOf(live) === uid ? ownershipTransfers(live, recipient, isAdoptable) : { transfers: [] };
      if (live === undefined || !sameTransfers(current, transfers)) throw ownersChangedError(manager);
      return ownershipPatch(live, manager, current);
    });
    return { ...adoptionOf(candidate), result: 'adopted' };
  } catch (error) {
    return { ...adoptionOf(candidate), result: 'failed', error: explain(error) };
  }
}

function sameTransfers(left: OwnershipTransfers, right: OwnershipTransfers): boolean {
  return (
    left.transfers.length === right.transfers.length &&
    left.transfers.every(({ fields }, index) =>
      equalSets(fields, (right.transfers[index] as OwnershipTransfers['transfers'][number]).fields),
    ) &&
    left.annotation?.before === right.annotation?.before &&
    left.annotation?.after === right.annotation?.after
  );
}

function ownersChangedError(manager: string): FieldwiseError {
  return new FieldwiseError('owners-changed', 'resource', 'The owners of the object have changed since the preview', {
    location: { manager },
    next: 'The object was not changed. Run again for a preview with the current owners. If a value has changed, deploy first.',
  });
}

/** Returns a candidate as a preview. */
export function adoptionOf({ step, transfers: { transfers, annotation } }: AdoptionCandidate): Adoption {
  const { stack, intent } = step;
  return {
    object: objectText(intent),
    stack: stack.name,
    to: stack.manager,
    transfers: transfers.map(({ from, fields }) => ({ from: ownerText(from), fields: leafTexts(fields) })),
    ...(annotation === undefined
      ? {}
      : { lastApplied: annotation.after === undefined ? 'removed' : 'trimmed', lastAppliedFields: leafTexts(annotation.fields) }),
  };
}

/** Returns the fields that a stack gets, whose values stay. */
export function movedFieldsOf(candidate: AdoptionCandidate): MovedFields {
  const { intent, stack } = candidate.step;
  const fields = adoptionOf(candidate).transfers.flatMap((transfer) => transfer.fields);
  return { object: intent, manager: stack.manager, fields: [...new Set(fields)], changed: [] };
}

/** Returns the candidates of which something was agreed, as a record contains them. */
export function recordedAdoptions(candidates: readonly AdoptionCandidate[], agreed: AgreedAdoptions): readonly RecordedAdoption[] {
  const [fields, lifecycles] = [new Set(agreed.fields), new Set(agreed.lifecycles)];
  const touched = candidates.filter((candidate) => fields.has(candidate) || lifecycles.has(candidate));
  return touched.map((candidate) => recordedAdoption(candidate, lifecycles.has(candidate)));
}

function recordedAdoption({ step: { stack, intent }, uid, transfers }: AdoptionCandidate, lifecycleTransferred: boolean): RecordedAdoption {
  const { lifecycle: _, ...reference } = objectReference(stack.name, stack.manager, intent);
  return { reference, uid, transfers, ...(lifecycleTransferred ? { lifecycleTransferred } : {}) };
}
