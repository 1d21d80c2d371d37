import { isIP } from 'node:net';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../../util/json.js';
import { qualifiedNameErrors } from '../../../util/name-text.js';
import { type FieldError, forbiddenField, invalidValue, required } from '../../api/field-error.js';
import { listOf, structOf } from '../../api/json-access.js';
import { subdomainErrors } from '../../api/name-rules.js';
import type { UpdateContext } from '../../registry/resource.js';
import { podResizeErrors } from './pod-resize-rules.js';
import { tolerationErrors as tolerationRules } from './scheduling-rules.js';

const lists = ['containers', 'initContainers'];

const changeable =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** Validates what an update changes of a Pod. Source: Kubernetes documentation "Pods", "Pod update and replacement"; messages as observed. */
export function podUpdateErrors(pod: JsonObject, { live, subresource }: UpdateContext): readonly FieldError[] {
  const spec = structOf(pod.spec);
  const before = structOf(live.spec);
  if (subresource === 'ephemeralcontainers') return ephemeralErrors(spec, before);
  if (subresource === 'resize') return podResizeErrors(spec, before, structOf(live.status));
  const ofLists: FieldError[] = [];
  for (const list of lists) {
    if (listOf(spec[list]).length !== listOf(before[list]).length)
      return [...ofLists, forbiddenField(`spec.${list}`, 'pod updates may not add or remove containers')];
    ofLists.push(...imageErrors(spec, list));
  }
  const ofDeadline = deadlineErrors(spec, before);
  // After a wrong deadline, nothing else is looked at, but for one that is gone. Source: observed.
  if (ofDeadline.length > 0 && spec.activeDeadlineSeconds !== undefined) return [...ofLists, ...ofDeadline];
  const gated = listOf(before.schedulingGates).length > 0;
  const changed = changedMembers(comparableSpec(spec, before, gated), before);
  return [
    ...ofLists,
    ...ofDeadline,
    ...tolerationErrors(spec, before),
    ...gateErrors(spec, before),
    ...(gated ? selectionErrors(spec, before) : []),
    ...(changed.length === 0 ? [] : [forbiddenField('spec', `${changeable}\nchanged: ${changed.join(', ')}\n`)]),
  ];
}

/** The server checks an image that it lets change once more. */
function imageErrors(spec: JsonObject, list: string): readonly FieldError[] {
  return listOf(spec[list]).flatMap(({ image }, index) => (image ? [] : [required(`spec.${list}[${index}].image`)]));
}

/** Returns the spec with the values before the update where an update may change them. */
function comparableSpec(spec: JsonObject, before: JsonObject, gated: boolean): JsonObject {
  const free = ['activeDeadlineSeconds', 'tolerations', 'schedulingGates', ...(gated ? ['nodeSelector'] : [])];
  const result: Record<string, Json> = { ...(spec as Record<string, Json>) };
  for (const list of ['containers', 'initContainers']) {
    if (!Array.isArray(spec[list])) continue;
    result[list] = listOf(spec[list]).map((container, index) => ({
      ...container,
      image: listOf(before[list])[index]?.image as Json,
    })) as Json;
  }
  if (Number(before.terminationGracePeriodSeconds) < 0 && spec.terminationGracePeriodSeconds === 1)
    result.terminationGracePeriodSeconds = before.terminationGracePeriodSeconds as Json;
  if (gated) setAffinity(result, before);
  for (const name of free) {
    if (before[name] === undefined) delete result[name];
    else result[name] = before[name] as Json;
  }
  return result;
}

/** Node affinity of a Pod that waits at a gate is checked by itself. */
function setAffinity(result: Record<string, Json>, before: JsonObject): void {
  const { nodeAffinity: _, ...others } = structOf(result.affinity);
  const { nodeAffinity } = structOf(before.affinity);
  const affinity = nodeAffinity === undefined ? others : { ...others, nodeAffinity };
  if (before.affinity === undefined && Object.keys(affinity).length === 0) delete result.affinity;
  else result.affinity = affinity;
}

function changedMembers(spec: JsonObject, before: JsonObject): readonly string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(spec)])];
  return names.filter((name) => !jsonEqual((spec[name] ?? null) as Json, (before[name] ?? null) as Json)).map((name) => `spec.${name}`);
}

function deadlineErrors({ activeDeadlineSeconds: now }: JsonObject, { activeDeadlineSeconds: before }: JsonObject): readonly FieldError[] {
  const field = 'spec.activeDeadlineSeconds';
  if (typeof now === 'number') {
    if (now < 0 || now > 2147483647) return [invalidValue(field, now, 'must be between 0 and 2147483647, inclusive')];
    return typeof before === 'number' && before < now ? [invalidValue(field, now, 'must be less than or equal to previous value')] : [];
  }
  return before === undefined ? [] : [invalidValue(field, null, 'must not update from a positive integer to nil value')];
}

function gateErrors(spec: JsonObject, before: JsonObject): readonly FieldError[] {
  const known = listOf(before.schedulingGates).map(({ name }) => name as Json);
  return listOf(spec.schedulingGates).flatMap(({ name }, index) => {
    const detail = `only deletion is allowed, but found new scheduling gate '${String(name)}'`;
    return known.includes(name as Json) ? [] : [forbiddenField(`spec.schedulingGates[${index}].name`, detail)];
  });
}

function tolerationErrors(spec: JsonObject, before: JsonObject): readonly FieldError[] {
  const now = listOf(spec.tolerations).map(withoutSeconds);
  const isKept = listOf(before.tolerations).every((each) => now.some((other) => jsonEqual(other, withoutSeconds(each))));
  const text = 'existing toleration can not be modified except its tolerationSeconds';
  if (!isKept) return [forbiddenField('spec.tolerations', text)];
  return listOf(spec.tolerations).flatMap((each, index) => tolerationRules(each, `spec.tolerations[${index}]`));
}

function withoutSeconds({ tolerationSeconds: _, ...toleration }: JsonObject): JsonObject {
  return toleration;
}

const wantedTerms = 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';

/** A Pod that waits at a gate may only become choosier about its node. */
function selectionErrors(spec: JsonObject, before: JsonObject): readonly FieldError[] {
  const now = structOf(spec.nodeSelector);
  const isKept = Object.entries(structOf(before.nodeSelector)).every(([key, value]) => now[key] === value);
  const text = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
  const labels = isKept ? [] : [invalidValue('spec.nodeSelector', spec.nodeSelector ?? null, text)];
  const terms = termsOf(before);
  if (terms.length === 0) return labels;
  const wanted = termsOf(spec);
  if (wanted.length !== terms.length)
    return [
      ...labels,
      invalidValue(
        wantedTerms,
        wanted.length === 0 ? null : (wanted as Json),
        'no additions/deletions to non-empty NodeSelectorTerms list are allowed',
      ),
    ];
  return [
    ...labels,
    ...terms.flatMap((term, index) => {
      const later = wanted[index] as JsonObject;
      const grows = ['matchExpressions', 'matchFields'].every((list) =>
        listOf(term[list]).every((each, at) => jsonEqual(each, (listOf(later[list])[at] ?? null) as Json)),
      );
      const detail = 'only additions are allowed (no mutations or deletions)';
      return grows ? [] : [invalidValue(`${wantedTerms}[${index}]`, later, detail)];
    }),
  ];
}

function termsOf(spec: JsonObject): readonly JsonObject[] {
  const { requiredDuringSchedulingIgnoredDuringExecution: wanted } = structOf(structOf(spec.affinity).nodeAffinity);
  return listOf(structOf(wanted).nodeSelectorTerms);
}

function ephemeralErrors(spec: JsonObject, before: JsonObject): readonly FieldError[] {
  const now = listOf(spec.ephemeralContainers);
  return listOf(before.ephemeralContainers).flatMap((container) => {
    const found = now.find(({ name }) => name === container.name);
    const start = `existing ephemeral containers ${JSON.stringify(container.name)} may not be`;
    if (found === undefined) return [forbiddenField('spec.ephemeralContainers', `${start} removed\n`)];
    return jsonEqual(found, container) ? [] : [forbiddenField('spec.ephemeralContainers', `${start} changed\n`)];
  });
}

/** Validates a write of the status of a Pod. */
export function podStatusErrors(pod: JsonObject, live: JsonObject): readonly FieldError[] {
  const status = structOf(pod.status);
  const { qosClass } = structOf(live.status);
  const { nominatedNodeName } = status;
  const addresses = listOf(status.podIPs).map(({ ip }) => String(ip ?? ''));
  const families = addresses.map((address) => isIP(address));
  const isSameFamily = families.some((family, index) => families.indexOf(family) < index);
  const shown = addresses.map((IP) => ({ IP }));
  return [
    ...(isSameFamily ? [invalidValue('status.podIPs', shown, 'may specify no more than one IP for each IP family')] : []),
    ...(qosClass !== undefined && status.qosClass !== qosClass
      ? [invalidValue('status.qosClass', status.qosClass ?? '', 'field is immutable')]
      : []),
    ...(nominatedNodeName ? subdomainErrors('status.nominatedNodeName', String(nominatedNodeName)) : []),
    ...listOf(status.conditions).flatMap(({ type }, index) =>
      isJsonObject(type)
        ? []
        : qualifiedNameErrors(String(type ?? '')).map((text) => invalidValue(`status.conditions[${index}].Type`, type ?? '', text)),
    ),
  ];
}
