import type { Assembly } from '../assembly/index.js';
import { readAssembly } from '../assembly/index.js';
import {
  deploy as deployAssembly,
  destroy as destroyStacks,
  type EventHost,
  type ListedStack,
  listStacks as listInventories,
  type PlannedObject,
  type PlanSummary,
  plan as planAssembly,
  ReportCollector,
  type RunReport,
  type RunSummary,
  type UndoneField,
  undoForcedConflicts as undo,
} from '../deploy/index.js';
import { clusterIdentityReader } from '../engine/inventory/cluster-identity.js';
import { type Cluster, clientOf } from '../kubernetes/cluster.js';
import type { ClusterClient } from '../kubernetes/index.js';
import { withIntegersAsText } from '../util/integers-as-text.js';
import { invalidArgument } from '../util/invalid-argument.js';
import { checkOptions, checkWriteOptions } from './check-options.js';
import { EventListener } from './event-listener.js';
import type { DeployOptions, DestroyOptions, ListStacksOptions, PlanOptions, UndoOptions, WriteOptions } from './verb-options.js';

export type { Assembly, Manifest } from '../assembly/index.js';
export type { Strategy } from '../assembly/policy-vocabulary.js';
export type {
  ChangedField,
  ChangedFirst,
  Contention,
  DeployEvent,
  FieldChange,
  FieldConflict,
  FieldOwner,
  Judgment,
  ListedStack,
  NotJudged,
  ObjectReport,
  Outcome,
  OverwrittenField,
  PlanEvent,
  PlannedAction,
  PlannedCollateralField,
  PlannedField,
  PlannedObject,
  PlanSource,
  PlanSummary,
  Question,
  Readiness,
  ReadinessProgress,
  ReadinessState,
  Reconcile,
  ReferenceSources,
  ReleasedField,
  ReportedError,
  Retrying,
  RewrittenField,
  RunDiagnostic,
  RunRefused,
  RunReport,
  RunStarted,
  RunSummary,
  SensitiveChange,
  SettledReadiness,
  UndoneField,
  Waiting,
  WaitingForLock,
  YieldedField,
} from '../deploy/index.js';
export type { Cluster, ClusterApplyOptions } from '../kubernetes/cluster.js';
export { ApiError } from '../kubernetes/index.js';
export { FieldwiseError } from '../util/error.js';
export type * from '../util/platform-types.js';
export { type ConnectOptions, connect, type KubeConfigObject } from './connect.js';
export { CallbackError } from './event-listener.js';
export type {
  CommonOptions,
  DeployOptions,
  DestroyOptions,
  ListStacksOptions,
  PlanOptions,
  UndoOptions,
  WriteOptions,
} from './verb-options.js';
export { readAssembly };

/** The result of `plan`. */
export interface Plan {
  /** One for each object of the selected stacks, in the order in which they were planned. */
  readonly objects: readonly PlannedObject[];
  /** Counts over all objects. */
  readonly summary: PlanSummary;
}

/**
 * Predicts the effect of a deploy, object by object and field by field. Changes nothing.
 *
 * @example
 * ```ts
 * const { objects, summary } = await plan('dist', cluster, { stacks: ['shop'] });
 * if (summary.differs) console.log(objects.filter(({ action }) => action !== 'unchanged'));
 * ```
 *
 * @param assembly a directory that `synth` wrote, or the result of `readAssembly`.
 * @throws FieldwiseError `option-invalid`, `cluster-closed`, `assembly-invalid`, `stack-unknown`, `reference-missing`, `rule-failed`; after the
 *   plan `callback-failed` if `onEvent` threw; if the connection or authentication fails; if an
 *   inventory cannot be read.
 */
export async function plan(assembly: Assembly | string, cluster: Cluster, options: PlanOptions = {}): Promise<Plan> {
  checkOptions(options);
  const { onEvent, rules, ...others } = options;
  const check = rules && (await import('../rules/index.js')).changeChecker(rules);
  const objects: PlannedObject[] = [];
  const listener = new EventListener(onEvent);
  const client = clientOf(cluster);
  const simulate = async (version: string) =>
    (await import('./simulation.js')).startSimulation(client.defaultNamespace, version, client.machine);
  const judged = check ? { check, readIdentity: clusterIdentityReader(client, others.inventoryNamespace) } : {};
  const summary = await planAssembly(await assemblyOf(assembly), client, { ...others, simulate, ...judged }, (event) => {
    const publicEvent = withIntegersAsText(event);
    if (publicEvent.event === 'plan') objects.push(publicEvent);
    listener.pass(publicEvent);
  });
  listener.requireNoError();
  return { objects, summary };
}

/**
 * Applies the stacks of an assembly and waits until their objects are ready. The report contains the failures of objects, which do not
 * reject the promise; `summary.ok` of the report is false then.
 *
 * @example
 * ```ts
 * const { summary, objects } = await deploy('dist', cluster, { yes: true });
 * if (!summary.ok) console.error(objects.filter(({ error }) => error));
 * process.exitCode = summary.exitCode;
 * ```
 *
 * @param assembly a directory that `synth` wrote, or the result of `readAssembly`.
 * @throws FieldwiseError before anything is changed: `option-invalid`, `cluster-closed`, `assembly-invalid`, `stack-unknown`, `dependency-cycle`,
 *   `reference-missing`, `confirmation-needed`, and `callback-failed` if `confirm` throws; CallbackError after the run if `onEvent` threw.
 */
export async function deploy(assembly: Assembly | string, cluster: Cluster, options: DeployOptions = {}): Promise<RunReport> {
  checkWriteOptions(options);
  const { onEvent, ...others } = options;
  const client = clientOf(cluster);
  const read = await assemblyOf(assembly);
  return reportOf(client, onEvent, { ...read.manifest, server: cluster.server }, (host) => deployAssembly(read, client, others, host));
}

/**
 * Destroys the stacks of an assembly, or those named in the options: deletes the objects that they own, releases the fields that they
 * share.
 *
 * @example
 * ```ts
 * const { summary } = await destroy('dist', cluster, { confirm: async ({ text }) => askTheUser(text) });
 * ```
 *
 * @param assembly a directory that `synth` wrote, or the result of `readAssembly`.
 * @throws FieldwiseError before anything is changed: `option-invalid`, `cluster-closed`, `assembly-invalid`, `stack-unknown`,
 *   `confirmation-needed`, and `callback-failed` if `confirm` throws; CallbackError after the run if `onEvent` threw.
 */
export async function destroy(assembly: Assembly | string, cluster: Cluster, options: DestroyOptions = {}): Promise<RunReport> {
  checkWriteOptions(options);
  const { onEvent, ...others } = options;
  const client = clientOf(cluster);
  const { manifest } = await assemblyOf(assembly);
  return reportOf(client, onEvent, { ...manifest, server: cluster.server }, (host) => destroyStacks(manifest, client, others, host));
}

/**
 * Returns the stacks that have an inventory in the cluster, whichever program declares them.
 *
 * @throws FieldwiseError `option-invalid`, `cluster-closed`; ApiError, FieldwiseError if the inventories cannot be read.
 */
export async function listStacks(cluster: Cluster, options: ListStacksOptions = {}): Promise<readonly ListedStack[]> {
  checkOptions(options);
  return listInventories(clientOf(cluster), options.inventoryNamespace);
}

/**
 * Undoes the forced conflicts of a deploy: writes each old value under the name of the previous owner, which then owns the field again (by
 * an Update; its next apply adds an Apply entry).
 *
 * A field is not undone, with a reason, if the object was replaced since, if the field no longer has the value that the deploy set, if it
 * belongs to a Secret or was owned through a subresource (such as replicas that `kubectl scale` set), or if its whole list item was
 * removed. Values without an owner (`overwritten`) stay as they are. The next deploy forces the fields again, unless their policy is
 * `yield` by then or the program no longer declares them.
 *
 * @param report the result of `deploy`.
 * @throws FieldwiseError `option-invalid`, `cluster-closed`; ApiError, FieldwiseError if the server rejects a request or cannot be reached.
 */
export async function undoForcedConflicts(report: RunReport, cluster: Cluster, options: UndoOptions = {}): Promise<readonly UndoneField[]> {
  checkWriteOptions(options);
  if (!Array.isArray((report as Partial<RunReport> | undefined)?.objects)) {
    throw invalidArgument(
      'The argument `report`',
      report,
      'the result of `deploy`, or the content of the file that `--output-file report=FILE` wrote',
    );
  }
  return undo(report, clientOf(cluster).withContext({ signal: options.signal }));
}

/** Runs a verb, passes its events to `onEvent`, and returns its report. */
async function reportOf(
  { machine }: ClusterClient,
  onEvent: WriteOptions['onEvent'],
  of: Parameters<ReportCollector['finish']>[1],
  run: (host: EventHost) => Promise<RunSummary>,
): Promise<RunReport> {
  const collector = new ReportCollector(machine);
  const listener = new EventListener(onEvent);
  const summary = await run(collector.tee((event) => listener.pass(withIntegersAsText(event))));
  const report = collector.finish(summary, of);
  listener.requireNoError(report);
  return report;
}

async function assemblyOf(assembly: Assembly | string): Promise<Assembly> {
  if (typeof assembly === 'string') return readAssembly(assembly);
  const { manifest, objects }: Partial<Assembly> = assembly ?? {};
  if (Array.isArray(manifest?.stacks) && Array.isArray(objects)) return assembly;
  throw invalidArgument('The argument `assembly`', assembly, 'a directory that `synth` wrote, or the result of `readAssembly`');
}
