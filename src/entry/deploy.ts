import type { Assembly } from '../assembly/index.js';
import { readAssembly } from '../assembly/index.js';
import {
  type DeployEvent,
  deploy as deployAssembly,
  destroy as destroyStacks,
  type PlanEvent,
  type PlannedObject,
  type PlanSummary,
  plan as planAssembly,
  ReportCollector,
  type RunOptions,
  type RunReport,
} from '../deploy/index.js';
import type { Cluster } from '../kubernetes/index.js';
import { withIntegersAsText } from '../util/integers-as-text.js';

export type { Assembly, Manifest } from '../assembly/index.js';
export type {
  DeployEvent,
  FieldChange,
  FieldConflict,
  FieldOwner,
  ListedStack,
  ObjectReport,
  Outcome,
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
  ReportedError,
  Retrying,
  RunDiagnostic,
  RunOptions,
  RunReport,
  RunStarted,
  RunSummary,
  SettledReadiness,
  UndoneField,
  Waiting,
  WaitingForLock,
} from '../deploy/index.js';
export { listStacks, undoForcedConflicts } from '../deploy/index.js';
export type { Cluster } from '../kubernetes/index.js';
export { ApiError } from '../kubernetes/index.js';
export { type ErrorCode, FieldwiseError } from '../util/error.js';
export type * from '../util/platform-types.js';
export { type ConnectOptions, connect } from './connect.js';
export { readAssembly };

/** The options of a deploy or destroy, with its events. */
export interface DeployOptions extends RunOptions {
  /** Receives each event as it happens. */
  readonly onEvent?: (event: DeployEvent) => void;
}

/** The options of a plan. */
export interface PlanOptions
  extends Omit<RunOptions, 'confirm' | 'signal' | 'wait' | 'waitSeconds' | 'lockTimeoutSeconds' | 'leaseDurationSeconds'> {
  /**
   * Sends only reads, and predicts every change from the schema.
   *
   * @default false
   */
  readonly readOnly?: boolean;
  /** Receives each object as it is planned, and the summary last. */
  readonly onEvent?: (event: PlanEvent) => void;
}

/** A plan as a whole. */
export interface Plan {
  readonly objects: readonly PlannedObject[];
  readonly summary: PlanSummary;
}

/**
 * What a deploy would do, object by object and field by field. Changes nothing.
 *
 * @param assembly a directory that `synth` wrote, or one read from it.
 * @throws FieldwiseError `assembly-invalid`, `stack-unknown`; without connection or authentication; where an inventory cannot be read.
 */
export async function plan(assembly: Assembly | string, cluster: Cluster, options: PlanOptions = {}): Promise<Plan> {
  const { onEvent, ...others } = options;
  const objects: PlannedObject[] = [];
  const simulate = async (version: string) => (await import('./simulation.js')).startSimulation(cluster.defaultNamespace, version);
  const summary = await planAssembly(await assemblyOf(assembly), cluster, { ...others, simulate }, (event) => {
    const publicEvent = withIntegersAsText(event);
    if (publicEvent.event === 'plan') objects.push(publicEvent);
    onEvent?.(publicEvent);
  });
  return { objects, summary };
}

/**
 * Brings the stacks of an assembly into the cluster and waits until they are ready. What goes wrong with objects ends in the report, not
 * in an error.
 *
 * @param assembly a directory that `synth` wrote, or one read from it.
 * @throws FieldwiseError before anything is changed: `assembly-invalid`, `stack-unknown`, `dependency-cycle`, `confirmation-needed`.
 */
export async function deploy(assembly: Assembly | string, cluster: Cluster, options: DeployOptions = {}): Promise<RunReport> {
  const { onEvent = () => {}, ...others } = options;
  const read = await assemblyOf(assembly);
  const collector = new ReportCollector();
  const summary = await deployAssembly(
    read,
    cluster,
    others,
    collector.tee((event) => onEvent(withIntegersAsText(event))),
  );
  return collector.finish(summary, { ...read.manifest, server: cluster.server });
}

/**
 * Undoes the stacks of an assembly, or those named in the options: deletes what they own, releases what they share.
 *
 * @param assembly a directory that `synth` wrote, or one read from it.
 * @throws FieldwiseError before anything is changed: `assembly-invalid`, `stack-unknown`, `confirmation-needed`.
 */
export async function destroy(assembly: Assembly | string, cluster: Cluster, options: DeployOptions = {}): Promise<RunReport> {
  const { onEvent = () => {}, ...others } = options;
  const { manifest } = await assemblyOf(assembly);
  const collector = new ReportCollector();
  const summary = await destroyStacks(
    manifest,
    cluster,
    others,
    collector.tee((event) => onEvent(withIntegersAsText(event))),
  );
  return collector.finish(summary, { ...manifest, server: cluster.server });
}

async function assemblyOf(assembly: Assembly | string): Promise<Assembly> {
  return typeof assembly === 'string' ? readAssembly(assembly) : assembly;
}
