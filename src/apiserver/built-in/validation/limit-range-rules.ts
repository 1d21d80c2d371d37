import type { Json, JsonObject } from '../../../util/json.js';
import { qualifiedNameErrors } from '../../../util/name-text.js';
import { duplicate, type FieldError, forbiddenField, invalidValue, required } from '../../api/field-error.js';
import { listOf, repeatsOf, structOf } from '../../api/json-access.js';
import { billionths } from '../convert/compare-quantities.js';
import { containerNameErrors, standardNameErrors } from './resource-rules.js';

const types = ['Container', 'PersistentVolumeClaim', 'Pod'];

/** Validates a LimitRange. Source: Kubernetes documentation "Limit Ranges"; messages as observed. */
export function limitRangeErrors({ spec }: JsonObject): readonly FieldError[] {
  const limits = listOf(structOf(spec).limits);
  const repeats = repeatsOf(limits.map(({ type }) => type ?? ''));
  return limits.flatMap((limit, index) => {
    const at = `spec.limits[${index}]`;
    return [
      ...typeErrors(String(limit.type ?? ''), `${at}.type`),
      ...(repeats[index] ? [duplicate(`${at}.type`, limit.type ?? '')] : []),
      ...limitErrors(limit, at),
    ];
  });
}

function typeErrors(type: string, field: string): readonly FieldError[] {
  const words = qualifiedNameErrors(type).map((text) => invalidValue(field, type, text));
  const isKnown = words.length > 0 || type.includes('/') || types.includes(type);
  return isKnown ? words : [invalidValue(field, type, 'must be a standard limit type or fully qualified')];
}

/** Members with amounts, and how a message calls them. */
const members = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;

function limitErrors(limit: JsonObject, at: string): readonly FieldError[] {
  const amounts = members.map((member) => structOf(limit[member]));
  const [max = {}, min = {}] = amounts;
  const isPod = limit.type === 'Pod';
  const lacksStorage = limit.type === 'PersistentVolumeClaim' && max.storage === undefined && min.storage === undefined;
  const names = new Set(amounts.flatMap((each) => Object.keys(each)));
  return [
    ...['max', 'min'].flatMap((member) => namesErrors(limit, member, at)),
    ...['default', 'defaultRequest'].flatMap((member) => {
      if (!isPod) return namesErrors(limit, member, at);
      const isEmpty = Object.keys(structOf(limit[member])).length === 0;
      return isEmpty ? [] : [forbiddenField(`${at}.${member}`, "may not be specified when `type` is 'Pod'")];
    }),
    ...namesErrors(limit, 'maxLimitRequestRatio', at),
    ...(lacksStorage ? [required(`${at}.limits`, 'either minimum or maximum storage value is required, but neither was provided')] : []),
    ...[...names].flatMap((name) => amountErrors(limit, name, at)),
  ];
}

function namesErrors(limit: JsonObject, member: string, at: string): readonly FieldError[] {
  const ofContainers = limit.type === 'Container' || limit.type === 'Pod';
  return Object.keys(structOf(limit[member])).flatMap((name) =>
    (ofContainers ? containerNameErrors : standardNameErrors)(name, `${at}.${member}[${name}]`),
  );
}

function amountErrors(limit: JsonObject, name: string, at: string): readonly FieldError[] {
  const [max, min, ofContainer, ofRequest, ratio] = members.map((member) => structOf(limit[member])[name]) as readonly (Json | undefined)[];
  const [usual, request] = limit.type === 'Pod' ? [] : [ofContainer, ofRequest];
  const errors: FieldError[] = [];
  /** Refuses a pair of amounts, each with what a message calls it, if the first is greater. */
  const order = (
    member: string,
    shown: Json | undefined,
    first: readonly [string, Json | undefined],
    second: readonly [string, Json | undefined],
  ) => {
    const [[low, least], [high, most]] = [first, second];
    if (least === undefined || most === undefined || billionths(least) <= billionths(most)) return;
    const detail = `${low} value ${String(least)} is greater than ${high} value ${String(most)}`;
    errors.push(invalidValue(`${at}.${member}[${name}]`, String(shown), detail));
  };
  order('min', min, ['min', min], ['max', max]);
  order('defaultRequest', request, ['min', min], ['default request', request]);
  order('defaultRequest', request, ['default request', request], ['max', max]);
  order('defaultRequest', request, ['default request', request], ['default limit', usual]);
  order('default', min, ['min', min], ['default', usual]);
  order('default', max, ['default', usual], ['max', max]);
  return [...errors, ...ratioErrors(ratio, max, min, `${at}.maxLimitRequestRatio[${name}]`)];
}

function ratioErrors(ratio: Json | undefined, max: Json | undefined, min: Json | undefined, field: string): readonly FieldError[] {
  if (ratio === undefined) return [];
  const refuse = (detail: string) => invalidValue(field, String(ratio), `ratio ${String(ratio)} is ${detail}`);
  const least = billionths(min);
  const quotient = max === undefined || least === 0n ? undefined : Number(billionths(max)) / Number(least);
  return [
    ...(billionths(ratio) < 10n ** 9n ? [refuse('less than 1')] : []),
    ...(quotient !== undefined && Number(billionths(ratio)) / 1e9 > quotient
      ? [refuse(`greater than max/min = ${quotient.toFixed(6)}`)]
      : []),
  ];
}
