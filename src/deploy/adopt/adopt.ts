import { objectText } from '../../assembly/identity.js';
import type { Assembly } from '../../assembly/types.js';
import { patchOwners } from '../../engine/apply/patch-owners.js';
import { intentStepsOf, type Step } from '../../engine/graph/waves.js';
import { InventoryStore, requireWhole } from '../../engine/inventory/inventory-store.js';
import { freshFromApplied } from '../../engine/repairs/fresh-object.js';
import type { EventHost } from '../../engine/report/events.js';
import { explain } from '../../engine/report/explain.js';
import type { ReportedError } from '../../engine/report/run-diagnostic.js';
import { forEachConcurrent } from '../../engine/run/for-each-concurrent.js';
import { defaultConcurrency, type RunOptions } from '../../engine/run/options.js';
import { beginSession, type Session } from '../../engine/run/session.js';
import { addressOf } from '../../engine/target/address.js';
import { objectReference } from '../../engine/target/object-reference.js';
import { resolveScopes } from '../../engine/target/scope.js';
import { selectStacks } from '../../engine/target/select-stacks.js';
import {
  type OwnershipTransfers,
  ownershipPatch,
  ownershipTransfers,
  type TransferRecipient,
} from '../../engine/transfer/ownership-transfers.js';
import { equalSets, formatPath, membersOf } from '../../fields/index.js';
import type { ClusterClient, ObjectAddress } from '../../kubernetes/index.js';
import { isBeforeFirstApply, type ManagedFieldsEntry, ownerText, recordedFieldsOf } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import type { AdoptionRecord, RecordedAdoption } from './record.js';
import { deletionCoOwners, recordDeletable } from './record-deletable.js';

export interface AdoptOptions
  extends Pick<RunOptions, 'stacks' | 'inventoryNamespace' | 'concurrency' | 'lockTimeoutSeconds' | 'leaseDurationSeconds' | 'signal'> {
  /** Field managers to adopt from, by exact name. @default the managers of kubectl without server-side apply */
  readonly from?: readonly string[];
  /** Receives the planned adoptions before anything is changed; resolves to true if they may be carried out. */
  readonly confirm: (adoptions: readonly Adoption[]) => Promise<boolean>;
  /**
   * Receives the objects that would only be released when they are no longer declared, because they existed before their stack; resolves to
   * true if their stack may delete them from now on. Absent means no.
   */
  readonly confirmLifecycle?: (objects: readonly string[]) => Promise<boolean>;
  /** Stores the record of the adoption before the first change; if it throws, nothing is changed. */
  readonly record: (record: AdoptionRecord) => Promise<void>;
}

/** The adoption of fields of one object. */
export interface Adoption {
  readonly object: string;
  readonly stack: string;
  /** The manager that owns the fields afterwards, alone or with owners that are not adopted from. */
  readonly to: string;
  readonly transfers: readonly { readonly from: string; readonly fields: readonly string[] }[];
  /** The change of the annotation of client-side apply; absent if it stays as it is. */
  readonly lastApplied?: 'trimmed' | 'removed';
  /** Absent in a preview. */
  readonly result?: 'adopted' | 'failed';
  readonly error?: ReportedError;
}

/** The result of an adoption, with the objects that could not be adopted. */
export interface AdoptionResult {
  readonly adoptions: readonly Adoption[];
  /** Objects that the stack has not deployed yet, so that it owns none of their fields. */
  readonly notDeployed: readonly string[];
  /** Objects that their stack may now delete. */
  readonly transferredLifecycles: readonly string[];
  /** Objects that their stack could delete, if it had been confirmed; they are only released. */
  readonly released: readonly string[];
  /** Objects that are only released when they are no longer declared, because others apply fields to them. */
  readonly retained: readonly { readonly object: string; readonly by: readonly string[] }[];
}

interface AdoptionCandidate {
  readonly step: Step;
  readonly address: ObjectAddress;
  readonly uid: string;
  readonly recipient: TransferRecipient;
  readonly transfers: OwnershipTransfers;
  /** True if the stack can get the right to delete the object. */
  readonly canTransferLifecycle: boolean;
}

/**
 * Ends other managers' ownership of fields that the selected stacks declare and have owned since their last deploy. Other fields of these
 * managers keep their owners. The only value that changes is the annotation of client-side apply, from which these fields are removed.
 *
 * @throws FieldwiseError `confirmation-needed`, `adopt-from-stack`, `stack-unknown`, and the errors of locks and inventories.
 */
export async function adopt(assembly: Assembly, cluster: ClusterClient, options: AdoptOptions, host: EventHost): Promise<AdoptionResult> {
  const ofStack = options.from?.find((manager) => manager.startsWith('fieldwise/'));
  if (ofStack !== undefined) {
    throw new FieldwiseError('adopt-from-stack', 'usage', 'Fields of another stack need a handoff, not an adoption', {
      location: { manager: ofStack },
      next: `Declare them in the stack that is to own them, then run \`fieldwise handoff --from manager:${ofStack} --to STACK\` with its name.`,
    });
  }
  const { app, instance } = assembly.manifest;
  const stacks = selectStacks(assembly, options.stacks);
  const identities = stacks.map(({ name, manager }) => ({ app, instance, stack: name, manager }));
  const session = await beginSession(cluster, identities, options, host);
  try {
    const steps = await resolveScopes(session.cluster, intentStepsOf(assembly, stacks));
    const { found, notDeployed, kept } = await findCandidates(session, steps, options);
    const candidates = found.filter(({ transfers }) => transfers.transfers.length > 0);
    const preview = candidates.map((candidate) => adoptionOf(candidate));
    if (candidates.length > 0 && !(await options.confirm(preview))) {
      throw new FieldwiseError('confirmation-needed', 'usage', 'The adoption was not confirmed, and nothing was changed', {
        next: 'Read the preview, then run again with --yes.',
      });
    }
    const transferable = found.filter(({ canTransferLifecycle }) => canTransferLifecycle);
    const offered = transferable.map(({ step }) => objectText(step.intent));
    const approved = transferable.length > 0 && (await options.confirmLifecycle?.(offered)) === true;
    const released = approved ? [] : offered;
    const touched = found.filter(
      ({ transfers, canTransferLifecycle }) => transfers.transfers.length > 0 || (approved && canTransferLifecycle),
    );
    if (touched.length === 0) return { adoptions: [], notDeployed, transferredLifecycles: [], released, retained: kept };
    const time = new Date().toISOString();
    const objects = touched.map((candidate) => recordOf(candidate, approved));
    await options.record({ app, instance, server: cluster.server, time, objects });
    const adoptions = new Map<AdoptionCandidate, Adoption>();
    await forEachConcurrent(candidates, options.concurrency ?? defaultConcurrency, async (candidate) => {
      adoptions.set(candidate, await transferOwnership(session.cluster, candidate, options));
    });
    const store = new InventoryStore(session.records, options.inventoryNamespace);
    const transferredLifecycles = approved ? transferable.filter((candidate) => adoptions.get(candidate)?.result !== 'failed') : [];
    for (const stack of identities) {
      const own = transferredLifecycles.filter(({ step }) => step.stack.manager === stack.manager);
      await recordDeletable(store, stack, new Map(own.map(({ step, uid }) => [step.key, uid])), true);
    }
    return {
      adoptions: candidates.map((candidate) => adoptions.get(candidate) as Adoption),
      notDeployed,
      transferredLifecycles: transferredLifecycles.map(({ step }) => objectText(step.intent)),
      released,
      retained: kept,
    };
  } finally {
    await session.end();
  }
}

async function findCandidates(session: Session, steps: readonly Step[], options: AdoptOptions) {
  const store = new InventoryStore(session.records, options.inventoryNamespace);
  const all = await store.read();
  const inventories = new Map(all.map((inventory) => [inventory.stack.manager, inventory]));
  const found = new Map<Step, AdoptionCandidate>();
  const notDeployed = new Set<Step>();
  const keepers = new Map<Step, readonly string[]>();
  await forEachConcurrent(steps, options.concurrency ?? defaultConcurrency, async (step) => {
    const inventory = inventories.get(step.stack.manager);
    const known = inventory && requireWhole(inventory).entries.get(step.key);
    if (known?.uid === undefined) return void notDeployed.add(step);
    const address = await addressOf(session.cluster, step.intent);
    const live = await session.cluster.tryGet(address);
    if (live === undefined || (live.metadata as JsonObject).uid !== known.uid) return void notDeployed.add(step);
    const { manager } = step.stack;
    const recipient = { manager, intent: step.object, fresh: await freshObjectIfNeeded(session.cluster, address, live, manager) };
    const transfers = ownershipTransfers(live, recipient, isAdoptable(options));
    const keptBy = deletionCoOwners(step, known, live);
    if (keptBy !== undefined && keptBy.length > 0) keepers.set(step, keptBy);
    const canTransferLifecycle = keptBy?.length === 0;
    if (transfers.transfers.length > 0 || canTransferLifecycle)
      found.set(step, {
        step,
        address,
        uid: known.uid,
        recipient,
        transfers,
        canTransferLifecycle,
      });
  });
  return {
    found: steps.flatMap((step) => found.get(step) ?? []),
    notDeployed: steps.filter((step) => notDeployed.has(step)).map(({ intent }) => objectText(intent)),
    kept: steps.flatMap((step) => {
      const by = keepers.get(step);
      return by === undefined ? [] : [{ object: objectText(step.intent), by }];
    }),
  };
}

/**
 * Returns the test for entries to adopt from. kubectl's manager names begin with `kubectl`; the server's own names stand for fields from
 * before the first apply (`before-first-apply`) and for old entries of updaters (`ancient-changes`).
 */
function isAdoptable({ from }: AdoptOptions): (entry: ManagedFieldsEntry) => boolean {
  if (from !== undefined) return ({ manager }) => from.includes(manager);
  return ({ manager, operation }) =>
    operation === 'Update' && /^(kubectl|kubectl-[a-z-]+|before-first-apply|ancient-changes)$/.test(manager);
}

/** Reads the fresh object, which is needed only if `before-first-apply` owns fields of the live one. */
async function freshObjectIfNeeded(
  cluster: ClusterClient,
  address: ObjectAddress,
  live: JsonObject,
  manager: string,
): Promise<JsonObject | undefined> {
  return recordedFieldsOf(live).some(isBeforeFirstApply) ? freshFromApplied(cluster, address, live, manager) : undefined;
}

async function transferOwnership(cluster: ClusterClient, candidate: AdoptionCandidate, options: AdoptOptions): Promise<Adoption> {
  const { step, address, uid, recipient, transfers } = candidate;
  const { manager } = step.stack;
  try {
    await patchOwners(cluster, address, (live) => {
      const current =
        live && (live.metadata as JsonObject).uid === uid ? ownershipTransfers(live, recipient, isAdoptable(options)) : { transfers: [] };
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
    left.annotation?.before === right.annotation?.before
  );
}

function ownersChangedError(manager: string): FieldwiseError {
  return new FieldwiseError('owners-changed', 'resource', 'The owners of the object have changed since the preview', {
    location: { manager },
    next: 'The object was not changed. Run again for a preview with the current owners. If a value has changed, deploy first.',
  });
}

function adoptionOf({ step, transfers: { transfers, annotation } }: AdoptionCandidate): Adoption {
  const { stack, intent } = step;
  return {
    object: objectText(intent),
    stack: stack.name,
    to: stack.manager,
    transfers: transfers.map(({ from, fields }) => ({
      from: ownerText(from),
      fields: membersOf(fields)
        .filter(({ leaf }) => leaf)
        .map(({ path }) => formatPath(path)),
    })),
    ...(annotation === undefined ? {} : { lastApplied: annotation.after === undefined ? ('removed' as const) : ('trimmed' as const) }),
  };
}

function recordOf(
  { step: { stack, intent }, uid, transfers, canTransferLifecycle }: AdoptionCandidate,
  approved: boolean,
): RecordedAdoption {
  const { lifecycle: _, ...reference } = objectReference(stack.name, stack.manager, intent);
  return {
    reference,
    uid,
    transfers,
    ...(approved && canTransferLifecycle ? { lifecycleTransferred: canTransferLifecycle } : {}),
  };
}
