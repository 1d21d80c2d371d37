import { managersOf, objectText } from '../../assembly/identity.js';
import type { Assembly, StackManifest, TransferPolicy } from '../../assembly/types.js';
import {
  emptyFieldSet,
  type FieldSet,
  fieldSetOfPaths,
  has,
  isEmpty,
  membersOf,
  pathCovers,
  resolvePath,
  valueAt,
} from '../../fields/index.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { applyEntryOf, type EntryIdentity, releasableFields } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import { addressIfServed } from '../addresses/address.js';
import type { IsLeaving } from '../apply/conflict-policy.js';
import { type Step, wavesUnlessCyclic } from '../graph/waves.js';
import type { InventoryStore, StackIdentity } from '../inventory/inventory-store.js';
import type { LiveBefore } from '../live/live-before.js';
import { resolveScopes } from '../prepare/scope.js';
import { isOfOneObject } from '../report/error-scope.js';
import type { RunDiagnostic } from '../report/run-diagnostic.js';
import { forEachConcurrent } from '../run/for-each-concurrent.js';
import type { StackState } from '../run/stack-state.js';
import { declaredIn } from './declared-in.js';
import { type HandoffSelection, selectionOf } from './handoff-selection.js';
import { byKey } from './other-stacks.js';
import { declaredFields, inLastAppliedOf } from './ownership-transfers.js';
import { isPreviousEntry, previousEntriesOf } from './previous-entries.js';
import { declaredByPreviousOwner, releaseOwnership, requireEqualValues } from './release-ownership.js';
import { unknownPreviousOwner } from './unknown-previous-owner.js';

/** The fields that an intent takes over from another stack. */
export interface FieldTransfer extends Pick<HandoffSelection, 'select'> {
  /** Field manager of the previous owner. */
  readonly previousOwner: string;
  readonly includesField: (field: string) => boolean;
  /**
   * Present where no policy names the transfer: the program has moved fields from one stack to another. It is a matter of order alone: the
   * intent is applied first, also with another value, and then the previous owner releases the fields by its own apply.
   */
  readonly isImplied?: true;
  /** The intent of the previous owner, if it may delete the object and make it again. */
  readonly mayReplace?: Step;
}

/** Fields that steps claim before any intent of the run is applied, because no order of the intents keeps them; see `claimFields`. */
export type FieldClaims = ReadonlyMap<Step, readonly FieldTransfer[]>;

/** The transfers of a run that order its steps, and those that no order fulfills. */
export interface OrderedTransfers {
  readonly transfers: ReadonlyMap<Step, FieldTransfer>;
  readonly claims: FieldClaims;
}

/**
 * Returns the fields of an object that an intent takes over; undefined where its policy names none, or the previous owner owns none. Fields
 * that the program still declares in the previous owner's stack are left out: its next deploy would own them again.
 *
 * @throws FieldwiseError `handoff-not-declared` where a field that is to be taken over is not declared.
 */
export function fieldTransferOf(assembly: Assembly, step: Step, live: JsonObject | undefined): FieldTransfer | undefined {
  const { transferFrom } = step.intent.policy;
  if (transferFrom === undefined || transferFrom.from === step.stack.manager || live === undefined) return undefined;
  const { fields = [] } = transferFrom;
  const selection = selectionOf([step], fields);
  const stillDeclared = declaredByPreviousOwner(assembly, transferFrom.from, step)?.object;
  const select = (set: FieldSet) =>
    fieldSetOfPaths(
      [...membersOf(selection.select(set))]
        .filter(({ path, leaf }) => !leaf || valueAt(stillDeclared, path) === undefined)
        .map(({ path }) => path),
    );
  const includesField = (field: string) => fields.length === 0 || fields.some((path) => pathCovers(path, field));
  const ours = select(declaredFields(live, step.stack.manager, step.object));
  const previousOwner = previousManagersOf(transferFrom).find((manager) => {
    const isPrevious = (entry: EntryIdentity) => isPreviousEntry(entry, manager);
    const isOwner = previousEntriesOf(live, manager).some(
      ({ fields: theirs }) => !isEmpty(releasableFields(theirs, select(declaredIn(theirs, step)))),
    );
    return isOwner || inLastAppliedOf(live, ours, isPrevious) !== undefined;
  });
  return previousOwner === undefined ? undefined : { previousOwner, select, includesField };
}

/**
 * Returns the transfers of a run with those that no policy names: fields of an object that one stack no longer declares and that another one
 * declares now. Where steps would wait for each other, as in an exchange of fields or where the new owner depends on the previous one, or where the
 * previous owner may make the object again, the fields are claimed instead.
 *
 * @param chosen the steps that the run applies.
 * @param steps all steps of the run.
 * @param liveOf returns the object of an intent that is new or changed; undefined for others, which drop nothing.
 */
export async function withImpliedTransfers(
  byPolicy: ReadonlyMap<Step, FieldTransfer>,
  chosen: readonly Step[],
  steps: readonly Step[],
  liveOf: (step: Step) => Promise<JsonObject | undefined>,
): Promise<OrderedTransfers> {
  const implied: [Step, FieldTransfer][] = [];
  const claims = new Map<Step, FieldTransfer[]>();
  for (const [step, others] of besidesEachOther(chosen)) {
    // The strategy records no owners on the server.
    if (byPolicy.has(step) || step.intent.policy.transferFrom !== undefined || step.intent.policy.strategy === 'dynamic') continue;
    for (const other of others) {
      const live = await liveOf(other);
      const transfer = live && impliedTransferOf(step, other, live);
      // A recreated object would lose what was applied before.
      if (transfer && other.intent.policy.replace) addTo(claims, step, { ...transfer, mayReplace: other });
      else if (transfer) implied.push([step, transfer]);
    }
  }
  if (implied.length === 0 && byPolicy.size === 0) return { transfers: byPolicy, claims };
  const found = new Map<Step, FieldTransfer>();
  const isEachTheOnly = new Set(implied.map(([step]) => step)).size === implied.length;
  const all = new Map([...byPolicy, ...implied]);
  if (isEachTheOnly && wavesUnlessCyclic(steps, all) !== undefined) return { transfers: all, claims };
  // Those that a policy names come first.
  for (const [step, transfer] of [...byPolicy, ...implied]) {
    if (!found.has(step) && wavesUnlessCyclic(steps, new Map(found).set(step, transfer)) !== undefined) found.set(step, transfer);
    else addTo(claims, step, transfer);
  }
  return { transfers: found, claims };
}

/** Returns all transfers of a run, however they are carried out. */
export function allTransfers({ transfers, claims }: OrderedTransfers): readonly (readonly [Step, FieldTransfer])[] {
  return [...transfers, ...[...claims].flatMap(([step, claimed]) => claimed.map((transfer) => [step, transfer] as const))];
}

function addTo(claims: Map<Step, FieldTransfer[]>, step: Step, transfer: FieldTransfer): void {
  claims.set(step, [...(claims.get(step) ?? []), transfer]);
}

/** Returns the steps whose object other stacks declare, too, each with those of the others. */
function besidesEachOther(steps: readonly Step[]): readonly (readonly [Step, readonly Step[]])[] {
  const several = [...byKey(steps).values()].filter(({ length }) => length > 1);
  return several.flatMap((same) => same.map((step) => [step, same.filter((other) => other !== step)] as const));
}

function impliedTransferOf(step: Step, other: Step, live: JsonObject): FieldTransfer | undefined {
  const ours = applyEntryOf(live, step.stack.manager)?.fields ?? emptyFieldSet;
  const includesField = (field: string) => resolvePath(field, other.object) === undefined;
  const select = (fields: FieldSet) =>
    fieldSetOfPaths(
      membersOf(declaredIn(fields, step))
        .filter(({ path, leaf }) => leaf && !has(ours, path) && valueAt(other.object, path) === undefined)
        .map(({ path }) => path),
    );
  const previousOwner = managersOf(other.stack).find((manager) => {
    const theirs = applyEntryOf(live, manager);
    return theirs !== undefined && !isEmpty(select(theirs.fields));
  });
  return previousOwner === undefined ? undefined : { previousOwner, select, includesField, isImplied: true };
}

/**
 * Returns which fields of a step's object stacks give up in its run: with their part in the object, or because they no longer declare them.
 *
 * @param steps those that the run applies.
 */
export function leavingAmong(steps: readonly Step[], leavingManagersOf: (step: Step) => readonly string[]): (step: Step) => IsLeaving {
  const besides = new Map(besidesEachOther(steps));
  return (step) => {
    const managers = leavingManagersOf(step);
    const others = besides.get(step) ?? [];
    return (manager, field) =>
      managers.includes(manager) ||
      others.some(({ stack, object }) => managersOf(stack).includes(manager) && resolvePath(field, object) === undefined);
  };
}

/** Returns the field managers under which a cluster may know the previous owner, the present one first. */
export function previousManagersOf({ from, formerManagers = [] }: TransferPolicy): readonly string[] {
  return [from, ...formerManagers];
}

/**
 * Returns the fields that steps take over, as the cluster is now; `known` are objects that have just been read.
 *
 * @param warn receives a warning for each intent whose previous owner nobody knows.
 */
export async function findFieldTransfers(
  cluster: ClusterClient,
  assembly: Assembly,
  steps: readonly Step[],
  concurrency: number,
  known?: LiveBefore,
  warn?: (warning: RunDiagnostic) => void,
): Promise<ReadonlyMap<Step, FieldTransfer>> {
  const found = new Map<Step, FieldTransfer>();
  const asking = steps.filter(({ intent }) => intent.policy.transferFrom !== undefined);
  const read = async (step: Step) => {
    const address = await addressIfServed(cluster, step.intent);
    return address && cluster.tryGet(address);
  };
  await forEachConcurrent(asking, concurrency, async (step) => {
    const live = known?.has(step) ? known.get(step) : await read(step);
    const transfer = fieldTransferOf(assembly, step, live);
    if (transfer !== undefined) found.set(step, transfer);
    const unknown = warn && live && unknownPreviousOwner(assembly, step, live);
    if (unknown) warn(unknown);
  });
  return found;
}

/**
 * Refuses a run that leaves out the new owner of fields: their previous owner would drop them before the other owns them.
 *
 * @param states of the stacks of the run.
 * @param others steps of the program that the run leaves out.
 * @throws FieldwiseError `handoff-pending`, with nothing changed.
 */
export async function refusePendingTransfers(
  cluster: ClusterClient,
  assembly: Assembly,
  states: readonly StackState[],
  others: readonly Step[],
  concurrency: number,
): Promise<void> {
  const previousOwnerOf = (step: Step) => states.find(({ stack }) => stack.manager === step.intent.policy.transferFrom?.from);
  const asking = await resolveScopes(
    cluster,
    others.filter((step) => previousOwnerOf(step) !== undefined),
  );
  const pending = await findFieldTransfers(cluster, assembly, asking, concurrency);
  const found = asking.find((step) => pending.has(step) || removesObject(previousOwnerOf(step) as StackState, step));
  if (found === undefined) return;
  const { stack, intent } = found;
  const [declared] = intent.declaredBy;
  throw new FieldwiseError(
    'handoff-pending',
    'usage',
    `Stack ${stack.name} transfers fields of ${objectText(intent)} from stack ${previousOwnerOf(found)?.stack.name}, and is not part of this deploy`,
    {
      location: { object: objectText(intent), ...declared },
      next: `Nothing was changed. Deploy ${stack.name} first, or both together: fields that ${previousOwnerOf(found)?.stack.name} no longer declares would be removed.`,
    },
  );
}

/** Returns true if the previous owner's deploy would remove an object that is to be transferred as a whole. */
function removesObject({ before, steps }: StackState, { key, intent }: Step): boolean {
  return intent.lifecycle === 'own' && before.entries.get(key)?.lifecycle === 'own' && !steps.some((step) => step.key === key);
}

/** The fields of an object that were taken over. */
export interface TransferredFields {
  readonly from: string;
  /** Paths such as `.spec.replicas` that the previous owner no longer owns. */
  readonly fields: readonly string[];
}

/**
 * Checks a transfer before the intent is applied.
 *
 * @throws FieldwiseError `handoff-value-differs`
 */
export function checkFieldTransfer(cluster: ClusterClient, step: Step, { previousOwner, includesField }: FieldTransfer): Promise<void> {
  return requireEqualValues(cluster, step, previousOwner, includesField);
}

/**
 * Returns the transfers that will be refused, for somebody who is about to confirm a run.
 *
 * @throws FieldwiseError where every further request would fail as well.
 */
export async function refusedFieldTransfers(
  cluster: ClusterClient,
  transfers: ReadonlyMap<Step, FieldTransfer>,
  concurrency: number,
): Promise<readonly RunDiagnostic[]> {
  const found: RunDiagnostic[] = [];
  const named = [...transfers].filter(([, { isImplied }]) => !isImplied);
  await forEachConcurrent(named, concurrency, async ([step, transfer]) => {
    try {
      await checkFieldTransfer(cluster, step, transfer);
    } catch (error) {
      if (error instanceof FieldwiseError && (error.kind === 'conflict' || error.kind === 'usage')) {
        const { code, message, next } = error;
        found.push({
          event: 'warning',
          code,
          message: `${objectText(step.intent)} of stack ${step.stack.name} would fail: ${message}`,
          ...(next ? { next } : {}),
        });
      } else if (!isOfOneObject(error)) throw error;
    }
  });
  return found;
}

/** The result of a transfer of fields. */
export interface FieldTransferResult {
  readonly transferred: TransferredFields | undefined;
  /** The object as it is now. */
  readonly object: JsonObject | undefined;
}

/**
 * Transfers fields once the intent is applied.
 *
 * @throws FieldwiseError `handoff-unproved`, `outcome-unknown`.
 */
export async function transferFields(cluster: ClusterClient, step: Step, transfer: FieldTransfer): Promise<FieldTransferResult> {
  const { previousOwner } = transfer;
  const { fields, object } = await releaseOwnership(cluster, step, previousOwner, transfer);
  return { transferred: fields.length === 0 ? undefined : { from: previousOwner, fields }, object };
}

/** Returns the stacks of the program, other than these, that are previous owners for one of these: a run writes their inventories, too. */
export function previousOwnersOutside({ manifest }: Assembly, stacks: readonly StackManifest[]): readonly StackManifest[] {
  const previousOwners = new Set(stacks.flatMap(({ intents }) => intents.map(({ policy }) => policy.transferFrom?.from)));
  return manifest.stacks.filter((stack) => previousOwners.has(stack.manager) && !stacks.includes(stack));
}

/**
 * Returns the stacks of other apps and instances that are previous owners for one of these, from their inventories; reads only those that a
 * policy names.
 */
export async function foreignPreviousOwners(
  { manifest }: Assembly,
  stacks: readonly StackManifest[],
  store: InventoryStore,
): Promise<readonly StackIdentity[]> {
  const declared = new Set(manifest.stacks.map(({ manager }) => manager));
  const named = new Set(stacks.flatMap(({ intents }) => intents.map(({ policy }) => policy.transferFrom?.from)));
  const foreign = [...named].filter((manager) => manager?.startsWith('fieldwise/') && !declared.has(manager));
  const inventories = await Promise.all(foreign.map((manager) => store.read({ manager: manager as string })));
  return inventories.flat().map(({ stack }) => stack);
}
