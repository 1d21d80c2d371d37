import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import { qualifiedNameErrors } from '../../../util/name-text.js';
import { duplicate, type FieldError, invalidValue, required, unsupported } from '../../api/field-error.js';
import { listOf, repeatsOf, structOf } from '../../api/json-access.js';
import { nonNegativeErrors } from '../../api/name-rules.js';

const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const operators = ['In', 'NotIn'];
const statuses = ['False', 'True', 'Unknown'];

/** Validates what a Job does about failed Pods. Source: Kubernetes documentation "Jobs", "Pod failure policy"; messages as observed. */
export function failurePolicyErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const { containers, initContainers } = structOf(structOf(spec.template).spec);
  const names = [...listOf(containers), ...listOf(initContainers)].map(({ name }) => name);
  return listOf(structOf(spec.podFailurePolicy).rules).flatMap((rule, index) => {
    const at = `${path}.podFailurePolicy.rules[${index}]`;
    const { action, onExitCodes, onPodConditions } = rule;
    const conditions = listOf(onPodConditions);
    const isUnset = action === 'FailIndex' && spec.backoffLimitPerIndex === undefined;
    const count = Number(isJsonObject(onExitCodes)) + Number(conditions.length > 0);
    const detail =
      count === 0
        ? 'specifying one of OnExitCodes and OnPodConditions is required'
        : 'specifying both OnExitCodes and OnPodConditions is not supported';
    return [
      ...choiceErrors(`${at}.action`, action, actions),
      ...(isUnset ? [invalidValue(`${at}.action`, action, 'requires the backoffLimitPerIndex to be set')] : []),
      ...(isJsonObject(onExitCodes) ? exitCodeErrors(onExitCodes, `${at}.onExitCodes`, names) : []),
      ...conditions.flatMap((condition, number) => conditionErrors(condition, `${at}.onPodConditions[${number}]`)),
      // The message has no value. Source: observed.
      ...(count === 1 ? [] : [{ type: 'invalid', field: at, detail } as const]),
    ];
  });
}

function choiceErrors(field: string, value: Json | undefined, choices: readonly string[]): readonly FieldError[] {
  if (!value) return [required(field, `valid values: [${choices.map((choice) => JSON.stringify(choice)).join(' ')}]`)];
  return choices.includes(String(value)) ? [] : [unsupported(field, value, choices)];
}

function exitCodeErrors(
  { containerName, operator, values }: JsonObject,
  at: string,
  names: readonly (Json | undefined)[],
): readonly FieldError[] {
  const codes = Array.isArray(values) ? (values as readonly number[]) : [];
  const repeats = repeatsOf(codes);
  const isOrdered = codes.every((code, index) => index === 0 || Number(codes[index - 1]) <= code);
  const isUnknown = typeof containerName === 'string' && !names.includes(containerName);
  const unknownText = 'must be one of the container or initContainer names in the pod template';
  return [
    ...choiceErrors(`${at}.operator`, operator, operators),
    ...(isUnknown ? [invalidValue(`${at}.containerName`, containerName, unknownText)] : []),
    ...(codes.length === 0 ? [invalidValue(`${at}.values`, values ?? null, 'at least one value is required')] : []),
    ...codes.flatMap((code, index) => {
      if (repeats[index]) return [duplicate(`${at}.values[${index}]`, code)];
      const isZero = operator === 'In' && code === 0;
      return isZero ? [invalidValue(`${at}.values[${index}]`, code, 'must not be 0 for the In operator')] : [];
    }),
    ...(isOrdered ? [] : [invalidValue(`${at}.values`, values, 'must be ordered')]),
  ];
}

function conditionErrors({ type, status }: JsonObject, at: string): readonly FieldError[] {
  const isUnknown = Boolean(status) && !statuses.includes(String(status));
  return [
    ...qualifiedNameErrors(String(type ?? '')).map((text) => invalidValue(`${at}.type`, type ?? '', text)),
    ...(isUnknown ? [unsupported(`${at}.status`, status, statuses)] : []),
  ];
}

/** Validates when a Job is successful. Source: Kubernetes documentation "Jobs", "Success policy"; messages as observed. */
export function successPolicyErrors({ successPolicy, completionMode, completions }: JsonObject, path: string): readonly FieldError[] {
  if (!isJsonObject(successPolicy)) return [];
  const rules = listOf(successPolicy.rules);
  const field = `${path}.successPolicy`;
  if (completionMode !== 'Indexed') {
    const shown = rules.map(({ succeededIndexes = null, succeededCount = null }) => ({
      SucceededIndexes: succeededIndexes,
      SucceededCount: succeededCount,
    }));
    return [invalidValue(field, { Rules: rules.length === 0 ? null : shown }, 'requires indexed completion mode')];
  }
  if (rules.length === 0) return [required(`${field}.rules`, 'at least one rules must be specified when the successPolicy is specified')];
  return rules.flatMap((rule, index) => successRuleErrors(rule, `${field}.rules[${index}]`, Number(completions ?? 0)));
}

function successRuleErrors({ succeededIndexes, succeededCount }: JsonObject, at: string, completions: number): readonly FieldError[] {
  if (succeededIndexes === undefined && succeededCount === undefined)
    return [required(at, 'at least one of succeededCount or succeededIndexes must be specified')];
  const indexes = typeof succeededIndexes === 'string' ? countIndexes(succeededIndexes, completions) : undefined;
  const field = `${at}.succeededCount`;
  const count = Number(succeededCount ?? 0);
  const atMost = (most: number, what: string) =>
    count > most ? [invalidValue(field, count, `must be less than or equal to ${most} (the number of ${what})`)] : [];
  return [
    ...(typeof indexes === 'string'
      ? [invalidValue(`${at}.succeededIndexes`, succeededIndexes, `error parsing succeededIndexes: ${indexes}`)]
      : []),
    ...nonNegativeErrors(field, succeededCount),
    ...(succeededCount === undefined ? [] : atMost(completions, 'specified completions')),
    ...(succeededCount === undefined || indexes === undefined
      ? []
      : atMost(typeof indexes === 'number' ? indexes : 0, 'indexes in the specified succeededIndexes field')),
  ];
}

/** Returns the number of indexes in a text such as `0-2,5`, or what is wrong with it. */
function countIndexes(text: string, completions: number): number | string {
  let previous = -1;
  let count = 0;
  for (const fragment of text === '' ? [] : text.split(',')) {
    const bounds = fragment.split('-');
    if (bounds.length > 2)
      return `the fragment ${JSON.stringify(fragment)} violates the requirement that an index interval can have at most two parts separated by '-'`;
    for (const bound of bounds) {
      if (!/^[-+]?\d+$/.test(bound)) return `cannot convert string to integer for index: ${JSON.stringify(bound)}`;
      if (Number(bound) >= completions) return `too large index: ${JSON.stringify(bound)}`;
      if (Number(bound) <= previous) return `non-increasing order, previous: ${previous}, current: ${Number(bound)}`;
      previous = Number(bound);
    }
    count += bounds.length === 1 ? 1 : previous - Number(bounds[0]) + 1;
  }
  return count;
}
