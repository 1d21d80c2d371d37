import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import { listOf, structOf } from '../../api/json-access.js';
import { billionths } from '../convert/compare-quantities.js';

const counted = ['cpu', 'memory'];

/**
 * Returns the class of a Pod by the CPU and memory that its containers, or the Pod as a whole, request and may use.
 * Source: Kubernetes documentation "Pod Quality of Service Classes".
 */
export function qosClassOf(spec: JsonObject): 'BestEffort' | 'Burstable' | 'Guaranteed' {
  const containers = [...listOf(spec.initContainers), ...listOf(spec.containers)].map(({ resources }) => structOf(resources));
  const all = isJsonObject(spec.resources) && hasAmounts(spec.resources) ? [spec.resources] : containers;
  if (!all.some(hasAmounts)) return 'BestEffort';
  const limited = all.every(({ limits }) => counted.every((name) => billionths(structOf(limits)[name]) > 0n));
  const same = counted.every((name) => sumOf(all, 'limits', name) === sumOf(all, 'requests', name));
  return limited && same ? 'Guaranteed' : 'Burstable';
}

function hasAmounts({ limits, requests }: JsonObject): boolean {
  return [limits, requests].some((amounts) => counted.some((name) => billionths(structOf(amounts)[name]) > 0n));
}

function sumOf(all: readonly JsonObject[], member: 'limits' | 'requests', name: string): bigint {
  const amounts: readonly (Json | undefined)[] = all.map((resources) => structOf(resources[member])[name]);
  return amounts.map(billionths).reduce((total, each) => total + each, 0n);
}
