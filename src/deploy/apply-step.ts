import type { PartialObject } from '../assembly/types.js';
import { ApiError, type Cluster, type ObjectAddress } from '../cluster/index.js';
import { applyEntryOf, managedFieldsOf, ownerText } from '../ownership/index.js';
import { FieldwiseError } from '../util/error.js';
import type { JsonObject } from '../util/json.js';
import { addressOf } from './address.js';
import { type Applied, applyIntent, type Conflicted } from './apply-intent.js';
import { createdBy } from './created-by.js';
import { isCrd, waitEstablished } from './established.js';
import type { ObjectReport, ObjectResult, Waiting } from './events.js';
import type { InventoryEntry } from './inventory/entry.js';
import { findShareTarget } from './share-target.js';
import type { Step } from './waves.js';

export interface StepContext {
  readonly cluster: Cluster;
  readonly signal: AbortSignal | undefined;
  /** What the inventory knew before this run; pending where it has no uid. */
  readonly known: InventoryEntry | undefined;
  readonly onWait: (event: Omit<Waiting, 'event' | 'stack' | 'object'>) => void;
  /** Called as soon as the server has accepted the intent, with what the inventory is to remember. */
  readonly onApplied: (entry: InventoryEntry) => void;
}

/** What became of an intent. */
export type StepOutcome = Partial<ObjectReport> & Pick<ObjectReport, 'result'>;

/** What was known of an object before our apply. */
interface Before {
  readonly uid: string;
  readonly resourceVersion: string | undefined;
  readonly appliedAt: string | undefined;
}

const establishSeconds = 60;

/** Applies one intent by its lifecycle and says what became of it. Throws what the server refuses. */
export async function applyStep(step: Step, context: StepContext): Promise<StepOutcome> {
  const address = await addressOf(context.cluster, step.intent);
  const outcome = step.intent.lifecycle === 'own' ? await own(step, address, context) : await share(step, address, context);
  if (isCrd(step.intent) && outcome.result !== 'conflict') {
    context.onWait({ for: 'established', seconds: establishSeconds });
    await waitEstablished(context.cluster, address, step.object, { seconds: establishSeconds, signal: context.signal });
  }
  return outcome;
}

async function own(step: Step, address: ObjectAddress, context: StepContext): Promise<StepOutcome> {
  const { known } = context;
  const pending = known !== undefined && known.uid === undefined;
  const left = pending ? await context.cluster.find(address) : undefined; // what a killed run may have created
  const ours = left !== undefined && createdBy(left, step.stack.manager);
  const before = left ? beforeOf(left, step.stack.manager) : knownBefore(known);
  const applied = await applyIntent(context.cluster, taskOf(step, address));
  if (applied.outcome === 'conflict') return conflicted(applied);

  const uid = uidOf(applied.answer.object);
  const same = known?.uid === uid && known.lifecycle === 'own';
  const created = applied.answer.created || (ours && uidOf(left) === uid);
  const adopted = !created && !same ? { owners: otherOwners(applied.answer.object, step.stack.manager) } : undefined;
  const deletable = created || step.intent.policy.adopt || (same && known.deletable);
  context.onApplied(entryOf(step, applied, deletable));
  refuseTerminating(applied.answer.object);
  return { ...successReport(applied, before, step.stack.manager), ...(adopted ? { adopted } : {}) };
}

/** What is applied to an object that is being deleted goes with it. */
function refuseTerminating(object: JsonObject): void {
  if ((object.metadata as JsonObject).deletionTimestamp === undefined) return;
  throw new FieldwiseError('object-terminating', 'resource', 'The object is being deleted, and what was applied goes with it', {
    next: 'Deploy again when it is gone; its finalizers say what holds it.',
  });
}

async function share(step: Step, address: ObjectAddress, context: StepContext): Promise<StepOutcome> {
  const { cluster, known } = context;
  let before = knownBefore(known);
  let rejoined = false;
  for (;;) {
    if (!before) {
      const live = await findShareTarget(cluster, address, {
        policy: step.intent.policy,
        knownBefore: rejoined,
        signal: context.signal,
        onWait: (seconds) => context.onWait({ for: 'object', seconds }),
      });
      before = live && beforeOf(live, step.stack.manager);
    }
    try {
      const applied = await applyIntent(cluster, { ...taskOf(step, address), ...(before ? { uid: before.uid } : {}) });
      if (applied.outcome === 'conflict') return conflicted(applied);
      context.onApplied(entryOf(step, applied, false));
      return { ...successReport(applied, before, step.stack.manager), ...(rejoined ? { rejoined } : {}) };
    } catch (error) {
      if (!before || !isOtherObject(error)) throw error;
      // The object we pinned is gone or replaced: find the one that has its name now, and never create it.
      before = undefined;
      rejoined = true;
    }
  }
}

function taskOf(step: Step, address: ObjectAddress) {
  return { address, object: step.object as PartialObject, manager: step.stack.manager, policy: step.intent.policy };
}

function isOtherObject(error: unknown): boolean {
  if (error instanceof FieldwiseError) return error.code === 'object-replaced';
  return error instanceof ApiError && (error.uidMismatch !== undefined || error.code === 404);
}

function conflicted(applied: Conflicted): StepOutcome {
  return { result: 'conflict', conflicts: applied.conflicts };
}

function successReport(applied: Applied, before: Before | undefined, manager: string) {
  return {
    result: resultOf(applied, before, manager),
    taken: applied.taken,
    yielded: applied.yielded,
    warnings: applied.answer.warnings,
  };
}

/** Only what can be proved; see ObjectResult. */
function resultOf(applied: Applied, before: Before | undefined, manager: string): ObjectResult {
  const { object, created } = applied.answer;
  const { resourceVersion } = object.metadata as JsonObject;
  if (created) return 'created';
  if (applied.pinned !== undefined) return applied.pinned === resourceVersion ? 'unchanged' : 'updated';
  if (!before || before.uid !== uidOf(object)) return 'applied';
  if (before.resourceVersion === resourceVersion) return 'unchanged';
  const appliedAt = applyEntryOf(object, manager)?.time;
  return appliedAt !== undefined && before.resourceVersion !== undefined && appliedAt !== before.appliedAt ? 'updated' : 'applied';
}

function entryOf(step: Step, applied: Applied, deletable: boolean): InventoryEntry {
  const { apiVersion, kind, namespace, name, lifecycle, policy } = step.intent;
  const { uid, resourceVersion } = applied.answer.object.metadata as JsonObject;
  const appliedAt = applyEntryOf(applied.answer.object, step.stack.manager)?.time;
  return {
    apiVersion,
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    lifecycle,
    uid: uid as string,
    deletable,
    deletePropagation: policy.deletePropagation,
    resourceVersion: resourceVersion as string,
    ...(appliedAt === undefined ? {} : { appliedAt }),
  };
}

function knownBefore(known: InventoryEntry | undefined): Before | undefined {
  return known?.uid === undefined ? undefined : { uid: known.uid, resourceVersion: known.resourceVersion, appliedAt: known.appliedAt };
}

function beforeOf(live: JsonObject, manager: string): Before {
  const resourceVersion = (live.metadata as JsonObject).resourceVersion as string;
  return { uid: uidOf(live), resourceVersion, appliedAt: applyEntryOf(live, manager)?.time };
}

function otherOwners(object: JsonObject, manager: string): string[] {
  return [
    ...new Set(
      managedFieldsOf(object)
        .filter((entry) => entry.manager !== manager)
        .map(ownerText),
    ),
  ];
}

function uidOf(object: JsonObject | undefined): string {
  return String((object?.metadata as JsonObject | undefined)?.uid);
}
