import type { Json, JsonObject } from '../../../util/json.js';
import { labelValueErrors } from '../../../util/name-text.js';
import { listOf, structOf } from '../../api/json-access.js';
import { eachAt } from './warning-parts.js';

const instead = (since: string, label: string) => `deprecated since ${since}; use "${label}" instead`;

/** The old labels of nodes. Source: observed. */
const oldLabels = new Map([
  ['beta.kubernetes.io/arch', instead('v1.14', 'kubernetes.io/arch')],
  ['beta.kubernetes.io/os', instead('v1.14', 'kubernetes.io/os')],
  ['beta.kubernetes.io/instance-type', instead('v1.17', 'node.kubernetes.io/instance-type')],
  ['failure-domain.beta.kubernetes.io/region', instead('v1.17', 'topology.kubernetes.io/region')],
  ['failure-domain.beta.kubernetes.io/zone', instead('v1.17', 'topology.kubernetes.io/zone')],
  ['app.kubernetes.io/created-by', 'deprecated since v1.9'],
  ['scheduler.alpha.kubernetes.io/preferAvoidPods', 'deprecated since v1.22; use Taints and Tolerations instead'],
  ['node-role.kubernetes.io/master', 'use "node-role.kubernetes.io/control-plane" instead'],
]);

/** Returns warnings about the old labels of nodes among the keys of a map, in the words of the server. */
export function labelMapWarnings(labels: Json | undefined, pathOf: (label: string) => string): readonly string[] {
  return Object.keys(structOf(labels)).flatMap((label) => {
    const text = oldLabels.get(label);
    return text === undefined ? [] : [`${pathOf(label)}: ${text}`];
  });
}

/** Returns a warning if a value is an old label of nodes; it does not name the label if a path suffices. */
export function labelWarnings(label: Json | undefined, path: string, isNamed = true): readonly string[] {
  const text = oldLabels.get(String(label));
  return text === undefined ? [] : [isNamed ? `${path}: ${String(label)} is ${text}` : `${path}: ${text}`];
}

/** Returns warnings about the expressions of a selector of nodes, and about values that no label can have if asked for. */
export function termWarnings({ matchExpressions }: JsonObject, path: string, withValues = false): readonly string[] {
  return eachAt(listOf(matchExpressions), `${path}.matchExpressions`, ({ key, values }, at) => [
    ...labelWarnings(key, `${at}.key`),
    ...(withValues && Array.isArray(values)
      ? eachAt(values as readonly string[], `${at}.values`, (value, where) =>
          labelValueErrors(value).map((problem) => `${where}: ${value} is invalid, ${problem}`),
        )
      : []),
  ]);
}
