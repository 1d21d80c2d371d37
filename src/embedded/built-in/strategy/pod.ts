import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import { listOf } from '../convert/json-access.js';

/** Gives a Pod the default that the template of a Pod does not have. Source: Kubernetes API reference, PodSpec. */
export function withPodDefaults(object: JsonObject): JsonObject {
  if (object.kind !== 'Pod' || object.apiVersion !== 'v1' || !isJsonObject(object.spec) || object.spec.enableServiceLinks !== undefined)
    return object;
  return { ...object, spec: { ...object.spec, enableServiceLinks: true } };
}

/** Gives a new Pod its status. Source: Kubernetes documentation "Pod Quality of Service Classes". */
export function preparePod(object: JsonObject): JsonObject {
  if (object.kind !== 'Pod' || object.apiVersion !== 'v1' || !isJsonObject(object.spec)) return object;
  return { ...object, status: { phase: 'Pending', qosClass: qosClassOf(object.spec) } };
}

function qosClassOf({ containers, initContainers }: JsonObject): Json {
  const all = [...listOf(containers), ...listOf(initContainers)].map(({ resources }) => (isJsonObject(resources) ? resources : {}));
  const amounts = (set: Json | undefined) => (isJsonObject(set) ? set : {});
  const names = ['cpu', 'memory'];
  const isSet = (value: Json | undefined) => value !== undefined && !/^0*(\.0*)?[A-Za-z]*$/.test(String(value));
  if (!all.some(({ requests, limits }) => names.some((name) => isSet(amounts(requests)[name]) || isSet(amounts(limits)[name]))))
    return 'BestEffort';
  const isGuaranteed = all.every(({ requests, limits }) =>
    names.every((name) => isSet(amounts(limits)[name]) && (amounts(requests)[name] ?? amounts(limits)[name]) === amounts(limits)[name]),
  );
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}
