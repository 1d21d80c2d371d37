import type { Json, JsonObject } from '../../../util/json.js';
import { labelValueErrors, qualifiedNameErrors } from '../../../util/name-text.js';
import { duplicate, type FieldError, forbiddenField, invalidValue, required, unsupported } from '../../api/field-error.js';
import { listOf, repeatsOf, structOf, valuesOf } from '../../api/json-access.js';
import { labelErrors } from '../../api/name-rules.js';
import { sorted } from '../../patch/patched-text.js';

const mandatory = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';

/** Validates where a Pod may run. Source: Kubernetes documentation "Assigning Pods to Nodes", "Taints and Tolerations"; messages as observed. */
export function schedulingErrors(pod: JsonObject, path: string): readonly FieldError[] {
  const affinity = structOf(pod.affinity);
  return [
    ...Object.entries(structOf(pod.nodeSelector)).flatMap(([key, value]) => labelPairErrors(`${path}.nodeSelector`, key, value as Json)),
    ...nodeAffinityErrors(structOf(affinity.nodeAffinity), `${path}.affinity.nodeAffinity`),
    ...['podAffinity', 'podAntiAffinity'].flatMap((name) => podAffinityErrors(structOf(affinity[name]), `${path}.affinity.${name}`)),
    ...gateErrors(pod, path),
    ...listOf(pod.topologySpreadConstraints).flatMap((each, index, all) =>
      spreadErrors(each, index, all, `${path}.topologySpreadConstraints`),
    ),
    ...listOf(pod.tolerations).flatMap((each, index) => tolerationErrors(each, `${path}.tolerations[${index}]`)),
  ];
}

/** Returns the error for a selector that does not select the Pods of its own template. */
export function selectorMismatch(labels: Json | undefined): FieldError {
  return invalidValue('spec.template.metadata.labels', sorted(labels ?? null), '`selector` does not match template `labels`');
}

/** Validates a label selector. */
export function labelSelectorErrors(selector: JsonObject, path: string): readonly FieldError[] {
  return [
    ...Object.entries(structOf(selector.matchLabels)).flatMap(([key, value]) => labelPairErrors(`${path}.matchLabels`, key, value as Json)),
    ...listOf(selector.matchExpressions).flatMap((each, index) => expressionErrors(each, `${path}.matchExpressions[${index}]`, false)),
  ];
}

function named(field: string, name: string): FieldError[] {
  return qualifiedNameErrors(name).map((text) => invalidValue(field, name, text));
}

function labelPairErrors(field: string, key: string, value: Json): readonly FieldError[] {
  return [...named(field, key), ...labelValueErrors(String(value)).map((text) => invalidValue(field, value, text))];
}

function gateErrors(pod: JsonObject, path: string): readonly FieldError[] {
  const gates = listOf(pod.schedulingGates);
  const repeats = repeatsOf(gates.map(({ name }) => name));
  const errors = gates.flatMap(({ name }, index) => [
    ...named(`${path}.schedulingGates[${index}]`, String(name ?? '')),
    ...(repeats[index] ? [duplicate(`${path}.schedulingGates[${index}]`, name)] : []),
  ]);
  const readiness = listOf(pod.readinessGates).flatMap(({ conditionType }, index) =>
    named(`${path}.readinessGates[${index}].conditionType`, String(conditionType ?? '')),
  );
  return [...readiness, ...errors];
}

function expressionErrors({ key, operator, values }: JsonObject, at: string, ofNodes: boolean): readonly FieldError[] {
  const count = Array.isArray(values) ? values.length : 0;
  const errors: FieldError[] = [];
  if (operator === 'In' || operator === 'NotIn') {
    if (count === 0) errors.push(required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (count > 0) errors.push(forbiddenField(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  } else if (ofNodes && (operator === 'Gt' || operator === 'Lt')) {
    if (count !== 1) errors.push(required(`${at}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
  } else errors.push(invalidValue(`${at}.operator`, operator ?? '', 'not a valid selector operator'));
  const texts = ofNodes ? [] : valuesOf(values);
  return [
    ...errors,
    ...named(`${at}.key`, String(key ?? '')),
    ...texts.flatMap((value, index) => labelValueErrors(String(value)).map((text) => invalidValue(`${at}.values[${index}]`, value, text))),
  ];
}

/** Validates a NodeSelector. */
export function nodeSelectorErrors({ nodeSelectorTerms }: JsonObject, at: string): readonly FieldError[] {
  const terms = listOf(nodeSelectorTerms);
  const field = `${at}.nodeSelectorTerms`;
  return [
    ...(terms.length === 0 ? [required(field, 'must have at least one node selector term')] : []),
    ...terms.flatMap((term, index) => nodeTermErrors(term, `${field}[${index}]`)),
  ];
}

function nodeAffinityErrors(affinity: JsonObject, at: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const wanted = affinity[mandatory];
  if (wanted !== undefined) {
    errors.push(...nodeSelectorErrors(structOf(wanted), `${at}.${mandatory}`));
  }
  for (const [index, { weight, preference }] of listOf(affinity[preferred]).entries()) {
    const field = `${at}.${preferred}[${index}]`;
    errors.push(...weightErrors(weight, field), ...nodeTermErrors(structOf(preference), `${field}.preference`));
  }
  return errors;
}

function weightErrors(weight: Json | undefined, field: string): readonly FieldError[] {
  const fits = typeof weight === 'number' && weight >= 1 && weight <= 100;
  return fits ? [] : [invalidValue(`${field}.weight`, weight ?? 0, 'must be in the range 1-100')];
}

function nodeTermErrors(term: JsonObject, at: string): readonly FieldError[] {
  return listOf(term.matchExpressions).flatMap((each, index) => expressionErrors(each, `${at}.matchExpressions[${index}]`, true));
}

function podAffinityErrors(affinity: JsonObject, at: string): readonly FieldError[] {
  return [
    ...listOf(affinity[mandatory]).flatMap((term, index) => podTermErrors(term, `${at}.${mandatory}[${index}]`)),
    ...listOf(affinity[preferred]).flatMap(({ weight, podAffinityTerm }, index) => {
      const field = `${at}.${preferred}[${index}]`;
      return [...weightErrors(weight, field), ...podTermErrors(structOf(podAffinityTerm), `${field}.podAffinityTerm`)];
    }),
  ];
}

function podTermErrors(term: JsonObject, at: string): readonly FieldError[] {
  const { topologyKey, namespaces, labelSelector, namespaceSelector } = term;
  const names = Array.isArray(namespaces) ? (namespaces as readonly Json[]) : [];
  return [
    ...labelSelectorErrors(structOf(labelSelector), `${at}.labelSelector`),
    ...labelSelectorErrors(structOf(namespaceSelector), `${at}.namespaceSelector`),
    ...names.flatMap((name) => labelErrors(`${at}.namespace`, String(name))),
    ...(topologyKey ? [] : [required(`${at}.topologyKey`, 'can not be empty')]),
    ...named(`${at}.topologyKey`, String(topologyKey ?? '')),
  ];
}

const policies = ['DoNotSchedule', 'ScheduleAnyway'];

function spreadErrors(constraint: JsonObject, index: number, all: readonly JsonObject[], path: string): readonly FieldError[] {
  const at = `${path}[${index}]`;
  const { maxSkew, topologyKey, whenUnsatisfiable, minDomains, labelSelector, matchLabelKeys } = constraint;
  const same = (each: JsonObject) => each.topologyKey === topologyKey && each.whenUnsatisfiable === whenUnsatisfiable;
  const positive = 'must be greater than zero';
  const onlyText = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${String(whenUnsatisfiable)}`;
  const isRepeated = all.slice(index + 1).some(same);
  return [
    ...(typeof maxSkew === 'number' && maxSkew > 0 ? [] : [invalidValue(`${at}.maxSkew`, maxSkew ?? 0, positive)]),
    ...(topologyKey ? named(`${at}.topologyKey`, String(topologyKey)) : [required(`${at}.topologyKey`, 'can not be empty')]),
    ...(policies.includes(String(whenUnsatisfiable)) ? [] : [unsupported(`${at}.whenUnsatisfiable`, whenUnsatisfiable ?? '', policies)]),
    ...(isRepeated ? [duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${String(topologyKey)}, ${String(whenUnsatisfiable)}}`)] : []),
    ...(typeof minDomains === 'number' && minDomains <= 0 ? [invalidValue(`${at}.minDomains`, minDomains, positive)] : []),
    ...(minDomains !== undefined && whenUnsatisfiable !== 'DoNotSchedule' ? [invalidValue(`${at}.minDomains`, minDomains, onlyText)] : []),
    ...(matchLabelKeys !== undefined && labelSelector === undefined
      ? [forbiddenField(`${at}.matchLabelKeys`, 'must not be specified when labelSelector is not set')]
      : []),
    ...labelSelectorErrors(structOf(labelSelector), `${at}.labelSelector`),
  ];
}

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const emptyKeyText = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';

/** Validates a toleration. */
export function tolerationErrors(
  { key, operator = '', value = '', effect, tolerationSeconds }: JsonObject,
  at: string,
): readonly FieldError[] {
  const errors: FieldError[] = key ? [...named(`${at}.key`, String(key))] : [];
  if (!key && operator !== 'Exists') errors.push(invalidValue(`${at}.operator`, operator, emptyKeyText));
  if (tolerationSeconds !== undefined && effect !== 'NoExecute')
    errors.push(invalidValue(`${at}.effect`, effect ?? '', "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  if (operator === 'Exists') {
    if (value !== '') errors.push(invalidValue(`${at}.operator`, value, "value must be empty when `operator` is 'Exists'"));
  } else if (operator === '' || operator === 'Equal') {
    errors.push(...labelValueErrors(String(value)).map((text) => invalidValue(`${at}.operator`, value, text)));
  } else {
    const isNumeric = operator === 'Lt' || operator === 'Gt';
    errors.push(unsupported(`${at}.operator`, operator, ['Equal', 'Exists', ...(isNumeric ? ['Lt', 'Gt'] : [])]));
  }
  if (effect && !effects.includes(String(effect))) errors.push(unsupported(`${at}.effect`, effect, effects));
  return errors;
}
