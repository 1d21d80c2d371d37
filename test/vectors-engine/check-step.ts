import { parseAllDocuments } from 'yaml';
import { type FieldSet, fieldSetOfPaths } from '../../src/fields/index.js';
import {
  type ApplyOutcome,
  applyRequest,
  mainEntries,
  type RequestScope,
  type ScaleMapping,
  scaleEntries,
  updateRequest,
  withoutNewTimes,
} from '../../src/ownership/index.js';
import type { RootType } from '../../src/schema/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../src/util/json.js';
import { decodeCustom, defaulted, settled } from './custom-object.js';
import { scaleKind, type VectorKind } from './kinds.js';
import { jsonPatch, mergePatch } from './patch.js';
import { type Step, timeOf } from './scenario.js';

/** What the engine says about a step beside what the server said; or why a step says nothing about the engine. */
export type Check = { readonly expected: Json; readonly actual: Json } | { readonly skipped: string };

/** The state before a step, and everything else that is not in the step itself. */
export interface Situation {
  readonly step: Step;
  /** Position, from 1. */
  readonly number: number;
  readonly before: JsonObject | undefined;
  readonly after: JsonObject | undefined;
  readonly kind: VectorKind;
}

const field = (name: string) => ({ kind: 'field', name }) as const;
const status: FieldSet = fieldSetOfPaths([[field('status')]]);
const allButStatus: FieldSet = fieldSetOfPaths([[field('metadata')], [field('spec')]]);
const builtInStatus: FieldSet = fieldSetOfPaths([[field('spec')], [field('metadata'), field('labels')]]);

export function checkStep(situation: Situation): Check {
  const { op, target, result } = situation.step;
  if (op === 'get' || op === 'delete') return { skipped: `${op}: nobody comes to own anything` };
  if (target.subresource === 'scale') return checkScale(situation);
  if (op === 'apply') return checkApply(situation);
  if (result.code >= 400) return { skipped: `${result.code} to ${op}: refused before or after ownership is worked out` };
  return checkUpdate(situation);
}

function scopeOf({ step, number, kind }: Situation): RequestScope {
  const { apiVersion, subresource } = step.target;
  const ignored =
    subresource === 'status' ? (kind.custom ? allButStatus : builtInStatus) : step.target.kind === 'ConfigMap' ? undefined : status;
  return {
    kind: kind.kind,
    apiVersion,
    manager: step.query?.fieldManager ?? 'vector-recorder',
    now: timeOf(number),
    ignored: ignored && new Map([[apiVersion, ignored]]),
    ...(subresource === undefined ? {} : { subresource }),
    ...(kind.custom ? {} : { blank: kind.blank }),
  };
}

function inTargetVersion(object: JsonObject | undefined, step: Step): JsonObject | undefined {
  return object === undefined || step.target.subresource === 'scale' ? object : { ...object, apiVersion: step.target.apiVersion };
}

function checkApply(situation: Situation): Check {
  const { step, kind } = situation;
  const refused = refusedBefore(step);
  if (refused !== undefined) return { skipped: refused };
  const live = inTargetVersion(situation.before, step);
  const outcome = applyRequest({ ...scopeOf(situation), live, intent: bodyOf(step), force: isForced(step) });
  if (step.result.code === 422)
    return {
      expected: 'applied, then found invalid',
      actual: outcome.outcome === 'applied' ? 'applied, then found invalid' : describe(outcome),
    };
  if (step.result.code >= 400) return { expected: expectedFailure(step), actual: describe(outcome) };
  if (outcome.outcome !== 'applied') return { expected: 'applied', actual: describe(outcome) };
  return compareObjects(
    situation,
    live,
    kind.custom ? defaulted(rootOf(situation), outcome.object) : contentOf(step, outcome.object, live),
  );
}

// Checks of the HTTP layer come first; the engine never sees these requests.
function refusedBefore({ result, rawBody, body }: Step): string | undefined {
  const message = String(result.status?.message ?? '');
  if (rawBody !== undefined && body === undefined && result.code === 400) return '400: a body that is no object';
  if (result.code === 400 && message !== 'metadata.managedFields must be nil')
    return `400: ${message.replace(/\(.*?\)/g, '(…)').slice(0, 60)}`;
  if (result.code === 404) return '404: a subresource of an absent object';
  if (result.code === 409 && !message.startsWith('Apply failed')) return '409: uid or resourceVersion';
  if (result.code === 422 && message.startsWith('PatchOptions')) return '422: query parameters';
  if (message.startsWith('strconv.')) return '500: resourceVersion is no number';
  if (message.includes('unable to convert unstructured object')) return '500: Go cannot hold the value';
  return undefined;
}

function expectedFailure({ result }: Step): Json {
  const { message, details } = result.status as { message: string; details?: { causes?: Json } };
  if (result.messages !== undefined) return { anyOf: result.messages };
  return result.code === 409 ? { message, causes: sortedByText(details?.causes) } : { message, code: result.code };
}

function describe(outcome: ApplyOutcome): Json {
  if (outcome.outcome === 'applied') return 'applied';
  if (outcome.outcome === 'error') return { message: outcome.message, code: outcome.code };
  return { message: outcome.message, causes: sortedByText(outcome.causes as unknown as Json) };
}

function sortedByText(causes: Json | undefined): Json {
  const text = (cause: Json) => JSON.stringify(cause, Object.keys(cause as object).toSorted());
  return Array.isArray(causes) ? (causes as Json[]).toSorted((a, b) => (text(a) < text(b) ? -1 : 1)) : [];
}

function checkUpdate(situation: Situation): Check {
  const { step, kind } = situation;
  const live = inTargetVersion(situation.before, step);
  const requested = requestedObject(situation, live);
  const object = updateRequest({ ...scopeOf(situation), live, object: requested });
  return compareObjects(situation, live, kind.custom ? object : contentOf(step, object, live));
}

/** The object that a write other than apply asks for. Built-in kinds have defaults of their own, so the recorded answer is taken. */
function requestedObject(situation: Situation, live: JsonObject | undefined): JsonObject {
  const { step, kind } = situation;
  const body =
    step.op === 'merge-patch'
      ? (mergePatch(live, bodyOf(step)) as JsonObject)
      : step.op === 'json-patch'
        ? (jsonPatch(live as Json, step.body as Json) as JsonObject)
        : bodyOf(step);
  if (kind.custom) return decodeCustom(rootOf(situation), body);
  const source = step.op === 'strategic-merge-patch' ? (live as JsonObject) : body;
  return withEntriesOf(source, withoutAllocated(source, step.result.object as JsonObject));
}

function withEntriesOf(source: JsonObject | undefined, object: JsonObject): JsonObject {
  const entries = isJsonObject(source?.metadata) ? source.metadata.managedFields : undefined;
  const { managedFields: _, ...metadata } = object.metadata as JsonObject;
  return { ...object, metadata: entries === undefined ? metadata : { ...metadata, managedFields: entries } };
}

// What the server fills in, or takes away, after it has worked out who owns what.
const allocated = ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'];

function withoutAllocated(body: JsonObject, object: JsonObject): JsonObject {
  if (object.kind !== 'Service') return object;
  const sent = (body.spec ?? {}) as JsonObject;
  const kept = Object.entries(object.spec as JsonObject).filter(([name]) => !allocated.includes(name));
  const own = Object.entries(sent).filter(([name]) => allocated.includes(name) || name === 'externalTrafficPolicy');
  return { ...object, spec: Object.fromEntries([...kept, ...own]) };
}

function contentOf(step: Step, object: JsonObject, live: JsonObject | undefined): JsonObject {
  const recorded = withEntriesOf(object, step.result.object as JsonObject);
  // The generation and the version move later than the rule about times looks at the object.
  const { resourceVersion, generation } = live?.metadata === undefined ? ({} as JsonObject) : (live.metadata as JsonObject);
  return { ...recorded, metadata: { ...(recorded.metadata as JsonObject), resourceVersion, generation } };
}

function compareObjects(situation: Situation, live: JsonObject | undefined, object: JsonObject): Check {
  const { step, kind } = situation;
  const recorded = step.result.object as JsonObject;
  if (!kind.custom) return { expected: entriesOf(recorded), actual: entriesOf(withoutNewTimes(live, object)) };
  const completed = withoutNewTimes(live, complete(object, live, step.target.subresource));
  const stored = settled(completed, rootOf(situation));
  return { expected: normal(recorded), actual: normal(withSystemFields(stored, recorded)) };
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

/** What the strategy of custom resources does after the engine: status and the rest are written through their own paths only. */
function complete(object: JsonObject, live: JsonObject | undefined, subresource: string | undefined): JsonObject {
  const { status: _, ...main } = object;
  if (subresource !== 'status') return live?.status === undefined ? main : { ...main, status: live.status };
  const { managedFields: __, ...metadata } = (live?.metadata ?? {}) as JsonObject;
  const entries = (object.metadata as JsonObject).managedFields;
  const owned = entries === undefined ? metadata : { ...metadata, managedFields: entries };
  return { ...withoutStatus(live), metadata: owned, ...(object.status === undefined ? {} : { status: object.status }) };
}

function withSystemFields(object: JsonObject, recorded: JsonObject): JsonObject {
  const own = Object.entries(object.metadata as JsonObject).filter(([name]) => !system.includes(name));
  const given = Object.entries(recorded.metadata as JsonObject).filter(([name]) => system.includes(name));
  return { ...object, metadata: Object.fromEntries([...own, ...given]) };
}

function withoutStatus(object: JsonObject | undefined): JsonObject {
  const { status: _, ...rest } = object ?? {};
  return rest;
}

function normal(object: JsonObject): Json {
  return JSON.parse(JSON.stringify(object)) as Json;
}

function entriesOf(object: JsonObject | undefined): Json {
  const metadata = object?.metadata;
  return (isJsonObject(metadata) && metadata.managedFields) || [];
}

function rootOf({ kind, step }: Situation): RootType {
  return kind.kind.versions.get(step.target.apiVersion) as RootType;
}

function bodyOf(step: Step): JsonObject {
  return (step.body ?? parseRaw(step.rawBody ?? '')) as JsonObject;
}

function parseRaw(text: string): Json {
  return parseAllDocuments(text, { uniqueKeys: false, version: '1.1' })[0]?.toJS() as Json;
}

function isForced({ query }: Step): boolean {
  return query?.force !== undefined && !['false', '0'].includes(query.force.toLowerCase());
}

function checkScale(situation: Situation): Check {
  const { step, kind, before } = situation;
  if (step.result.code === 404 || step.result.code === 400) return { skipped: `${step.result.code} to scale: refused before the engine` };
  if (step.op !== 'apply' && step.result.code >= 400)
    return { skipped: `${step.result.code} to ${step.op}: refused before or after ownership is worked out` };
  const main = before as JsonObject;
  const mapping: ScaleMapping = {
    replicas: new Map([...kind.kind.versions.keys()].map((version) => [version, [field('spec'), field('replicas')]])),
    apiVersion: step.target.kind === 'Scale' ? String(main.apiVersion) : step.target.apiVersion,
  };
  const live = scaleOf(main, scaleEntries(main, mapping));
  const { ignored: _, blank: __, ...scope } = scopeOf(situation);
  const request: RequestScope = {
    ...scope,
    kind: scaleKind,
    apiVersion: 'autoscaling/v1',
    ...(kind.custom ? { unreadable: 'request to convert CR to an invalid group/version: autoscaling/v1' } : {}),
    blank: { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: {}, spec: {}, status: { replicas: 0 } },
  };
  if (step.op === 'apply') {
    const outcome = applyRequest({ ...request, live, intent: bodyOf(step), force: isForced(step) });
    if (step.result.code >= 400) return { expected: expectedFailure(step), actual: describe(outcome) };
    if (outcome.outcome !== 'applied') return { expected: 'applied', actual: describe(outcome) };
    return compareMain(situation, mainEntries(main, outcome.object, mapping));
  }
  const wanted = step.op === 'update' ? bodyOf(step) : (mergePatch(live, bodyOf(step)) as JsonObject);
  const object = updateRequest({ ...request, live, object: wanted });
  return compareMain(situation, mainEntries(main, object, mapping));
}

function compareMain({ before, after }: Situation, entries: readonly JsonObject[]): Check {
  const { resourceVersion, generation } = before?.metadata as JsonObject;
  const metadata = { ...(after?.metadata as JsonObject), resourceVersion, generation, managedFields: entries as Json };
  return { expected: entriesOf(after), actual: entriesOf(withoutNewTimes(before, { ...after, metadata })) };
}

function scaleOf(main: JsonObject, managedFields: readonly JsonObject[]): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = main.metadata as JsonObject;
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
