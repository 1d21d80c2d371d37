import { updateRequest } from '../../src/ownership/index.js';
import type { Json, JsonObject } from '../../src/util/json.js';
import { withoutAllocated, withRecordedContent } from './built-in-object.js';
import { decodeCustom } from './custom-object.js';
import { jsonPatch, mergePatch } from './patch.js';
import { bodyOf, type Check, liveOf, metadataOf, rootOf, type StepContext, scopeOf } from './situation.js';
import { compareWritten } from './written-object.js';

export function checkUpdate(situation: StepContext): Check {
  const { step, kind } = situation;
  const { code, object: recorded } = step.result;
  if (code >= 400) return { skipped: `${code} to ${step.op}: refused by checks other than those of ownership` };
  const live = liveOf(situation);
  const object = updateRequest({ ...scopeOf(situation), live, object: requestedObject(situation, live) });
  return compareWritten(situation, live, kind.custom ? object : withRecordedContent(object, live, recorded as JsonObject));
}

/** The object that a write asks for. A built-in kind has defaults of its own, so its content is that of the recorded answer. */
function requestedObject(situation: StepContext, live: JsonObject | undefined): JsonObject {
  const { step, kind } = situation;
  const sent = patched(situation, live);
  if (kind.custom) return decodeCustom(rootOf(situation), sent);
  const recorded = withoutAllocated(sent, step.result.object as JsonObject);
  const { managedFields: _, ...metadata } = metadataOf(recorded);
  const entries = metadataOf(sent).managedFields;
  return { ...recorded, metadata: entries === undefined ? metadata : { ...metadata, managedFields: entries } };
}

function patched({ step }: StepContext, live: JsonObject | undefined): JsonObject {
  if (step.op === 'merge-patch') return mergePatch(live, bodyOf(step)) as JsonObject;
  if (step.op === 'json-patch') return jsonPatch(live as Json, step.body as Json) as JsonObject;
  // No scenario touches with it what the recorded answer would not show.
  return step.op === 'strategic-merge-patch' ? (live as JsonObject) : bodyOf(step);
}
