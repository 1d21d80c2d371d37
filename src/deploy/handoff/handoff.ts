import { objectText } from '../../assembly/identity.js';
import { trackingKey } from '../../assembly/tracking-key.js';
import type { Assembly, StackManifest } from '../../assembly/types.js';
import type { Step } from '../../engine/graph/waves.js';
import { guardDiagnostics, type MovedFields } from '../../engine/guards/guard-diagnostics.js';
import type { InventoryStore, StackIdentity } from '../../engine/inventory/inventory-store.js';
import type { EventHost, RunSummary } from '../../engine/report/events.js';
import { explain } from '../../engine/report/explain.js';
import { type ReportedError, warnOnce } from '../../engine/report/run-diagnostic.js';
import type { RunOptions } from '../../engine/run/options.js';
import { inventoriesIn, prepareRun, readSteps, stackIdentityOf } from '../../engine/run/prepare-run.js';
import { beginSession, withRetryEvents } from '../../engine/run/session.js';
import { addressIfServed } from '../../engine/target/address.js';
import { selectStacks } from '../../engine/target/select-stacks.js';
import { declaredIn } from '../../engine/transfer/declared-in.js';
import { refuseUpdater } from '../../engine/transfer/fields-of-updater.js';
import { type HandoffSelection, selectionOf } from '../../engine/transfer/handoff-selection.js';
import {
  declaredByPreviousOwner,
  releaseOwnership,
  releaseTrackingAnnotation,
  requireEqualValues,
} from '../../engine/transfer/release-ownership.js';
import { transferLifecycle } from '../../engine/transfer/transfer-lifecycle.js';
import { type FieldPath, formatPath, isEmpty, membersOf, valueAt } from '../../fields/index.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { applyEntryOf } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import { deploy } from '../deploy/deploy.js';
import { type PreviousOwner, previousOwnerOf } from './previous-owner.js';
import { refuseOtherChanges } from './refuse-other-changes.js';

export interface HandoffOptions extends Omit<RunOptions, 'stacks' | 'plan' | 'pruneStacks' | 'wait'> {
  /** The previous owner: the name of a stack, or `manager:NAME`. */
  readonly from: string;
  /** The new owner: the name of a stack of the assembly. */
  readonly to: string;
  /** Objects (`Kind/name`) and paths (`.spec.replicas`) to hand off; empty for all fields that the new owner declares. */
  readonly limits: readonly string[];
}

/** The handoff of one object. */
export interface HandoffResult {
  readonly object: string;
  readonly from: string;
  readonly to: string;
  /** The fields that the previous owner no longer owns; empty if it owned none of them. */
  readonly fields: readonly string[];
  /** Those of `fields` that the program still declares in the previous owner's stack. */
  readonly stillDeclared: readonly string[];
  /** Present if the right to delete the object moved to the new owner: the previous owner had it, and owns no more fields of the object. */
  readonly lifecycleTransferred?: true;
  readonly error?: ReportedError;
}

export interface HandoffOutcome {
  /** The summary of the new owner's deploy. If it is not ok, nothing was handed off. */
  readonly deployed: RunSummary;
  readonly objects: readonly HandoffResult[];
}

/**
 * Hands fields off so that they have an owner at every moment: deploys the new owner's intents of the selected objects of which the previous
 * owner has a selected field, and no others; the new owner becomes a co-owner of equal values. Then it ends the previous owner's ownership of
 * each selected field that managedFields proves to be co-owned. It changes no value, and takes no field. To finish an interrupted handoff, run
 * it again.
 *
 * @throws FieldwiseError `handoff-to-itself`, `handoff-before-rename`, `handoff-from-updater`, `handoff-value-differs`, `handoff-changes-values`,
 *   `handoff-not-declared`, `stack-unknown`, before anything is changed, and the errors of `deploy`.
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
  const concerned = new Map<Step, JsonObject>();
  for (const step of selection.steps) {
    const address = await addressIfServed(watched, step.intent);
    const live = address && (await watched.tryGet(address));
    refuseUpdater(live, previousOwner.manager, step, selection);
    if (live === undefined || !isConcerned(live, previousOwner.manager, step, selection)) continue;
    await requireEqualValues(watched, step, previousOwner.manager);
    await refuseOtherChanges(watched, step, live);
    concerned.set(step, live);
  }
  await reportGuards(watched, previousOwner.manager, concerned, selection, host);
  const targets = new Map([[to, new Set([...concerned.keys()].map(({ index }) => index))]]);
  const deployed = await deploy(assembly, cluster, { ...run, stacks: [to], targets, forces: false, wait: false }, host);
  if (!deployed.ok) return { deployed, objects: [] };
  const identity = stackIdentityOf(assembly, newOwner);
  const session = await beginSession(cluster, previousOwner.stack ? [identity, previousOwner.stack] : [identity], run, host);
  try {
    const context = { assembly, cluster: session.cluster, records: session.inventories, identity, previousOwner, selection };
    const objects: HandoffResult[] = [];
    for (const step of selection.steps) objects.push(await transferObject(context, step));
    return { deployed, objects };
  } finally {
    await session.end();
  }
}

/**
 * Returns true if an applier owns a selected field that an intent declares, or, where whole objects are handed off, nothing but the mark of an
 * object without fields.
 */
function isConcerned(live: JsonObject, manager: string, step: Step, { select, isWhole }: HandoffSelection): boolean {
  const entry = applyEntryOf(live, manager);
  if (entry === undefined) return false;
  if (!isEmpty(declaredIn(select(entry.fields), step))) return true;
  const mark = trackingKey(manager);
  const isMark = (last: FieldPath[number] | undefined) => last?.kind === 'field' && last.name === mark;
  return isWhole && membersOf(entry.fields).every(({ path, leaf }) => !leaf || isMark(path.at(-1)));
}

/** Warns of guards that keep the fields from this user once their new owner changes them; the handoff itself changes no value. */
async function reportGuards(
  cluster: ClusterClient,
  from: string,
  concerned: ReadonlyMap<Step, JsonObject>,
  { select }: HandoffSelection,
  host: EventHost,
): Promise<void> {
  const moved: MovedFields[] = [];
  for (const [{ intent, object, stack }, live] of concerned) {
    const entry = applyEntryOf(live, from);
    const paths = entry === undefined ? [] : membersOf(select(entry.fields)).flatMap(({ path, leaf }) => (leaf ? [path] : []));
    const fields = paths.filter((path) => valueAt(object, path) !== undefined).map(formatPath);
    moved.push({ object: intent, manager: stack.manager, fields, changed: [] });
  }
  for (const warning of await guardDiagnostics(cluster, moved)) host(warning);
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
    const { fields: releasedFields, object: released } = await releaseOwnership(cluster, step, previousOwner.manager, selection);
    const object = selection.isWhole ? await releaseTrackingAnnotation(cluster, step, previousOwner.manager, released) : released;
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

/** Returns the error for a handoff whose previous and new owner are the same. */
function handoffToItselfError({ name, manager }: StackManifest): FieldwiseError {
  return new FieldwiseError('handoff-to-itself', 'usage', `Stack ${name} cannot hand fields off to itself`, {
    location: { manager },
    next: 'Name the stack that is to own the fields with --to.',
  });
}
