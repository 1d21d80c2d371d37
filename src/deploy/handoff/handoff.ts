import { objectText } from '../../assembly/identity.js';
import type { Assembly, StackManifest } from '../../assembly/types.js';
import type { Step } from '../../engine/graph/waves.js';
import type { InventoryStore, StackIdentity } from '../../engine/inventory/inventory-store.js';
import type { EventHost, RunSummary } from '../../engine/report/events.js';
import { explain } from '../../engine/report/explain.js';
import { type ReportedError, warnOnce } from '../../engine/report/run-diagnostic.js';
import type { RunOptions } from '../../engine/run/options.js';
import { inventoriesIn, prepareRun, readSteps, stackIdentityOf } from '../../engine/run/prepare-run.js';
import { beginSession, withRetryEvents } from '../../engine/run/session.js';
import { selectStacks } from '../../engine/target/select-stacks.js';
import { type HandoffSelection, selectionOf } from '../../engine/transfer/handoff-selection.js';
import {
  declaredByPreviousOwner,
  releaseOwnership,
  releaseTrackingAnnotation,
  requireEqualValues,
} from '../../engine/transfer/release-ownership.js';
import { transferLifecycle } from '../../engine/transfer/transfer-lifecycle.js';
import { formatPath, membersOf, valueAt } from '../../fields/index.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { applyEntryOf } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import { deploy } from '../deploy/deploy.js';
import { type PreviousOwner, previousOwnerOf } from './previous-owner.js';

export interface HandoffOptions extends Omit<RunOptions, 'stacks' | 'plan' | 'pruneStacks' | 'wait'> {
  /** Name of a stack, or `manager:NAME`. */
  readonly from: string;
  /** Name of a stack of the assembly. */
  readonly to: string;
  /** Objects (`Kind/name`) and paths (`.spec.replicas`); empty for all that the receiver declares. */
  readonly limits: readonly string[];
}

/** What was handed over of one object. */
export interface HandoffResult {
  readonly object: string;
  readonly from: string;
  readonly to: string;
  /** What the giver does not own any more; empty where it owned none of it. */
  readonly fields: readonly string[];
  /** What of it the program still declares in the giver's stack. */
  readonly stillDeclared: readonly string[];
  /** The object itself is the receiver's to delete now: the giver had the right to, and has nothing left of it. */
  readonly lifecycleTransferred?: true;
  readonly error?: ReportedError;
}

export interface HandoffOutcome {
  /** Of the receiver's deploy. Where it is not ok nothing was handed over. */
  readonly deployed: RunSummary;
  readonly objects: readonly HandoffResult[];
}

/**
 * Hands fields over without a moment in which nobody owns them: the receiver's stack is deployed and so owns equal values together with
 * the giver; where the server's managedFields prove it, the giver's part ends. Run again after an interrupt it does what is left.
 *
 * @throws FieldwiseError `handoff-to-itself`, `handoff-value-differs`, `handoff-not-declared`, `stack-unknown`, before anything is changed; those of `deploy`.
 */
export async function handoff(
  assembly: Assembly,
  cluster: ClusterClient,
  options: HandoffOptions,
  host: EventHost,
): Promise<HandoffOutcome> {
  const { from, to, limits, ...run } = options;
  const [newOwner] = selectStacks(assembly, [to]) as readonly [StackManifest];
  const watched = withRetryEvents(cluster, host);
  const store = inventoriesIn(watched, options, warnOnce(host));
  const previousOwner = await previousOwnerOf(from, assembly, store);
  if (previousOwner.manager === newOwner.manager) throw handoffToItselfError(newOwner);
  const prepared = prepareRun(assembly, watched, { ...run, stacks: [to] });
  const selection = selectionOf(await readSteps(prepared, options), limits);
  for (const step of selection.steps) await requireEqualValues(watched, step, previousOwner.manager);
  const deployed = await deploy(assembly, cluster, { ...run, stacks: [to], wait: false }, host);
  if (!deployed.ok) return { deployed, objects: [] };
  const identity = stackIdentityOf(assembly, newOwner);
  const session = await beginSession(cluster, previousOwner.stack ? [identity, previousOwner.stack] : [identity], run, host);
  try {
    const records = inventoriesIn(session.records, options);
    const context = { assembly, cluster: session.cluster, records, identity, previousOwner, selection };
    const objects: HandoffResult[] = [];
    for (const step of selection.steps) objects.push(await transferObject(context, step));
    return { deployed, objects };
  } finally {
    await session.end();
  }
}

interface HandoffContext {
  readonly assembly: Assembly;
  readonly cluster: ClusterClient;
  readonly records: InventoryStore;
  readonly identity: StackIdentity;
  readonly previousOwner: PreviousOwner;
  readonly selection: HandoffSelection;
}

async function transferObject(context: HandoffContext, step: Step): Promise<HandoffResult> {
  const { assembly, cluster, previousOwner, selection } = context;
  const { manager } = step.stack;
  const summary = { object: objectText(step.intent), from: previousOwner.manager, to: manager };
  try {
    const { fields: releasedFields, object: left } = await releaseOwnership(cluster, step, previousOwner.manager, selection);
    const object = selection.isWhole ? await releaseTrackingAnnotation(cluster, step, previousOwner.manager, left) : left;
    const hasLeft =
      object !== undefined && applyEntryOf(object, previousOwner.manager) === undefined && applyEntryOf(object, manager) !== undefined;
    const lifecycleTransferred =
      hasLeft &&
      previousOwner.stack !== undefined &&
      (await transferLifecycle(context.records, step, previousOwner.stack, context.identity));
    const fields = membersOf(releasedFields)
      .filter(({ leaf }) => leaf)
      .map(({ path }) => path);
    const declared = declaredByPreviousOwner(assembly, previousOwner.manager, step)?.object;
    return {
      ...summary,
      fields: fields.map(formatPath),
      stillDeclared: fields.filter((path) => valueAt(declared, path) !== undefined).map(formatPath),
      ...(lifecycleTransferred ? { lifecycleTransferred } : {}),
    };
  } catch (error) {
    return { ...summary, fields: [], stillDeclared: [], error: explain(error) };
  }
}

/** The part that would end is the one that was to get it. */
function handoffToItselfError({ name, manager }: StackManifest): FieldwiseError {
  return new FieldwiseError('handoff-to-itself', 'usage', `Stack ${name} cannot hand fields over to itself`, {
    location: { manager },
    next: 'Name the stack that is to get the fields with --to.',
  });
}
