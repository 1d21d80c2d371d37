import { objectText } from '../../assembly/identity.js';
import { ApiError, type Cluster } from '../../cluster/index.js';
import type { JsonObject } from '../../util/json.js';
import type { Applied, ApplyTask, Conflicted } from '../apply/apply-intent.js';
import { applyPastUnions } from '../apply/claim-and-release.js';
import { createdBy } from '../apply/created-by.js';
import { toServerSide } from '../dynamic/to-server-side.js';
import { present } from '../live/first-contact.js';
import { type Expectation, outdated } from './expectation.js';

/** Who may have made an object that is planned to be created. */
export interface Makers {
  /** What the saved plan says of the object; absent where the deploy is bound to none. */
  readonly planned?: Expectation;
  /** The stack's own field managers. */
  readonly managers: readonly string[];
  /** See `createdBy`. */
  readonly sharers: ReadonlySet<string>;
  /** Whether this run has applied to an object. */
  readonly isApplied: (uid: string) => boolean;
}

/** How an intent is applied. */
export interface How extends Makers {
  /** The object remembers an intent that was merged client-side. */
  readonly remembered: boolean;
  /** Whatever a plan says, the object may only be created. */
  readonly mustCreate: boolean;
}

/**
 * Applies an intent. Where a saved plan says that this creates the object, it is applied to none that somebody else has made since: the
 * server refuses that by the resourceVersion in the body. Another stack of the plan may have made it, or this very apply, whose answer
 * was lost; then it is applied to that object and to no other.
 *
 * @throws FieldwiseError `plan-outdated`, `object-present`; and as `applyIntent` does.
 */
export async function applyAsPlanned(cluster: Cluster, task: ApplyTask, makers: How): Promise<Applied | Conflicted> {
  if (!(makers.planned?.creates || makers.mustCreate) || task.uid !== undefined) return apply(cluster, task, makers.remembered);
  try {
    return await apply(cluster, { ...task, creates: true }, makers.remembered);
  } catch (error) {
    if (!(error instanceof ApiError) || !error.stale) throw error;
    const live = await cluster.find(task.address);
    if (!live) throw appeared(task.manager);
    refuseForeign(live, makers);
    if (makers.mustCreate) refusePresent(live, makers);
    const applied = await apply(cluster, { ...task, uid: uidOf(live) }, makers.remembered);
    if (applied.outcome === 'conflict' || !error.answerLost) return applied;
    return { ...applied, answer: { ...applied.answer, answerLost: true } };
  }
}

/** Applies; an object that remembers an intent merged on this side is handed over to the server first. */
function apply(cluster: Cluster, task: ApplyTask, remembered: boolean): Promise<Applied | Conflicted> {
  return remembered && task.dynamic === undefined ? toServerSide(cluster, task) : applyPastUnions(cluster, task);
}

/** @throws FieldwiseError `plan-outdated` where the plan says that the object is created and somebody else has made this one. */
export function refuseForeign(live: JsonObject, { planned, managers, sharers, isApplied }: Makers): void {
  if (!planned?.creates || isApplied(uidOf(live)) || createdBy(live, [...managers, ...planned.managers], sharers)) return;
  throw appeared(managers[0] as string);
}

/** @throws FieldwiseError `object-present` where somebody has made the object since it was looked for. */
function refusePresent(live: JsonObject, { managers, sharers, isApplied }: Makers): void {
  if (isApplied(uidOf(live)) || createdBy(live, managers, sharers)) return;
  throw present(`${objectIn(live)}, created by another client during this run`);
}

function objectIn({ apiVersion, kind, metadata }: JsonObject): string {
  const { name, namespace } = metadata as { readonly name: string; readonly namespace?: string };
  return objectText({ apiVersion: String(apiVersion), kind: String(kind), name, namespace });
}

function uidOf(object: JsonObject): string {
  return (object.metadata as JsonObject).uid as string;
}

function appeared(manager: string) {
  return outdated('Somebody has made the object that was planned to be created', manager);
}
