import {
  applyRequest,
  mainEntries,
  type RequestScope,
  type ScaleMapping,
  scaleEntries,
  updateRequest,
  withoutNewTimes,
} from '../../src/ownership/index.js';
import type { Json, JsonObject } from '../../src/util/json.js';
import { scaleKind } from './kinds.js';
import { outcomeText, recordedFailure } from './outcome-text.js';
import { mergePatch } from './patch.js';
import { bodyOf, type Check, entriesOf, field, isForced, metadataOf, type StepContext, scopeOf } from './situation.js';

/** A write to the scale subresource: ownership is worked out on the Scale, and carried back to the object. */
export function checkScale(situation: StepContext): Check {
  const { step, kind, before } = situation;
  const { code } = step.result;
  if (before === undefined || code === 400) return { skipped: `${code} to scale: names, versions and absent objects are checked before` };
  if (step.op !== 'apply' && code >= 400) return { skipped: `${code} to ${step.op}: refused by checks other than those of ownership` };
  const mapping: ScaleMapping = {
    replicas: new Map([...kind.kind.versions.keys()].map((version) => [version, [field('spec'), field('replicas')]])),
    apiVersion: step.target.apiVersion,
  };
  const live = scaleOf(before, scaleEntries(before, mapping));
  const scope = scaleScope(situation);
  if (step.op === 'apply') {
    const outcome = applyRequest({ ...scope, live, intent: bodyOf(step), force: isForced(step) });
    if (code >= 400) return { expected: recordedFailure(step), actual: outcomeText(outcome) };
    if (outcome.outcome !== 'applied') return { expected: 'applied', actual: outcomeText(outcome) };
    return compareMain(situation, mainEntries(before, outcome.object, mapping));
  }
  const object = step.op === 'update' ? bodyOf(step) : (mergePatch(live, bodyOf(step)) as JsonObject);
  return compareMain(situation, mainEntries(before, updateRequest({ ...scope, live, object }), mapping));
}

function scaleScope(situation: StepContext): RequestScope {
  const { kind: _, ignored: __, zeroValue: ___, ...rest } = scopeOf(situation);
  const scope: RequestScope = {
    ...rest,
    kind: scaleKind,
    apiVersion: 'autoscaling/v1',
    zeroValue: { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: {}, spec: {}, status: { replicas: 0 } },
  };
  return situation.kind.custom ? { ...scope, unreadable: 'request to convert CR to an invalid group/version: autoscaling/v1' } : scope;
}

function scaleOf(main: JsonObject, managedFields: readonly JsonObject[]): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadataOf(main);
  const replicas = (main.spec as JsonObject | undefined)?.replicas;
  const metadata = { name, namespace, uid, resourceVersion, creationTimestamp, managedFields: managedFields as Json };
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata,
    spec: replicas === undefined ? {} : { replicas },
    status: { replicas: 0 },
  };
}

function compareMain({ before, after }: StepContext, entries: readonly JsonObject[]): Check {
  const { resourceVersion, generation } = metadataOf(before);
  const metadata = { ...metadataOf(after), resourceVersion, generation, managedFields: entries as Json };
  return { expected: entriesOf(after), actual: entriesOf(withoutNewTimes(before, { ...after, metadata })) };
}
