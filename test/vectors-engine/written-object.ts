import { withoutNewTimes } from '../../src/ownership/index.js';
import { type Json, type JsonObject, jsonEqual } from '../../src/util/json.js';
import { normalized } from './custom-object.js';
import { type Check, entriesOf, metadataOf, rootOf, type StepContext } from './situation.js';

/** Compares what a successful write leaves behind: the whole object of a custom kind, managedFields of a built-in one. */
export function compareWritten(situation: StepContext, live: JsonObject | undefined, object: JsonObject): Check {
  const { step, kind } = situation;
  const recorded = step.result.object as JsonObject;
  if (!kind.custom) return { expected: entriesOf(recorded), actual: entriesOf(withoutNewTimes(live, object)) };
  const completed = withoutNewTimes(live, complete(object, live, step.target.subresource));
  const read = normalized(completed, rootOf(situation));
  const actual = withSystemFields(read, recorded);
  const unseen = step.query?.dryRun === undefined && !jsonEqual(completed, read);
  const write = step.rv === 'same' || step.rv === 'changed' ? step.rv : undefined;
  if (write === undefined || live === undefined || step.query?.dryRun !== undefined || unseen || situation.unseen) {
    return { expected: recorded, actual, unseen };
  }
  const predicted = jsonEqual(withoutSystemFields(live), withoutSystemFields(completed)) ? 'same' : 'changed';
  return { expected: { object: recorded, write }, actual: { object: actual, write: predicted } };
}

/**
 * Applies the server's changes to a custom resource after the merge: status and other subresources are written only through their own
 * paths.
 */
function complete(object: JsonObject, live: JsonObject | undefined, subresource: string | undefined): JsonObject {
  const { status, ...main } = object;
  const { status: liveStatus, ...liveMain } = live ?? {};
  if (subresource !== 'status') return liveStatus === undefined ? main : { ...main, status: liveStatus };
  const { managedFields: _, ...metadata } = metadataOf(live);
  const entries = metadataOf(object).managedFields;
  const owned = entries === undefined ? metadata : { ...metadata, managedFields: entries };
  return { ...liveMain, metadata: owned, ...(status === undefined ? {} : { status }) };
}

const system = [
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'generation',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'name',
  'namespace',
  'selfLink',
  'generateName',
];

function withSystemFields(object: JsonObject, recorded: JsonObject): JsonObject {
  const own = Object.entries(metadataOf(object)).filter(([name]) => !system.includes(name));
  const given = Object.entries(metadataOf(recorded)).filter(([name]) => system.includes(name));
  return { ...object, metadata: Object.fromEntries([...own, ...given]) };
}

// A PUT may omit fields that the server maintains.
function withoutSystemFields(object: JsonObject): Json {
  return { ...object, metadata: Object.fromEntries(Object.entries(metadataOf(object)).filter(([name]) => !system.includes(name))) };
}
