import { metadataOf } from '../../../fields/object.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../../util/json.js';
import { qualifiedNameErrors } from '../../../util/name-text.js';
import { type FieldError, invalidValue, required } from '../../api/field-error.js';
import { structOf } from '../../api/json-access.js';
import type { UpdateContext } from '../../registry/resource.js';

/** Validates an Event by the version of the request. Source: Kubernetes API reference, Event; messages as observed. */
export function eventErrors(event: JsonObject, update: UpdateContext | undefined, apiVersion: string): readonly FieldError[] {
  if (apiVersion === 'v1') return sharedErrors(event, 'reportingComponent');
  const isSameSeries = update !== undefined && jsonEqual(event.series ?? null, update.live.series ?? null);
  return [
    ...sharedErrors(event, 'reportingController'),
    ...(isSameSeries ? [] : seriesErrors(event)),
    ...(update === undefined ? newErrors(event) : changeErrors(event, update.live)),
  ];
}

/** Validates what both versions ask for; more of an Event with an exact time. */
function sharedErrors(event: JsonObject, controllerField: string): readonly FieldError[] {
  const { namespace: place = '' } = metadataOf(event);
  const namespace = String(structOf(event.involvedObject).namespace ?? '');
  const isTimed = Boolean(event.eventTime);
  const fits = namespace === '' ? place === 'default' || (isTimed && place === 'kube-system') : isTimed || namespace === place;
  return [
    ...(fits ? [] : [invalidValue('involvedObject.namespace', namespace, 'does not match event.namespace')]),
    ...(isTimed ? reportErrors(event, controllerField) : []),
  ];
}

function reportErrors(event: JsonObject, controllerField: string): readonly FieldError[] {
  const controller = String(event.reportingComponent ?? '');
  return [
    ...(controller === '' ? [required(controllerField)] : []),
    ...qualifiedNameErrors(controller).map((text) => invalidValue(controllerField, controller, text)),
    ...['reportingInstance', 'action', 'reason'].flatMap((name) => [
      ...(event[name] ? [] : [required(name)]),
      ...lengthErrors(name, event[name], 128),
    ]),
    ...lengthErrors('message', event.message, 1024),
  ];
}

function lengthErrors(field: string, text: Json | undefined, most: number): readonly FieldError[] {
  const fits = Buffer.byteLength(String(text ?? '')) <= most;
  return fits ? [] : [invalidValue(field, '', `can have at most ${most} characters`)];
}

function seriesErrors({ series }: JsonObject): readonly FieldError[] {
  if (!isJsonObject(series)) return [];
  return [
    ...(Number(series.count ?? 0) < 2 ? [invalidValue('series.count', '', 'should be at least 2')] : []),
    ...(series.lastObservedTime ? [] : [required('series.lastObservedTime')]),
  ];
}

/** Validates what a new Event of events.k8s.io must have and may not have. */
function newErrors(event: JsonObject): readonly FieldError[] {
  const { eventTime, type = '', source } = event;
  const old = [
    ...['firstTimestamp', 'lastTimestamp', 'count'].filter((name) => event[name]),
    ...(Object.keys(structOf(source)).length > 0 ? ['source'] : []),
  ];
  return [
    ...(eventTime ? [] : [required('eventTime')]),
    ...(type === 'Normal' || type === 'Warning' ? [] : [invalidValue('type', '', `has invalid value: ${String(type)}`)]),
    ...old.map((name) => invalidValue(name, '', 'needs to be unset')),
  ];
}

/** Members that no update through events.k8s.io changes: by name, how a message shows them. */
const kept: readonly (readonly [name: string, show: (value: Json | undefined) => Json, field?: string])[] = [
  ['involvedObject', (value) => shownReference(value ?? {})],
  ['reason', shownText],
  ['message', shownText],
  ['source', (value) => ({ Component: structOf(value).component ?? '', Host: structOf(value).host ?? '' })],
  ['firstTimestamp', (value) => value ?? null],
  ['lastTimestamp', (value) => value ?? null],
  ['count', (value) => value ?? 0],
  ['type', shownText],
  ['eventTime', (value) => value ?? null],
  ['action', shownText],
  ['related', shownReference],
  ['reportingComponent', shownText, 'reportingController'],
  ['reportingInstance', shownText],
];

function changeErrors(event: JsonObject, live: JsonObject): readonly FieldError[] {
  return kept.flatMap(([name, show, field = name]) => {
    const now = show(event[name]);
    return jsonEqual(now, show(live[name])) ? [] : [invalidValue(field, now, 'field is immutable')];
  });
}

function shownText(value: Json | undefined): Json {
  return value ?? '';
}

const referenceMembers = {
  Kind: 'kind',
  Namespace: 'namespace',
  Name: 'name',
  UID: 'uid',
  APIVersion: 'apiVersion',
  ResourceVersion: 'resourceVersion',
  FieldPath: 'fieldPath',
};

/** Returns a reference with its fields in the order of the Go struct. */
function shownReference(value: Json | undefined): Json {
  if (!isJsonObject(value)) return null;
  return Object.fromEntries(Object.entries(referenceMembers).map(([shown, name]) => [shown, value[name] ?? '']));
}
