import type { Json, JsonObject } from '../../../util/json.js';
import { listOf, memberAt, structOf } from '../../api/json-access.js';
import { labelMapWarnings, labelWarnings, termWarnings } from './node-label-warnings.js';
import { eachAt } from './warning-parts.js';

const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
const isNull = 'a null labelSelector results in matching no pod';

/** Returns warnings about the nodes that the spec of a Pod selects. Source: observed. */
export function nodeChoiceWarnings(pod: JsonObject, path: string): readonly string[] {
  const affinity = structOf(memberAt(pod, 'affinity.nodeAffinity'));
  const start = `${path}.affinity.nodeAffinity`;
  return [
    ...labelMapWarnings(pod.nodeSelector, (label) => `${path}.nodeSelector[${label}]`),
    ...eachAt(listOf(structOf(affinity[required]).nodeSelectorTerms), `${start}.${required}.nodeSelectorTerms`, (term, at) =>
      termWarnings(term, at),
    ),
    ...eachAt(listOf(affinity[preferred]), `${start}.${preferred}`, ({ preference }, at) =>
      termWarnings(structOf(preference), `${at}.preference`, true),
    ),
    ...eachAt(listOf(pod.topologySpreadConstraints), `${path}.topologySpreadConstraints`, spreadWarnings),
  ];
}

function spreadWarnings({ topologyKey, labelSelector }: JsonObject, path: string): readonly string[] {
  return [...labelWarnings(topologyKey, `${path}.topologyKey`), ...selectorWarnings(labelSelector, `${path}.labelSelector`)];
}

function selectorWarnings(selector: Json | undefined, path: string): readonly string[] {
  return selector ? [] : [`${path}: ${isNull}`];
}

/** Returns warnings about terms of Pod affinity without a selector. */
export function podAffinityWarnings({ affinity }: JsonObject, path: string): readonly string[] {
  return ['podAffinity', 'podAntiAffinity'].flatMap((member) => {
    const terms = structOf(structOf(affinity)[member]);
    const start = `${path}.affinity.${member}`;
    return [
      ...eachAt(listOf(terms[required]), `${start}.${required}`, ({ labelSelector }, at) =>
        selectorWarnings(labelSelector, `${at}.labelSelector`),
      ),
      ...eachAt(listOf(terms[preferred]), `${start}.${preferred}`, ({ podAffinityTerm }, at) =>
        selectorWarnings(structOf(podAffinityTerm).labelSelector, `${at}.podAffinityTerm.labelSelector`),
      ),
    ];
  });
}

/** Returns warnings about the nodes that a RuntimeClass selects. */
export function runtimeClassWarnings({ scheduling }: JsonObject): readonly string[] {
  return labelMapWarnings(structOf(scheduling).nodeSelector, () => 'scheduling.nodeSelector');
}
