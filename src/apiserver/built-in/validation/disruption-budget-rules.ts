import type { JsonObject } from '../../../util/json.js';
import { type FieldError, invalidValue, unsupported } from '../../api/field-error.js';
import { structOf } from '../../api/json-access.js';
import { nonNegativeErrors } from '../../api/name-rules.js';
import { amountErrors, percentErrors } from './amount-rules.js';
import { conditionErrors } from './condition-rules.js';
import { labelSelectorErrors } from './scheduling-rules.js';

const evictionPolicies = ['AlwaysAllow', 'IfHealthyBudget'];

/** Validates a PodDisruptionBudget. Source: Kubernetes documentation "Specifying a Disruption Budget"; messages as observed. */
export function disruptionBudgetErrors(object: JsonObject): readonly FieldError[] {
  const spec = structOf(object.spec);
  const { minAvailable, maxUnavailable, selector = null, unhealthyPodEvictionPolicy = null } = spec;
  const shown = {
    MinAvailable: minAvailable,
    Selector: selector,
    MaxUnavailable: maxUnavailable,
    UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy,
  };
  return [
    ...(minAvailable !== undefined && maxUnavailable !== undefined
      ? [invalidValue('spec', shown as JsonObject, 'minAvailable and maxUnavailable cannot be both set')]
      : []),
    ...['minAvailable', 'maxUnavailable'].flatMap((name) => [
      ...amountErrors(`spec.${name}`, spec[name]),
      ...percentErrors(`spec.${name}`, spec[name]),
    ]),
    ...labelSelectorErrors(structOf(selector), 'spec.selector'),
    ...(unhealthyPodEvictionPolicy === null || evictionPolicies.includes(String(unhealthyPodEvictionPolicy))
      ? []
      : [unsupported('spec.unhealthyPodEvictionPolicy', unhealthyPodEvictionPolicy, evictionPolicies)]),
  ];
}

/** Validates the status of a PodDisruptionBudget. */
export function disruptionBudgetStatusErrors(object: JsonObject): readonly FieldError[] {
  const status = structOf(object.status);
  const counts = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'];
  return [
    ...conditionErrors(status.conditions, 'status.conditions'),
    ...counts.flatMap((name) => nonNegativeErrors(`status.${name}`, status[name])),
  ];
}
