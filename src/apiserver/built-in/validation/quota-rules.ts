import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../../util/json.js';
import { type FieldError, invalidValue, required } from '../../api/field-error.js';
import { listOf, structOf } from '../../api/json-access.js';
import type { UpdateContext } from '../../registry/resource.js';
import { billionths } from '../convert/compare-quantities.js';
import { quotaNameErrors } from './resource-rules.js';

const whole =
  /^(?:pods|resourcequotas|services|replicationcontrollers|secrets|persistentvolumeclaims|configmaps|services\.(?:nodeports|loadbalancers))$/;
const ofRunningPods = /^(?:pods|(?:requests\.|limits\.)?(?:cpu|memory))$/;

/** Resources that each scope selects. */
const scoped: Readonly<Record<string, RegExp>> = {
  BestEffort: /^pods$/,
  NotBestEffort: ofRunningPods,
  Terminating: ofRunningPods,
  NotTerminating: ofRunningPods,
  PriorityClass: ofRunningPods,
  CrossNamespacePodAffinity: ofRunningPods,
  VolumeAttributesClass: /^(?:persistentvolumeclaims|requests\.storage)$/,
};
const conflicts = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
];
const applied = 'unsupported scope applied to resource';
const onlyExists =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

/** Validates a ResourceQuota. Source: Kubernetes documentation "Resource Quotas"; messages as observed. */
export function quotaErrors(object: JsonObject, update: UpdateContext | undefined): readonly FieldError[] {
  const spec = structOf(object.spec);
  const isChanged =
    update !== undefined && !jsonEqual(namesOf(spec.scopes).toSorted(), namesOf(structOf(update.live.spec).scopes).toSorted());
  return [
    ...amountErrors(spec.hard, 'spec.hard'),
    ...scopeErrors(spec),
    ...selectorErrors(spec),
    ...(isChanged ? [invalidValue('spec.scopes', spec.scopes ?? null, 'field is immutable')] : []),
  ];
}

/** Validates the status of a ResourceQuota. */
export function quotaStatusErrors(object: JsonObject): readonly FieldError[] {
  const { hard, used } = structOf(object.status);
  return [...amountErrors(hard, 'status.hard'), ...amountErrors(used, 'status.used')];
}

function namesOf(list: Json | undefined): readonly string[] {
  return Array.isArray(list) ? list.map(String) : [];
}

function amountErrors(amounts: Json | undefined, at: string): readonly FieldError[] {
  return Object.entries(structOf(amounts)).flatMap(([name, amount]) => {
    const field = `${at}[${name}]`;
    const isNegative = billionths(amount as Json) < 0n;
    const isWhole = whole.test(name) || (name.includes('/') && !name.includes('kubernetes.io/')) || /\.k8s\.io\//.test(name);
    const names = quotaNameErrors(name, field);
    const isFraction = names.length === 0 && !isNegative && isWhole && billionths(amount as Json) % 10n ** 9n !== 0n;
    return [
      ...names,
      ...(isNegative ? [invalidValue(field, String(amount), 'must be greater than or equal to 0')] : []),
      ...(isFraction ? [invalidValue(field, String(amount), 'must be an integer')] : []),
    ];
  });
}

function conflicting(scopes: readonly string[]): boolean {
  return conflicts.some((pair) => pair.every((scope) => scopes.includes(scope)));
}

/** Returns the scopes that do not select each resource that the quota limits. */
function misappliedScopes(hard: Json | undefined): ReadonlySet<string> {
  const limited = Object.keys(structOf(hard)).filter((name) => !name.includes('/') && isStandard(name));
  return new Set(Object.keys(scoped).filter((scope) => limited.some((name) => scoped[scope]?.test(name) === false)));
}

function isStandard(name: string): boolean {
  return quotaNameErrors(name, '').length === 0;
}

function scopeErrors({ scopes, hard }: JsonObject): readonly FieldError[] {
  const names = namesOf(scopes);
  if (names.length === 0) return [];
  const misapplied = misappliedScopes(hard);
  // Each error shows the whole list, which may be long.
  const refuse = invalidValue('spec.scopes', scopes, '');
  return [
    ...names.flatMap((scope) => [
      ...(!Object.hasOwn(scoped, scope) ? [{ ...refuse, detail: 'unsupported scope' }] : []),
      ...(misapplied.has(scope) ? [{ ...refuse, detail: applied }] : []),
    ]),
    ...(conflicting(names) ? [{ ...refuse, detail: 'conflicting scopes' }] : []),
  ];
}

function selectorErrors({ scopeSelector, scopes, hard }: JsonObject): readonly FieldError[] {
  if (!isJsonObject(scopeSelector)) return [];
  const at = 'spec.scopeSelector.matchExpressions';
  const expressions = listOf(scopeSelector.matchExpressions);
  const shown = expressions.map(({ scopeName = '', operator = '', values = null }) => ({
    ScopeName: scopeName,
    Operator: operator,
    Values: values,
  }));
  const misapplied = misappliedScopes(hard);
  const refusal = invalidValue(at, { MatchExpressions: shown }, applied);
  return [
    ...expressions.flatMap((expression) => [
      ...(!Object.hasOwn(scoped, String(expression.scopeName))
        ? [invalidValue(`${at}.scopeName`, expression.scopeName ?? '', 'unsupported scope')]
        : []),
      ...(misapplied.has(String(expression.scopeName)) ? [refusal] : []),
      ...operatorErrors(expression, at),
    ]),
    ...(conflicting(expressions.map(({ scopeName }) => String(scopeName))) ? [invalidValue(at, scopes ?? null, 'conflicting scopes')] : []),
  ];
}

function operatorErrors({ scopeName, operator, values }: JsonObject, at: string): readonly FieldError[] {
  const takesValues = scopeName === 'PriorityClass' || scopeName === 'VolumeAttributesClass' || !Object.hasOwn(scoped, String(scopeName));
  const count = Array.isArray(values) ? values.length : 0;
  const valuesText = (number: string, names: string) => `must be ${number} value when \`operator\` is ${names} for scope selector`;
  const errors: FieldError[] = [];
  if (!takesValues && operator !== 'Exists') return [invalidValue(`${at}.operator`, operator ?? '', onlyExists)];
  if (operator === 'In' || operator === 'NotIn') {
    if (count === 0) errors.push(required(`${at}.values`, valuesText('at least one', "'In' or 'NotIn'")));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (count > 0) errors.push(invalidValue(`${at}.values`, values, valuesText('no', "'Exist' or 'DoesNotExist'")));
  } else errors.push(invalidValue(`${at}.operator`, operator ?? '', 'not a valid selector operator'));
  return errors;
}
