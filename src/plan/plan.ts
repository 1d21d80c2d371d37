import { formerManagersOf, identityKey, managersOf, type ObjectIdentity } from '../assembly/identity.js';
import type { Assembly, StackManifest } from '../assembly/types.js';
import { addressIfServed } from '../engine/addresses/address.js';
import { RemovedVersions } from '../engine/addresses/removed-versions.js';
import { isCrd } from '../engine/addresses/wait-for-established.js';
import { admissionLookOf } from '../engine/apply/skip/admission-look-of.js';
import { NoopProofs } from '../engine/apply/skip/noop-proofs.js';
import { SchemaFingerprints } from '../engine/apply/skip/schema-fingerprints.js';
import { intentStepsOf, type Step, type TransfersByStep, wavesOf, wavesUnlessCyclic } from '../engine/graph/waves.js';
import { guardDiagnostics, type MovedFields } from '../engine/guards/guard-diagnostics.js';
import { type ClusterIdentity, isUnknown } from '../engine/inventory/cluster-identity.js';
import { incompleteWarnings } from '../engine/inventory/edited-inventory.js';
import type { InventoryEntry } from '../engine/inventory/inventory-entry.js';
import type { Inventory, InventoryStore } from '../engine/inventory/inventory-store.js';
import { defaultInventoryNamespace } from '../engine/inventory/namespace.js';
import type { OwnerNameResolver } from '../engine/inventory/owner-name-resolver.js';
import { undeclaredEntries } from '../engine/inventory/undeclared-entries.js';
import { LiveObjects } from '../engine/live/live-objects.js';
import { deletionKey } from '../engine/object/unmanaged-contents.js';
import { inputDiagnostics } from '../engine/prepare/input-diagnostics.js';
import {
  inventoriesIn,
  type PreparedRun,
  prepareReadingRun,
  prepareRun,
  readInventories,
  readSteps,
} from '../engine/prepare/prepare-run.js';
import { undeclaredStackWarnings } from '../engine/prepare/undeclared-stacks.js';
import { isTransferredIn } from '../engine/release/is-transferred.js';
import { containersLast } from '../engine/removal/may-need.js';
import { deletionOptions, objectsToDelete } from '../engine/removal/remove-entry.js';
import type { Judgment } from '../engine/report/judgment.js';
import type { PlanEvent, PlannedField, PlannedObject, PlanSource, PlanSummary } from '../engine/report/plan-types.js';
import { prunedWarning } from '../engine/report/pruned-fields.js';
import type { RunDiagnostic } from '../engine/report/run-diagnostic.js';
import { forEachConcurrent } from '../engine/run/for-each-concurrent.js';
import { defaultConcurrency, effectiveReconcile, type RunOptions } from '../engine/run/options.js';
import type { PlanSettings, SavedPlan, StartSimulation } from '../engine/run/saved-plan.js';
import { maskedPlan } from '../engine/secrets/masked-plan.js';
import { referencedValues } from '../engine/secrets/references.js';
import {
  allTransfers,
  type FieldClaims,
  findFieldTransfers,
  leavingAmong,
  withImpliedTransfers,
} from '../engine/transfer/field-transfers.js';
import {
  type EntryRemoval,
  findOtherStacks,
  findTurnedIntoShares,
  leavingManagersAmong,
  movedFromResolver,
  type OtherStacksByEntry,
} from '../engine/transfer/other-stacks.js';
import { undeclaredOwnerDiagnostics } from '../engine/transfer/undeclared-owners.js';
import { isSecret } from '../fields/object.js';
import type { ClusterClient, ObjectAddress } from '../kubernetes/index.js';
import type { JsonObject } from '../util/json.js';
import { lazyList } from '../util/lazy-list.js';
import { type ForcedConflict, forcedByBoth } from './forced-by-both.js';
import { objectsNotRead } from './objects-not-read.js';
import { type PlanRemovalContext, planRemoval } from './plan-removal.js';
import { PlanSummaryBuilder } from './plan-summary-builder.js';
import { PlannedRows } from './planned-rows.js';
import { unboundWhenSaved } from './saved/check-cluster.js';
import { savedPlanOf } from './saved/saved-plan.js';
import { SimulatedState } from './simulation.js';
import { StepPlanner } from './step-planner.js';
import { withJudgments } from './with-judgments.js';

/** An object before and after a deploy, with the values of Secrets; each is absent if it does not exist or is not known. */
export interface PlannedStates {
  readonly before?: JsonObject | undefined;
  readonly after?: JsonObject | undefined;
  /** The uids by which a deploy of the plan recognizes its cluster; absent if there are none, or if nobody asked. */
  readonly cluster?: ClusterIdentity | undefined;
}

/** A planned object about which the admission of the server was not asked. */
export interface UnaskedObject {
  readonly planned: PlannedObject;
  readonly states: PlannedStates;
}

export interface PlannerOptions extends RunOptions {
  /** Starts the simulation, which plans by the schema; called at most once, if the server cannot or must not run a dry run. */
  readonly simulate: StartSimulation;
  /** Sends no dry runs: the simulation plans everything by the schema, on the live objects. @default false */
  readonly readOnly?: boolean;
  /** The identity keys of the objects whose existence is known; absent if that is known of all. */
  readonly known?: ReadonlySet<string>;
  /** Receives warnings about the plan as a whole. */
  readonly onWarning?: (warning: RunDiagnostic) => void;
  /** Judges each planned object by rules, on its states before and after the deploy. */
  readonly check?: (planned: PlannedObject, states: PlannedStates) => readonly Judgment[];
  /**
   * Judges the planned objects in place of `check` about which the admission of the server was not asked: those that are predicted by the schema or
   * by the inventory. Called at most once, before any object is judged, with all of them.
   */
  readonly checkUnasked?: (unasked: readonly UnaskedObject[]) => Promise<PlannerOptions['check']>;
  /** Receives the plan as it can be saved, after its summary. */
  readonly save?: (plan: SavedPlan) => Promise<void>;
  /** The plan is saved in a file, for a later run: it warns if nothing binds it to its cluster. @default false */
  readonly isForFile?: boolean;
}

/**
 * Plans a deploy of the selected stacks, object by object and field by field. Changes nothing. Values of Secrets are masked.
 *
 * @throws FieldwiseError: unknown stack (usage), no connection, no authentication, unreadable inventory.
 */
export async function plan(
  assembly: Assembly,
  cluster: ClusterClient,
  options: PlannerOptions,
  host: (event: PlanEvent) => void,
): Promise<PlanSummary> {
  const onWarning = options.onWarning ?? host;
  const reading = { ...options, isSnapshot: options.known !== undefined };
  const run = options.readOnly
    ? await prepareReadingRun(assembly, cluster, reading, onWarning)
    : prepareRun(assembly, cluster, options, onWarning);
  const { secrets } = run;
  const summary = new PlanSummaryBuilder();
  const states = new Map<string, PlannedStates>();
  const keepsStates = options.check !== undefined || options.checkUnasked !== undefined;
  const [objects, identity] = await Promise.all([
    planObjects(run, { ...options, onWarning, ...(keepsStates ? { states } : {}) }),
    options.readIdentity?.(),
  ]);
  if (options.save) for (const warning of warningsOfSaving(assembly, run, options, identity)) onWarning(warning);
  const unasked = objects.filter(isUnasked).map((planned) => ({ planned, states: statesOf(planned) }));
  const checkUnasked = unasked.length > 0 && options.checkUnasked ? await options.checkUnasked(unasked) : options.check;
  const unread = objectsNotRead(objects);
  if (unread) onWarning(unread);
  const unlisted = objects.filter(({ adopts }) => adopts?.unlisted);
  for (const warning of incompleteWarnings(unlisted)) onWarning(warning);
  for (const object of objects) {
    const masked = judged(maskedPlan(object, secrets));
    summary.add(masked);
    host(masked);
  }
  const result = summary.finish();
  host(result);
  const planned = { server: cluster.server, ...identity };
  await options.save?.(savedPlanOf(assembly, planned, settingsOf(run, options), objects, secrets));
  return result;

  function statesOf(planned: PlannedObject): PlannedStates {
    return states.get(statesKey(planned.manager, planned)) ?? {};
  }

  function judged(masked: PlannedObject): PlannedObject {
    const check = isUnasked(masked) ? checkUnasked : options.check;
    if (check === undefined) return masked;
    const known = identity && !isUnknown(identity) ? { cluster: identity } : {};
    const judgments = check(masked, { ...statesOf(masked), ...known });
    return withJudgments(
      masked,
      judgments.map((judgment) => ({ ...judgment, message: secrets.mask(judgment.message) })),
    );
  }
}

/** The actions of objects to which a deploy sends nothing that admission would see. */
const unsent: ReadonlySet<string> = new Set(['wait', 'absent', 'retain', 'blocked']);

function isUnasked({ source, action }: PlannedObject): boolean {
  return source !== 'server' && !unsent.has(action);
}

function statesKey(manager: string, object: ObjectIdentity): string {
  return `${manager} ${identityKey(object)}`;
}

/** Values of Secrets that the program refers to are read when a plan is deployed: a saved plan contains neither them nor a digest. */
function warningsOfSaving(
  assembly: Assembly,
  run: PreparedRun,
  { inventoryNamespace = defaultInventoryNamespace, isForFile }: PlannerOptions,
  identity: ClusterIdentity | undefined,
): readonly RunDiagnostic[] {
  const unbound = isForFile && identity ? unboundWhenSaved(identity, inventoryNamespace) : undefined;
  const values = referencedValues(assembly, run.stacks);
  if (values.length === 0) return unbound ? [unbound] : [];
  const others = values.length === 1 ? '' : ` and ${values.length - 1} more`;
  return [
    ...(unbound ? [unbound] : []),
    {
      event: 'warning',
      code: 'value-not-bound',
      message: `The plan is not bound to ${values[0]}${others}: a deploy of the plan reads the values again`,
      next: run.unread?.size
        ? 'The deploy needs those that the other warnings name: it sets or changes what they are about, and takes only what the plan shows.'
        : 'Give the deploy the values that this plan has read, or plan again after they change.',
    },
  ];
}

function settingsOf({ stacks }: PreparedRun, options: RunOptions): PlanSettings {
  const { deleteShared = false, deleteForeign = false, inventoryNamespace = defaultInventoryNamespace, strategy } = options;
  return { stacks: stacks.map(({ name }) => name), inventoryNamespace, deleteShared, deleteForeign, ...(strategy ? { strategy } : {}) };
}

/** An object in a stack's inventory that the program does not declare. */
interface RemovalCandidate {
  readonly stack: StackManifest;
  readonly inventory: Inventory;
  readonly key: string;
  readonly entry: InventoryEntry;
}

/** The data that is read before the first object is planned. */
interface PlanInput {
  readonly run: PreparedRun;
  readonly options: PlannerOptions & { readonly states?: Map<string, PlannedStates> };
  readonly concurrency: number;
  readonly store: InventoryStore;
  readonly steps: readonly Step[];
  /** By stack and identity key. */
  readonly known: ReadonlyMap<StackManifest, ReadonlyMap<string, InventoryEntry>>;
  readonly live: LiveObjects;
  readonly transfers: TransfersByStep & Awaited<ReturnType<typeof findFieldTransfers>>;
  readonly claims: FieldClaims;
  readonly candidates: readonly RemovalCandidate[];
  readonly entryRemovals: readonly EntryRemoval[];
  readonly otherStacks: OtherStacksByEntry;
}

/**
 * Plans with the values of Secrets, so the result must not be shown or written unmasked. Objects are in the order of the assembly; within a
 * stack, the objects that it no longer declares come last.
 */
export async function planObjects(
  run: PreparedRun,
  options: PlannerOptions & { readonly states?: Map<string, PlannedStates> },
): Promise<readonly PlannedObject[]> {
  const input = await readPlanInput(run, options);
  const { steps, known, candidates, store } = input;
  const results = new PlannedRows();
  const planned = await planSteps(input, results);
  await planRemovals(input, planned, results);
  const firstDeploys = steps.flatMap((step) => {
    const owners = results.ofChangingStep(step)?.adopts?.owners;
    return owners && known.get(step.stack)?.get(step.key)?.uid === undefined ? [{ step, owners }] : [];
  });
  const { manifest } = run.assembly;
  const leftBehind = await undeclaredOwnerDiagnostics(firstDeploys, manifest, [], store);
  const named = leftBehind.map(({ stack }) => stack);
  const undeclared = options.known === undefined ? await undeclaredStackWarnings(run.cluster, options, manifest, named) : [];
  for (const warning of [...leftBehind.map(({ warning: one }) => one), ...undeclared]) options.onWarning?.(warning);
  for (const step of steps) {
    const pruned = planned.planner.prunedFields(step);
    if (pruned.length > 0) options.onWarning?.(prunedWarning(step, pruned));
    for (const warning of planned.planner.warnings(step)) options.onWarning?.(warning);
  }
  const rows = run.stacks.flatMap((stack) => [
    ...stepsOfStack(steps, stack).map((step) => () => results.ofStep(step)),
    ...candidates
      .filter((item) => item.stack === stack)
      .map(
        ({ entry }) =>
          () =>
            results.ofRemoval(entry),
      ),
  ]);
  const objects = lazyList(rows.length, (index) => withSecretVersion((rows[index] as (typeof rows)[number])(), input.live));
  for (const warning of await guardDiagnostics(run.cluster, movedFieldsIn(objects))) options.onWarning?.(warning);
  const managers = new Set(run.assembly.manifest.stacks.flatMap(managersOf));
  for (const warning of await forcedByBoth(store, forcedConflictsIn(results, steps), managers)) options.onWarning?.(warning);
  return run.names.sawTruncated ? withNames(objects, run.names, store) : objects;
}

function withSecretVersion(object: PlannedObject, live: LiveObjects): PlannedObject {
  const resourceVersion = object.uid !== undefined && isSecret(object) ? live.secretVersion(object) : undefined;
  return resourceVersion === undefined ? object : { ...object, resourceVersion };
}

async function readPlanInput(run: PreparedRun, options: PlanInput['options']): Promise<PlanInput> {
  const { assembly, cluster, stacks, onWarning } = run;
  const { app, instance } = assembly.manifest;
  const store = inventoriesIn(cluster, options, onWarning);
  const steps = await readSteps(run, options, onWarning);
  const inventories = (await readInventories(run, store, options, onWarning)).map(({ whole }) => whole);
  const live = new LiveObjects(cluster, await addressesOf(cluster, steps, inventories));
  const concurrency = options.concurrency ?? defaultConcurrency;
  const byPolicy = await findFieldTransfers(cluster, assembly, steps, concurrency, undefined, onWarning);
  const { transfers, claims } = await withImpliedTransfers(byPolicy, steps, steps, async ({ intent }) => {
    const address = await addressIfServed(cluster, intent);
    return address && live.find(address);
  });
  const candidates = stacks.flatMap((stack, index) => {
    const inventory = inventories[index] as Inventory;
    return undeclaredEntries(inventory, stepsOfStack(steps, stack)).map(([key, entry]) => ({ stack, inventory, key, entry }));
  });
  const entryRemovals = candidates.map(({ stack, inventory, key, entry }) => {
    return { stack: inventory.stack, formerManagers: formerManagersOf(stack), key, entry };
  });
  const others = intentStepsOf(
    assembly,
    assembly.manifest.stacks.filter((stack) => !stacks.includes(stack)),
  );
  const otherStacks = await findOtherStacks(entryRemovals, { app, instance, steps, others, inventories: () => store.read() });
  const known = new Map(stacks.map((stack, index) => [stack, (inventories[index] as Inventory).entries]));
  if (options.onWarning) {
    const ofStacks = stacks.map((stack, index) => ({
      stack,
      steps: steps.filter((step) => step.stack === stack),
      inventory: inventories[index] as Inventory,
    }));
    for (const warning of await inputDiagnostics(run, ofStacks, options)) options.onWarning(run.secrets.maskWarning(warning));
  }
  return Object.freeze({ run, options, concurrency, store, steps, known, live, transfers, claims, candidates, entryRemovals, otherStacks });
}

/** The planner of the steps after it has planned them, and its context, which the planning of removals needs. */
interface PlannedSteps {
  readonly planner: StepPlanner;
  readonly dryRunContext: Pick<PlanRemovalContext, 'cluster' | 'state' | 'names' | 'isTransferred'>;
}

async function planSteps(input: PlanInput, results: PlannedRows): Promise<PlannedSteps> {
  const { run, options, steps, live, transfers, claims, entryRemovals, otherStacks } = input;
  const { app, instance } = run.assembly.manifest;
  const turned = findTurnedIntoShares(
    run.stacks.map((stack) => ({
      stack: { app, instance, stack: stack.name, manager: stack.manager },
      formerManagers: formerManagersOf(stack),
      entries: input.known.get(stack) ?? new Map(),
      steps: stepsOfStack(steps, stack),
    })),
    { app, instance },
  );
  const moving = [...entryRemovals, ...turned.parts];
  const newOwners = new Map([...otherStacks, ...turned.newOwners]);
  const keysWithNewOwner = new Set(moving.flatMap(({ entry, key }) => (newOwners.get(entry)?.newOwner ? [key] : [])));
  const movedFrom = movedFromResolver(moving, newOwners);
  const movedSteps = new Map(
    steps.filter(({ key, intent }) => keysWithNewOwner.has(key) && intent.lifecycle === 'own').map((step) => [step, movedFrom(step)]),
  );
  const dryRunContext = {
    cluster: run.cluster,
    state: new SimulatedState(run.cluster, options.simulate, run.keys),
    names: run.names,
    isTransferred: isTransferredIn(steps, allTransfers(input), entryRemovals, otherStacks),
  };
  const readOnly = options.readOnly === true;
  const { states } = options;
  const onStates = (step: Step, of: PlannedStates, source: PlanSource) => {
    if (options.check || source !== 'server') states?.set(statesKey(step.stack.manager, step.intent), of);
  };
  const planner = new StepPlanner({
    ...dryRunContext,
    steps,
    live,
    readOnly,
    known: options.known,
    transfers,
    claims,
    movedSteps,
    movedFrom,
    managersOfRun: new Set(run.stacks.flatMap(managersOf)),
    isLeavingOf: leavingAmong(steps, leavingManagersAmong(entryRemovals)),
    removedKeys: new Set(entryRemovals.map(({ key }) => key)),
    ...(states ? { onStates } : {}),
    noopProofs: await noopProofsOf(input),
    unread: run.unread,
  });
  await planPhases(input, planner, results);
  return { planner, dryRunContext };
}

/** Plans the steps, phase by phase. */
async function planPhases(input: PlanInput, planner: StepPlanner, results: PlannedRows): Promise<void> {
  const { run, steps, live, transfers, entryRemovals } = input;
  const several = repeated([...steps, ...entryRemovals].map(({ key }) => key));
  const knownOf = (step: Step) => input.known.get(step.stack)?.get(step.key);
  const planAll = (group: readonly Step[]) =>
    forEachConcurrent(group, input.concurrency, async (step) => {
      results.addStep(step, await planner.plan(step, knownOf(step)));
      const address = several.has(step.key) ? undefined : await addressIfServed(run.cluster, step.intent);
      if (address) await live.forget(address);
    });
  const waveOf = waveNumbers(steps, transfers);
  const planRefused = async () => {
    const planned = new Set<string>();
    for await (const [step, row] of planner.planRefused(waveOf, knownOf)) {
      results.addStep(step, row);
      if (step.intent.lifecycle === 'own') planned.add(step.key);
    }
    return planned;
  };
  let replanned: ReadonlySet<string> = new Set();
  for (const group of phasesOf(steps, input)) {
    await planAll(group);
    replanned = await planRefused();
  }
  // A share may have been planned as if its object were not created.
  await planAll(steps.filter(({ key, intent }) => intent.lifecycle === 'share' && several.has(key) && replanned.has(key)));
}

/** Returns the function that gives the wave in which a deploy sends a step; where steps wait for each other, all have the same. */
function waveNumbers(steps: readonly Step[], transfers: TransfersByStep): (step: Step) => number {
  let numbers: ReadonlyMap<Step, number> | undefined;
  return (step) => {
    numbers ??= new Map((wavesUnlessCyclic(steps, transfers) ?? []).flatMap((wave, number) => wave.map((each) => [each, number] as const)));
    return numbers.get(step) ?? 0;
  };
}

/** Returns the proofs by which a deploy with the same `reconcile` would leave out intents; undefined if it would send all. */
async function noopProofsOf({ run, options, steps, known, concurrency }: PlanInput): Promise<NoopProofs | undefined> {
  const mode = effectiveReconcile(options.reconcile, steps.length);
  if (mode === 'full' || options.readOnly) return undefined;
  const { cluster } = run;
  const candidates = steps.map((step) => ({ step, known: known.get(step.stack)?.get(step.key) }));
  const admission = admissionLookOf(cluster, candidates, mode);
  if (mode === 'auto' && admission === undefined) return undefined;
  return NoopProofs.read(cluster, candidates, { schemaFingerprints: new SchemaFingerprints(cluster), admission, concurrency });
}

function repeated(keys: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(keys.filter((key) => seen.size === seen.add(key).size));
}

async function planRemovals(input: PlanInput, { planner, dryRunContext }: PlannedSteps, results: PlannedRows): Promise<void> {
  const { run, options, candidates, otherStacks, live } = input;
  const readOnly = options.readOnly === true;
  const toDelete = objectsToDelete(candidates, otherStacks);
  const removedVersions = new RemovedVersions(run.cluster);
  const planCandidate = async ({ stack, inventory, key, entry }: RemovalCandidate) => {
    const besides = await planner.objectBeforeRemoval(stack, key);
    const removal = {
      ...deletionOptions(options, toDelete),
      formerManagers: formerManagersOf(stack),
      otherStacks: otherStacks.get(entry),
    };
    const planned = await planRemoval(
      {
        ...dryRunContext,
        removedVersions,
        isSnapshot: options.known !== undefined,
        ...(besides ? { live: { find: async () => besides }, readOnly: true } : { live, readOnly }),
      },
      inventory.stack,
      entry,
      removal,
    );
    if (options.states && (options.check || planned.source !== 'server')) {
      const address = await addressIfServed(run.cluster, entry);
      options.states.set(statesKey(planned.manager, entry), { before: address && (await live.find(address)) });
    }
    if (planned.action !== 'delete') toDelete.delete(deletionKey(entry.uid, entry));
    results.addRemoval(entry, planned);
  };
  for (const group of containersLast(candidates)) await forEachConcurrent(group, input.concurrency, planCandidate);
}

/** Returns the fields that stacks get by a rename, a transfer, a first deploy or by force; a guard under a former name is that of another stack. */
function movedFieldsIn(objects: readonly PlannedObject[]): readonly MovedFields[] {
  return objects.flatMap((object) => {
    const moves = [object.adopts, object.renamedFrom, object.transferred, object.movedFrom].some((move) => move !== undefined);
    const fields = object.fields.filter(({ change, gained }) => moves || gained || change === 'force' || change === 'conflict');
    const isChanged = ({ change }: PlannedField) => change !== 'same' && change !== 'co-own' && change !== 'yield';
    const moved = [...new Set([...fields.map(({ field }) => field), ...(object.transferred?.fields ?? [])])];
    if (moved.length === 0) return [];
    return [{ object, manager: object.manager, fields: moved, changed: fields.filter(isChanged).map(({ field }) => field) }];
  });
}

/** Returns the fields that a deploy would take from other appliers. */
function forcedConflictsIn(results: PlannedRows, steps: readonly Step[]): readonly ForcedConflict[] {
  return steps.flatMap((step) => {
    const row = results.ofChangingStep(step);
    if (row === undefined) return [];
    const { object, stack, manager } = row;
    return row.fields.flatMap(({ field, change, owners = [] }) =>
      change === 'force'
        ? owners.flatMap(({ manager: from, operation }) =>
            operation === 'Apply' ? [{ object, key: step.key, field, from, stack, manager }] : [],
          )
        : [],
    );
  });
}

/** The phases of planning: a step may depend on the results of the phases before its own. */
const phase = {
  /** Namespaces and CustomResourceDefinitions: the plans of the objects in them depend on them. */
  containers: 0,
  /** Steps to which fields are transferred, and others of objects of which stacks claim fields: in the order of a deploy. */
  transfers: 1,
  /** Other objects that a stack owns: a share of one needs it. */
  owned: 2,
  shared: 3,
} as const;

/** Groups steps into phases, in their order. @throws FieldwiseError `dependency-cycle` where transfers make steps wait for each other. */
function phasesOf(steps: readonly Step[], { transfers, claims }: Pick<PlanInput, 'transfers' | 'claims'>): readonly (readonly Step[])[] {
  const claimed = new Set([...claims.keys()].map(({ key }) => key));
  const rank = (step: Step) => {
    if (transfers.has(step) || claimed.has(step.key)) return phase.transfers;
    const { intent } = step;
    if (isCrd(intent) || intent.kind === 'Namespace') return phase.containers;
    return intent.lifecycle === 'own' ? phase.owned : phase.shared;
  };
  return Object.values(phase).flatMap((wanted) => {
    const group = steps.filter((step) => rank(step) === wanted);
    if (wanted !== phase.transfers || group.length === 0) return [group];
    const chosen = new Set(group);
    return wavesOf(steps, transfers).flatMap((wave) => wave.filter((step) => chosen.has(step)).map((step) => [step]));
  });
}

function stepsOfStack(steps: readonly Step[], stack: StackManifest): readonly Step[] {
  return steps.filter((step) => step.stack === stack);
}

/** Returns the addresses of the objects whose kinds the server serves. */
async function addressesOf(
  cluster: ClusterClient,
  steps: readonly Step[],
  inventories: readonly Inventory[],
): Promise<readonly ObjectAddress[]> {
  const objects = new Map<string, ObjectIdentity>([
    ...inventories.flatMap(({ entries }) => [...entries]),
    ...steps.map((step) => [step.key, step.intent] as const),
  ]);
  const addresses = await Promise.all([...objects.values()].map((object) => addressIfServed(cluster, object)));
  return addresses.filter((address) => address !== undefined);
}

/** Resolves stack names by the inventories, because a long manager name is truncated and does not contain the whole stack name. */
async function withNames(
  objects: readonly PlannedObject[],
  names: OwnerNameResolver,
  store: InventoryStore,
): Promise<readonly PlannedObject[]> {
  names.addStacks((await store.read()).map(({ stack }) => stack));
  return objects.map((object) => ({
    ...object,
    fields: object.fields.map((field) => ({
      ...field,
      ...(field.owners ? { owners: field.owners.map((owner) => names.resolve(owner)) } : {}),
      ...(field.collateral
        ? { collateral: field.collateral.map((lost) => ({ ...lost, owners: lost.owners.map((owner) => names.resolve(owner)) })) }
        : {}),
    })),
    ...(object.adopts ? { adopts: { ...object.adopts, owners: object.adopts.owners.map((owner) => names.resolve(owner)) } } : {}),
  }));
}
