import { metadataOf } from '../../../fields/object.js';
import { type Json, type JsonObject, jsonEqual } from '../../../util/json.js';
import { type FieldError, forbiddenField, invalidValue } from '../../api/field-error.js';
import { listOf, structOf } from '../../api/json-access.js';
import { qosClassOf } from '../strategy/qos-class.js';

const lists = ['initContainers', 'containers'] as const;
const amounts = ['requests', 'limits'] as const;

/** Returns why a Pod can never be resized. */
export function unresizableErrors(live: JsonObject): readonly FieldError[] {
  const isStatic = metadataOf(live).annotations?.['kubernetes.io/config.mirror'] !== undefined;
  const isWindows = structOf(structOf(live.spec).os).name === 'windows';
  return [
    ...(isWindows ? [forbiddenField('[]', 'windows pods cannot be resized')] : []),
    ...(isStatic ? [forbiddenField('[]', 'static pods cannot be resized')] : []),
  ];
}

/** Validates what a resize changes of a Pod. Source: Kubernetes documentation "Resize CPU and Memory Resources assigned to Containers"; messages as observed. */
export function podResizeErrors(spec: JsonObject, before: JsonObject, status: JsonObject): readonly FieldError[] {
  const qosClass = qosClassOf(before);
  const changes = qosClass !== qosClassOf(spec);
  const isUnable = listOf(status.containerStatuses).some(({ resources, state }) => structOf(state).running !== undefined && !resources);
  return [
    ...(changes ? [invalidValue('spec', qosClass, 'Pod QOS Class may not change as a result of resizing')] : []),
    ...(isUnable ? [forbiddenField('spec', 'Pod running on node without support for resize')] : []),
    ...podLevelErrors(spec.resources, before.resources),
    ...containersErrors(spec, before),
  ];
}

function podLevelErrors(wanted: Json | undefined, had: Json | undefined): readonly FieldError[] {
  if (wanted === undefined && had !== undefined) return [forbiddenField('spec.resources', 'pod-level resources cannot be removed')];
  if (had === undefined) return [];
  const [now, before] = [structOf(wanted), structOf(had)];
  const removed = removedAmounts(now, before);
  return [
    ...removed.map((member) => forbiddenField(`spec.resources.${member}`, `pod-level resource ${member} cannot be removed`)),
    ...(sameFixed(now, before) ? [] : [forbiddenField('spec', 'only cpu and memory resources are mutable at pod-level')]),
  ];
}

function containersErrors(spec: JsonObject, before: JsonObject): readonly FieldError[] {
  const list = lists.findLast((name) => listOf(spec[name]).length !== listOf(before[name]).length);
  if (list !== undefined) return [forbiddenField(`spec.${list}`, 'containers may not be added or removed on resize')];
  const ofAmounts = eachContainer(spec, before).flatMap(({ at, now, had }): readonly FieldError[] => {
    if (now.name !== had.name) return [forbiddenField(`${at}.name`, 'containers may not be renamed or reordered on resize')];
    const removed = removedAmounts(structOf(now.resources), structOf(had.resources));
    return removed.map((member) => forbiddenField(`${at}.resources.${member}`, `resource ${member} cannot be removed`));
  });
  return [...ofAmounts, ...fixedErrors(spec, before)];
}

/** Refuses to change more than CPU and memory: once for all containers, and for each of those that run before. */
function fixedErrors(spec: JsonObject, before: JsonObject): readonly FieldError[] {
  const changed = eachContainer(spec, before).filter(
    ({ now, had }) =>
      now.name === had.name &&
      !(
        sameFixed(structOf(now.resources), structOf(had.resources)) &&
        jsonEqual((now.resizePolicy ?? null) as Json, (had.resizePolicy ?? null) as Json)
      ),
  );
  const ofInit = 'only cpu and memory resources for init or sidecar containers are mutable';
  return [
    ...(changed.some(({ list }) => list === 'containers') ? [forbiddenField('spec', 'only cpu and memory resources are mutable')] : []),
    ...changed.filter(({ list }) => list === 'initContainers').map(({ at }) => forbiddenField(at, ofInit)),
  ];
}

function eachContainer(spec: JsonObject, before: JsonObject) {
  return lists.flatMap((list) =>
    listOf(before[list]).map((had, index) => ({
      list,
      at: `spec.${list}[${index}]`,
      now: listOf(spec[list])[index] as JsonObject,
      had,
    })),
  );
}

function removedAmounts(now: JsonObject, before: JsonObject): readonly (typeof amounts)[number][] {
  const isRemoved = (member: string) => Object.keys(structOf(before[member])).some((name) => structOf(now[member])[name] === undefined);
  return amounts.filter(isRemoved);
}

/** Returns true if two values differ in CPU, memory and claims only. */
function sameFixed(now: JsonObject, before: JsonObject): boolean {
  return jsonEqual(withoutMutable(now), withoutMutable(before));
}

function withoutMutable({ requests, limits, claims: _, ...others }: JsonObject): JsonObject {
  const fixed = [requests, limits].map((each) => {
    const { cpu: __, memory: ___, ...rest } = structOf(each);
    return rest;
  });
  return { ...others, fixed };
}
