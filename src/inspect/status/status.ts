import { managersOf, type ObjectIdentity } from '../../assembly/identity.js';
import type { Assembly, PartialObject, StackManifest } from '../../assembly/types.js';
import { type ObjectReference, objectReference } from '../../engine/addresses/object-reference.js';
import { isFinishedJob } from '../../engine/apply/preconditions/finished-job.js';
import { isNotTerminating } from '../../engine/apply/preconditions/refuse-terminating.js';
import { digestOfIntent } from '../../engine/graph/intent-digest.js';
import type { Step } from '../../engine/graph/waves.js';
import { editedWarnings, incompleteWarnings, unlistedMark } from '../../engine/inventory/edited-inventory.js';
import { type StackInventories, storedInventories } from '../../engine/inventory/former-inventories.js';
import type { InventoryEntry } from '../../engine/inventory/inventory-entry.js';
import { isEdited } from '../../engine/inventory/not-as-applied.js';
import type { OwnerNameResolver } from '../../engine/inventory/owner-name-resolver.js';
import { undeclaredEntries } from '../../engine/inventory/undeclared-entries.js';
import { LiveObjects } from '../../engine/live/live-objects.js';
import { formerOwnersOf } from '../../engine/object/former-owners.js';
import { inputDiagnostics } from '../../engine/prepare/input-diagnostics.js';
import { inventoriesIn, prepareReadingRun, prepareRun, readInventories, readSteps } from '../../engine/prepare/prepare-run.js';
import { undeclaredStackWarnings } from '../../engine/prepare/undeclared-stacks.js';
import { DeclaredFields } from '../../engine/readiness/causes/declared-fields.js';
import type { PlannedField, PlannedObject } from '../../engine/report/plan-types.js';
import type { SettledReadiness } from '../../engine/report/readiness-state.js';
import { type RewrittenField, rewrittenFieldOf } from '../../engine/report/rewritten-field.js';
import type { ReportedError, RunDiagnostic } from '../../engine/report/run-diagnostic.js';
import { forEachConcurrent } from '../../engine/run/for-each-concurrent.js';
import { defaultConcurrency, type RunOptions } from '../../engine/run/options.js';
import type { StartSimulation } from '../../engine/run/saved-plan.js';
import { intentKey, type UnreadFields } from '../../engine/secrets/keep-unread-values.js';
import { maskedPlan } from '../../engine/secrets/masked-plan.js';
import type { SecretMasker } from '../../engine/secrets/secret-masker.js';
import { resolvePath } from '../../fields/index.js';
import { metadataOf } from '../../fields/object.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { applyEntryOf, isIntentApplied } from '../../ownership/index.js';
import { SimulatedState } from '../../plan/simulation.js';
import { StepPlanner } from '../../plan/step-planner.js';
import { exitCodeOf } from '../../util/error.js';
import type { IntegersAsText } from '../../util/integers-as-text.js';
import type { JsonObject } from '../../util/json.js';
import { type DriftedField, driftedField, fieldStatusOf, otherWritersSince } from '../drift/drifted-field.js';
import { undeclaredFields } from '../drift/undeclared-fields.js';
import type { DatedOwner } from '../owners/owners.js';
import { type ObservedObject, readObjects } from '../owners/read-objects.js';
import { ReadinessLooks } from './readiness-looks.js';

/** The state of an object of a stack. */
export type ObjectState =
  /** The declared fields have the declared values and belong to the stack, whatever else the object contains. */
  | 'in-sync'
  /** As `in-sync`, but admission rewrites or drops declared values; the fields are listed. A deploy changes nothing about it. */
  | 'rewritten'
  /** The program has changed since the last apply; the fields are listed. */
  | 'pending'
  /** Others changed fields of the stack. */
  | 'drifted'
  /** The object exists, the stack owns nothing of it, and no other manager became the owner of the declared fields. */
  | 'released'
  /** The object does not exist. */
  | 'absent'
  /** The object is being deleted. */
  | 'terminating'
  /** A Job with `ttlSecondsAfterFinished` that Kubernetes removed after its end; it runs again only after its declaration changes. */
  | 'finished'
  /** The inventory of the stack lists the object, and the program no longer declares it. */
  | 'undeclared'
  /** The object could not be read or compared, for the reported reason. */
  | 'unknown';

export interface ObjectStatus extends ObjectReference, IntegersAsText {
  readonly event: 'status';
  readonly state: ObjectState;
  /** Absent if the object does not exist. Of a workload that is not ready, with the cause that one look at its pods shows. */
  readonly readiness?: SettledReadiness;
  readonly drift: readonly DriftedField[];
  /** Declared fields of which the server keeps another value, or none; absent if there are none. No difference. */
  readonly rewritten?: readonly RewrittenField[];
  /** Declared fields left to their owner by the policy `yield`. */
  readonly yielded: readonly string[];
  /** Fields that a deploy would change because the program has changed. */
  readonly pending: readonly string[];
  /** Other managers that provably wrote the object after the stack's last apply. */
  readonly otherWriters: readonly DatedOwner[];
  /** Fields whose values could not be read: they are not compared. */
  readonly notCompared?: readonly string[];
  readonly error?: ReportedError;
}

export interface StatusSummary {
  readonly event: 'status-summary';
  readonly counts: Readonly<Partial<Record<ObjectState, number>>>;
  readonly ready: number;
  readonly notReady: number;
  /** The number of objects whose readiness is unknown. */
  readonly unknownReadiness: number;
  readonly drifted: number;
  readonly exitCode: number;
}

export interface StatusOptions
  extends Pick<RunOptions, 'stacks' | 'inventoryNamespace' | 'concurrency' | 'references' | 'strategy' | 'independent'> {
  readonly simulate: StartSimulation;
  /** The identity keys of the objects to observe. @default all objects of the stacks */
  readonly only?: ReadonlySet<string>;
  /** Also reports fields of owned objects that only Updates of others have written, and that no applier declares. @default false */
  readonly strict?: boolean;
}

/**
 * Reports the status of the objects of the selected stacks. Changes nothing. An object that is provably in sync needs no dry run; any other
 * is planned by a dry run on the server, or by the schema if these credentials do not permit one.
 *
 * @throws FieldwiseError: unknown stack (usage), no connection, no authentication, unreadable inventory.
 */
export async function status(
  assembly: Assembly,
  cluster: ClusterClient,
  options: StatusOptions,
  host: (event: ObjectStatus | StatusSummary | RunDiagnostic) => void,
): Promise<StatusSummary> {
  for (const warning of await undeclaredStackWarnings(cluster, options, assembly.manifest)) host(warning);
  const objects = (await observeObjects(assembly, cluster, { ...options, causes: true, onWarning: host })).map(({ status }) => status);
  for (const object of objects) host(object);
  const summary = summaryOf(objects);
  host(summary);
  return summary;
}

/** Counts the objects by their states. */
export function summaryOf(objects: readonly ObjectStatus[]): StatusSummary {
  const counts: Partial<Record<ObjectState, number>> = {};
  for (const { state } of objects) counts[state] = (counts[state] ?? 0) + 1;
  return {
    event: 'status-summary',
    counts,
    ready: objects.filter((object) => object.readiness?.state === 'current').length,
    notReady: objects.filter((object) => object.readiness !== undefined && !readyStates.has(object.readiness.state)).length,
    unknownReadiness: objects.filter((object) => object.readiness?.state === 'unknown').length,
    drifted: objects.reduce((sum, { drift }) => sum + drift.length, 0),
    exitCode: objects.some(({ error }) => error) ? exitCodeOf('resource') : 0,
  };
}

const readyStates: ReadonlySet<string> = new Set(['current', 'unknown']);

/** The status of one object of one stack, with its declaration and its inventory entry. */
export interface Observation {
  readonly status: ObjectStatus;
  /** The intent; absent if the stack does not declare the object. */
  readonly step?: Step | undefined;
  readonly known?: InventoryEntry | undefined;
  /** The changes that a deploy would make to its fields, where they had to be planned. Values of Secrets are masked. */
  readonly planned?: readonly PlannedField[] | undefined;
}

export interface ObserveOptions extends StatusOptions {
  /**
   * Receives a warning for each value that cannot be read, and is not compared, and about inventories that others have edited. Without it, such a value is
   * an error.
   */
  readonly onWarning?: (warning: RunDiagnostic) => void;
  /** Receives a warning for each stack whose last deploy had other context values, or perhaps had. */
  readonly onInputs?: (warning: RunDiagnostic) => void;
  /** Looks for the causes for which workloads are not ready, in their pods and events. @default false */
  readonly causes?: boolean;
}

/**
 * Observes the objects of the selected stacks, in the order of the assembly, each stack's undeclared objects after its declared ones.
 *
 * @throws FieldwiseError as `status`; `reference-missing` without `onWarning`.
 */
export async function observeObjects(assembly: Assembly, server: ClusterClient, options: ObserveOptions): Promise<readonly Observation[]> {
  const { onWarning, concurrency = defaultConcurrency } = options;
  const run = onWarning ? await prepareReadingRun(assembly, server, options, onWarning) : prepareRun(assembly, server, options);
  const { cluster, stacks, secrets, keys, names } = run;
  const [steps, inventories] = await Promise.all([readSteps(run, options), readInventories(run, inventoriesIn(cluster, options))]);
  const items = stacks.flatMap((stack, position): StatusItem[] => {
    const { whole: inventory } = inventories[position] as StackInventories;
    const own = steps.filter((step) => step.stack === stack);
    return [
      ...own.map((step) => ({ stack, key: step.key, step, known: inventory.entries.get(step.key) })),
      ...undeclaredEntries(inventory, own).map(([key, known]) => ({ stack, key, known })),
    ].filter(({ key }) => options.only?.has(key) ?? true);
  });
  if (options.onInputs) {
    const ofStacks = stacks.map((stack, position) => ({
      stack,
      steps: steps.filter((step) => step.stack === stack),
      inventory: (inventories[position] as StackInventories).whole,
    }));
    for (const warning of await inputDiagnostics(run, ofStacks, { ...options, tellsDoubts: true }))
      options.onInputs(secrets.maskWarning(warning));
  }
  const wanted = new Map<string, ObjectIdentity>(items.map(({ key, step, known }) => [key, step?.intent ?? (known as InventoryEntry)]));
  const found = await readObjects(cluster, wanted, concurrency);
  if (onWarning) for (const warning of inventoryWarnings(inventories, items, found)) onWarning(warning);
  const stepsToPlan = new Set(
    items.flatMap((item) => (item.step && needsPlan(item.step, item.known, found.get(item.key)) ? [item.step] : [])),
  );
  const planner = new StepPlanner({
    cluster,
    steps: [...stepsToPlan],
    live: new LiveObjects(cluster, []),
    state: new SimulatedState(cluster, options.simulate, keys),
    names,
    readOnly: false,
    known: undefined,
    unread: run.unread,
  });
  const looks = new ReadinessLooks(cluster, options.causes ? { declared: new DeclaredFields(assembly), secrets } : undefined);
  const observations: Observation[] = [];
  await forEachConcurrent([...items.entries()], concurrency, async ([index, item]) => {
    const observation = found.get(item.key) ?? {};
    const planned = item.step && stepsToPlan.has(item.step) ? await planner.plan(item.step, item.known) : undefined;
    const declaredStatus = objectStatusOf(
      item,
      observation,
      { planned, unread: item.step && run.unread?.get(intentKey(item.step)) },
      names,
    );
    const observedStatus = options.strict ? withUndeclaredFields(declaredStatus, item, observation, names) : declaredStatus;
    const ready = observation.live ? await readinessOf(item, observation.live, looks) : undefined;
    observations[index] = {
      step: item.step,
      known: item.known,
      planned: planned && maskedPlan(planned, secrets).fields,
      status: masked({ ...observedStatus, ...(ready ? { readiness: ready } : {}) }, secrets),
    };
  });
  return observations;
}

/** Returns warnings about inventories that others have edited, and about objects that their inventory does not list. */
function inventoryWarnings(
  inventories: readonly StackInventories[],
  items: readonly StatusItem[],
  found: ReadonlyMap<string, ObservedObject>,
): readonly RunDiagnostic[] {
  const unlisted = items.flatMap(({ stack, step, known, key }) =>
    step && unlistedMark(known, found.get(key)?.live, [stack.manager]).unlisted ? [{ ...step.intent, stack: stack.name }] : [],
  );
  return [...editedWarnings(storedInventories(inventories)), ...incompleteWarnings(unlisted)];
}

function readinessOf({ step, known }: StatusItem, live: JsonObject, looks: ReadinessLooks): Promise<SettledReadiness> {
  return looks.at(live, step?.intent ?? (known as InventoryEntry), step?.intent.policy);
}

/** An object of a stack: declared, in its inventory, or both. */
interface StatusItem {
  readonly stack: StackManifest;
  readonly key: string;
  readonly step?: Step;
  readonly known: InventoryEntry | undefined;
}

/** Returns true if only a plan can show whether the object is in sync. */
function needsPlan({ object, stack }: Step, known: InventoryEntry | undefined, { live }: ObservedObject = {}): boolean {
  if (!isNotTerminating(live) || isIntentApplied(live, object, stack.manager)) return false;
  return known?.uid !== undefined || applyEntryOf(live, stack.manager) !== undefined || formerOwnersOf(live, stack).length > 0;
}

function objectStatusOf(
  { stack, step, known }: StatusItem,
  { live, error }: ObservedObject,
  { planned, unread }: { readonly planned: PlannedObject | undefined; readonly unread: UnreadFields | undefined },
  names: OwnerNameResolver,
): ObjectStatus {
  const noFields = { drift: [], yielded: [], pending: [], otherWriters: live ? otherWritersSince(live, stack.manager, names, known) : [] };
  const reference = objectReference(stack.name, stack.manager, step?.intent ?? (known as InventoryEntry));
  const notCompared = unread ? { notCompared: unread.fields } : {};
  const common = { event: 'status' as const, ...reference, ...noFields, ...notCompared };
  if (error) return { ...common, state: 'unknown', error };
  if (!step) return { ...common, state: 'undeclared' };
  if (!live) return { ...common, state: isFinishedJob(step, known) ? 'finished' : 'absent' };
  if (!isNotTerminating(live)) return { ...common, state: 'terminating' };
  const isOwner =
    applyEntryOf(live, stack.manager) !== undefined || formerOwnersOf(live, stack).length > 0 || declaresNoFields(step, known, live);
  if (!planned) return { ...common, state: isOwner ? 'in-sync' : 'released' };
  const hasNewKeys = unread !== undefined && areNewKeys(unread.notOwned, step, known, live);
  const isSame = (field: PlannedField) => {
    if (unread === undefined || unread.notOwned.length === 0) return !isEdited(known, step);
    return unread.fields.includes(field.field) ? !hasNewKeys : mayBeSame(field);
  };
  const fieldStatuses = planned.fields.map((field) => [field, fieldStatusOf(field, isSame(field), step.intent.policy)] as const);
  const fieldsThatAre = (is: string) => fieldStatuses.filter(([, fieldStatus]) => fieldStatus.is === is).map(([{ field }]) => field);
  const drift = fieldStatuses.flatMap(([field, fieldStatus]) => {
    if (fieldStatus.is !== 'drifted') return [];
    // Its value is a placeholder, or the live one.
    if (fieldStatus.drift !== 'removed' && unread?.fields.includes(field.field))
      return [driftedField({ field: field.field }, 'ownership-lost', live, names)];
    return [driftedField(field, fieldStatus.drift, live, names)];
  });
  const pending = fieldsThatAre('pending');
  const rewritten = planned.fields.flatMap(rewrittenFieldOf);
  const fields = { drift, yielded: fieldsThatAre('yielded'), pending, ...(rewritten.length > 0 ? { rewritten } : {}) };
  if (planned.error && drift.length === 0) return { ...common, ...fields, state: 'unknown', error: planned.error };
  // If others took all fields of the stack, it has no entry either; that is drift, not a release.
  if (!isOwner && drift.every(({ owners }) => owners.length === 0)) return { ...common, ...fields, state: 'released' };
  return { ...common, ...fields, state: stateOf(drift.length, pending.length, rewritten.length) };
}

function stateOf(drifted: number, pending: number, rewritten: number): ObjectState {
  if (drifted > 0) return 'drifted';
  if (pending > 0) return 'pending';
  return rewritten > 0 ? 'rewritten' : 'in-sync';
}

/**
 * Returns false if the program has changed a field of an intent that cannot be compared as a whole: the value that the stack applied is still there.
 */
function mayBeSame({ change, gained }: PlannedField): boolean {
  return change !== 'change' || gained === true;
}

/**
 * Returns true if the stack has not applied these keys of a Secret yet, as far as that is provable: nobody has written the object since its last apply, or
 * the intent without them is the one that was applied.
 */
function areNewKeys(keys: readonly string[], { object }: Step, known: InventoryEntry | undefined, live: JsonObject): boolean {
  const { uid, resourceVersion } = metadataOf(live);
  if (known?.uid === uid && known?.resourceVersion === resourceVersion) return true;
  const { data = {}, ...rest } = object;
  const others = Object.entries(data as JsonObject).filter(([key]) => !keys.includes(key));
  return [{ ...object, data: Object.fromEntries(others) }, rest as PartialObject].some(
    (before) => known?.intent === digestOfIntent(before),
  );
}

/** Adds the fields that nobody declares to the drift of an object that the stack owns. */
function withUndeclaredFields(
  status: ObjectStatus,
  { stack, step }: StatusItem,
  { live }: ObservedObject,
  names: OwnerNameResolver,
): ObjectStatus {
  if (live === undefined || step?.intent.lifecycle !== 'own' || !comparableStates.has(status.state)) return status;
  const { object } = step;
  // A declared field that others own is drift of the stack, or yielded.
  const undeclared = undeclaredFields(live, managersOf(stack), names).filter(({ field }) => resolvePath(field, object) === undefined);
  return undeclared.length === 0 ? status : { ...status, state: 'drifted', drift: [...status.drift, ...undeclared] };
}

const comparableStates: ReadonlySet<ObjectState> = new Set(['in-sync', 'rewritten', 'pending', 'drifted']);

/** Returns true if an applied intent declares no field, such as a Namespace by its name: then there is nothing to own. */
function declaresNoFields({ object }: Step, known: InventoryEntry | undefined, live: JsonObject): boolean {
  const { apiVersion: _, kind: __, metadata, ...rest } = object as PartialObject;
  const { name: ___, namespace: ____, ...more } = metadata;
  const empty = Object.keys(rest).length === 0 && Object.keys(more).length === 0;
  return empty && known?.uid !== undefined && known.uid === (live.metadata as JsonObject).uid;
}

function masked(status: ObjectStatus, secrets: SecretMasker): ObjectStatus {
  const objectType = { apiVersion: status.apiVersion, kind: status.kind };
  return {
    ...status,
    drift: status.drift.map((field) => secrets.maskField(field, objectType)),
    ...(status.rewritten ? { rewritten: status.rewritten.map((field) => secrets.maskField(field, objectType)) } : {}),
    ...(status.readiness ? { readiness: { ...status.readiness, message: secrets.mask(status.readiness.message) } } : {}),
    ...(status.error ? { error: secrets.maskError(status.error) } : {}),
  };
}
