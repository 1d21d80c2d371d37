import type { Assembly } from '../../assembly/types.js';
import { addressIfServed } from '../../engine/addresses/address.js';
import { intentStepsOf, type Step } from '../../engine/graph/waves.js';
import { guardDiagnostics } from '../../engine/guards/guard-diagnostics.js';
import type { InventoryStore } from '../../engine/inventory/inventory-store.js';
import { isMarkedOnly } from '../../engine/object/remove-object.js';
import { prepareRun, readSteps } from '../../engine/prepare/prepare-run.js';
import { resolveScopes } from '../../engine/prepare/scope.js';
import { selectStacks } from '../../engine/prepare/select-stacks.js';
import type { EventHost, RunSummary } from '../../engine/report/events.js';
import type { RunDiagnostic } from '../../engine/report/run-diagnostic.js';
import { declaredIn } from '../../engine/transfer/declared-in.js';
import { subresourceWarnings } from '../../engine/transfer/fields-of-subresource.js';
import { type HandoffSelection, selectionOf } from '../../engine/transfer/handoff-selection.js';
import { ownershipTransfers } from '../../engine/transfer/ownership-transfers.js';
import { updatedFields } from '../../engine/transfer/previous-entries.js';
import { requireEqualValues } from '../../engine/transfer/release-ownership.js';
import { fieldsNotOwned } from '../../engine/transfer/rename.js';
import { isEmpty, pathCovers } from '../../fields/index.js';
import { uidOf } from '../../fields/object.js';
import type { ClusterClient, ObjectAddress } from '../../kubernetes/index.js';
import { applyEntryOf, type ManagedFieldsEntry, managedFieldsOf } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import { deploy } from '../deploy/deploy.js';
import type { AdoptOptions } from './adopt-options.js';
import type { AdoptionCandidate } from './adoption-candidates.js';
import { movedFieldsOf } from './carry-out-adoptions.js';
import type { PreviousOwner } from './previous-owner.js';
import { refuseOtherChanges } from './refuse-other-changes.js';

/** The findings of an adoption from named owners before its first change. */
export interface NamedOwnership {
  /** The objects that their stacks have to apply first, because a previous owner has fields that they do not own yet; with the fields that they adopt then. */
  readonly notOwned: readonly AdoptionCandidate[];
  /** The ownership that no adoption ends. */
  readonly ofSubresources: readonly RunDiagnostic[];
  /** The positions of the previous owners that own none of the declared fields. */
  readonly absent: readonly number[];
  /** The other field managers that own some of them. */
  readonly others: readonly string[];
}

/**
 * Finds the objects of which previous owners have fields that the stacks declare and do not own yet. Requires that the declared values are the
 * live ones: an adoption changes owners and no values. The server itself says so, in dry runs.
 *
 * @throws FieldwiseError `handoff-value-differs`, `handoff-changes-values`, `handoff-dynamic`, `handoff-not-declared`, `stack-unknown`, with nothing changed.
 */
export async function findNamedOwnership(
  assembly: Assembly,
  cluster: ClusterClient,
  store: Pick<InventoryStore, 'read'>,
  previous: readonly PreviousOwner[],
  options: Pick<AdoptOptions, 'stacks' | 'limits' | 'run'>,
): Promise<NamedOwnership> {
  const { limits = [], run } = options;
  const isOwner = (entry: ManagedFieldsEntry) => previous.some((owner) => owner.isOwner(entry));
  const recipients = (steps: readonly Step[]) => steps.filter(({ stack }) => !previous.some(({ manager }) => manager === stack.manager));
  const declared = await resolveScopes(cluster, recipients(intentStepsOf(assembly, selectStacks(assembly, options.stacks))));
  const selection = selectionOf(declared, limits);
  const inventories = new Map((await store.read()).map((inventory) => [inventory.stack.manager, inventory]));
  const read = new Map<string, { readonly address: ObjectAddress; readonly live: JsonObject }>();
  const ofSubresources: RunDiagnostic[] = [];
  const concerned: ManagedFieldsEntry[] = [];
  for (const step of selection.steps) {
    const address = await addressIfServed(cluster, step.intent);
    const live = address && (await cluster.tryGet(address));
    if (address === undefined || live === undefined) continue;
    ofSubresources.push(...subresourceWarnings(live, step, selection, isOwner));
    const entries = managedFieldsOf(live).filter((entry) => entry.subresource === '' && entry.manager !== step.stack.manager);
    const found = entries.filter((entry) => isConcerned(entry, step, selection));
    concerned.push(...found);
    if (found.some(isOwner)) read.set(stepKey(step), { address, live });
  }
  const facts = {
    ofSubresources,
    absent: [...previous.keys()].filter((position) => !concerned.some((entry) => previous[position]?.isOwner(entry))),
    others: [...new Set(concerned.filter((entry) => !isOwner(entry)).map(({ manager }) => manager))].sort(),
  };
  if (read.size === 0) return { notOwned: [], ...facts };
  // Only now are values needed, those of Secrets included.
  const prepared = prepareRun(assembly, cluster, { ...run, stacks: options.stacks ?? [] });
  const notOwned: AdoptionCandidate[] = [];
  for (const step of await readSteps(prepared, run ?? {})) {
    const found = read.get(stepKey(step));
    if (found === undefined) continue;
    const { address, live } = found;
    const entries = ownEntries(live, isOwner);
    for (const manager of new Set(entries.map((entry) => entry.manager)))
      await requireEqualValues(prepared.cluster, step, manager, (field) => includesField(limits, field));
    const isDeployed = inventories.get(step.stack.manager)?.entries.get(step.key)?.uid === uidOf(live);
    if (isDeployed && entries.every((entry) => isCoOwned(live, entry, step, selection))) continue;
    const after = await refuseOtherChanges(prepared.cluster, step, live);
    const recipient = { manager: step.stack.manager, intent: step.object, select: selection.select };
    const isAdoptable = (entry: Pick<ManagedFieldsEntry, 'manager' | 'operation'>) => previous.some((owner) => owner.isOwner(entry));
    const transfers = ownershipTransfers(after, recipient, isAdoptable);
    notOwned.push({ step, address, uid: uidOf(live) as string, recipient, isAdoptable, transfers, canTransferLifecycle: false });
  }
  return { notOwned, ...facts };
}

/** Applies the found objects, and no others of their stacks; takes no field of others. */
export async function coOwn(
  assembly: Assembly,
  cluster: ClusterClient,
  notOwned: readonly AdoptionCandidate[],
  { run }: Pick<AdoptOptions, 'run'>,
  host: EventHost,
): Promise<RunSummary> {
  const targets = new Map<string, Set<number>>();
  for (const { step } of notOwned) targets.set(step.stack.name, (targets.get(step.stack.name) ?? new Set()).add(step.index));
  const options = { confirm: async () => true, ...run, stacks: [...targets.keys()], targets, forces: false, wait: false };
  for (const warning of await guardDiagnostics(cluster, notOwned.map(movedFieldsOf))) host(warning);
  return deploy(assembly, cluster, options, host);
}

function ownEntries(live: JsonObject, isOwner: (entry: ManagedFieldsEntry) => boolean): readonly ManagedFieldsEntry[] {
  return managedFieldsOf(live).filter((entry) => entry.subresource === '' && isOwner(entry));
}

/** Returns true if an entry has a selected field that an intent declares, or, where whole objects are adopted, nothing but the mark of a stack. */
function isConcerned(entry: ManagedFieldsEntry, step: Step, { select, isWhole }: HandoffSelection): boolean {
  return !isEmpty(declaredIn(select(entry.fields), step)) || (isWhole && isMarkedOnly(entry));
}

function isCoOwned(live: JsonObject, entry: ManagedFieldsEntry, { object, stack }: Step, { select }: HandoffSelection): boolean {
  if (applyEntryOf(live, stack.manager) === undefined) return false;
  const fields = select(entry.operation === 'Apply' ? entry.fields : updatedFields(live, entry));
  return fieldsNotOwned(live, object, fields, stack.manager).length === 0;
}

function includesField(limits: readonly string[], field: string): boolean {
  const paths = limits.filter((limit) => limit.startsWith('.'));
  return paths.length === 0 || paths.some((path) => pathCovers(path, field));
}

/** One object may be declared by several stacks. */
function stepKey({ stack, key }: Step): string {
  return `${stack.manager} ${key}`;
}
