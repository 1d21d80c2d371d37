import { type Json, type JsonObject, jsonEqual } from '../../../util/json.js';
import { labelValueErrors, qualifiedNameErrors } from '../../../util/name-text.js';
import { duplicate, type FieldError, forbiddenField, invalidValue, required, tooMany, unsupported } from '../../api/field-error.js';
import { listOf, repeatsOf, structOf, valuesOf } from '../../api/json-access.js';
import { labelErrors, subdomainErrors } from '../../api/name-rules.js';
import type { UpdateContext } from '../../registry/resource.js';
import { driverNameErrors, tooLong } from './device-rules.js';
import { nodeSelectorErrors } from './scheduling-rules.js';

const maxDevices = 128;
/** With taints or counters. */
const maxSpecialDevices = 64;
const maxCounterSets = 8;
const maxCounters = 32;
const maxConsumptions = 2;
const maxTaints = 16;
const maxAttributes = 32;
const maxTextBytes = 64;
const maxNameBytes = 32;
const maxPoolBytes = 253;
const maxConditions = 4;
const effects = ['NoExecute', 'NoSchedule', 'None'];

/** Validates a ResourceSlice. Source: Kubernetes API reference, ResourceSliceSpec; messages as observed. */
export function resourceSliceErrors({ spec }: JsonObject, update: UpdateContext | undefined): readonly FieldError[] {
  const { driver, pool, devices, sharedCounters, perDeviceNodeSelection } = structOf(spec);
  const before = update && structOf(update.live.spec);
  const oldDevices = new Map(listOf(before?.devices).map((device) => [device.name, device]));
  const list = listOf(devices);
  const isSpecial = list.some(({ taints, consumesCounters }) => listOf(taints).length + listOf(consumesCounters).length > 0);
  const errorsOfDevice = (device: JsonObject, at: string) => [
    ...deviceErrors(device, oldDevices.get(device.name), at),
    ...deviceNodeErrors(device, at, perDeviceNodeSelection === true),
    ...conditionErrors(device, at),
  ];
  return [
    ...driverNameErrors(String(driver ?? ''), 'spec.driver'),
    ...poolErrors(structOf(pool)),
    ...(before === undefined ? [] : fixedErrors(structOf(spec), before)),
    ...nodeErrors(structOf(spec)),
    ...(devices !== undefined && sharedCounters !== undefined
      ? [invalidValue('spec', '', 'only one of `sharedCounters` or `devices` is allowed')]
      : []),
    ...setErrors(list, 'name', 'spec.devices', isSpecial ? maxSpecialDevices : maxDevices, errorsOfDevice),
    ...setErrors(listOf(sharedCounters), 'name', 'spec.sharedCounters', maxCounterSets, (set, at) => counterErrors(set, 'name', at)),
  ];
}

function fixedErrors(spec: JsonObject, before: JsonObject): readonly FieldError[] {
  const fixed: readonly (readonly [string, Json | undefined, Json | undefined])[] = [
    ['spec.pool.name', structOf(spec.pool).name, structOf(before.pool).name],
    ['spec.driver', spec.driver, before.driver],
    ['spec.nodeName', spec.nodeName, before.nodeName],
  ];
  return fixed.flatMap(([field, now, then]) => (now === then ? [] : [invalidValue(field, now ?? null, 'field is immutable')]));
}

function poolErrors({ name = '', generation, resourceSliceCount }: JsonObject): readonly FieldError[] {
  const field = 'spec.pool.name';
  const text = String(name);
  const count = Number(resourceSliceCount ?? 0);
  return [
    ...(text === '' ? [required(field)] : tooLong(field, text, maxPoolBytes)),
    ...(text === '' ? [] : text.split('/').flatMap((part) => subdomainErrors(field, part))),
    ...(count > 0 ? [] : [invalidValue('spec.pool.resourceSliceCount', count, 'must be greater than zero')]),
    ...(Number(generation ?? 0) < 0 ? [invalidValue('spec.pool.generation', generation, 'must be greater than or equal to zero')] : []),
  ];
}

const unsetOrTrue = 'must be either unset or set to true';

function nodeErrors({ nodeName, nodeSelector, allNodes, perDeviceNodeSelection }: JsonObject): readonly FieldError[] {
  const one = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
  const terms = structOf(nodeSelector).nodeSelectorTerms;
  const at = 'spec.nodeSelector';
  const single = 'must have exactly one node selector term';
  return [
    ...(nodeName === '' ? [invalidValue('spec.nodeName', '', 'must be either unset or set to a non-empty string')] : []),
    ...(nodeName ? subdomainErrors('spec.nodeName', String(nodeName)) : []),
    ...(nodeSelector === undefined ? [] : nodeSelectorErrors(structOf(nodeSelector), at)),
    ...(nodeSelector === undefined || valuesOf(terms).length === 1
      ? []
      : [invalidValue(`${at}.nodeSelectorTerms`, listOf(terms).map(shownTerm), single)]),
    ...(allNodes === false ? [invalidValue('spec.allNodes', false, unsetOrTrue)] : []),
    ...(perDeviceNodeSelection === false ? [invalidValue('spec.perDeviceNodeSelection', false, unsetOrTrue)] : []),
    ...choiceErrors({ nodeName, nodeSelector, allNodes, perDeviceNodeSelection }, 'spec', one, `${one}, but multiple fields are set`),
  ];
}

/** Messages show a term as the Go struct. */
function shownTerm({ matchExpressions, matchFields }: JsonObject): JsonObject {
  const shown = (list: Json | undefined) =>
    list === undefined
      ? null
      : listOf(list).map(({ key = '', operator = '', values = null }) => ({ Key: key, Operator: operator, Values: values }));
  return { MatchExpressions: shown(matchExpressions), MatchFields: shown(matchFields) };
}

/** Refuses all but one choice: a member with a value that is neither empty nor false. */
function choiceErrors(members: JsonObject, at: string, missing: string, several: string): readonly FieldError[] {
  const chosen = Object.entries(members).flatMap(([name, value]) => (value ? [`\`${name}\``] : []));
  if (chosen.length === 0) return [required(at, missing)];
  return chosen.length === 1 ? [] : [invalidValue(at, `{${chosen.join(', ')}}`, several)];
}

function deviceNodeErrors({ nodeName, nodeSelector, allNodes }: JsonObject, at: string, isPerDevice: boolean): readonly FieldError[] {
  const setting = 'is set to true in the ResourceSlice spec';
  if (!isPerDevice) {
    const isSet = [nodeName, nodeSelector, allNodes].some((value) => value !== undefined);
    const refused = `\`nodeName\`, \`nodeSelector\` and \`allNodes\` can only be set if \`perDeviceNodeSelection\` ${setting}`;
    return isSet ? [invalidValue(at, null, refused)] : [];
  }
  const one = `exactly one of \`nodeName\`, \`nodeSelector\`, or \`allNodes\` is required when \`perDeviceNodeSelection\` ${setting}`;
  return [
    ...(nodeName === '' ? [invalidValue(`${at}.nodeName`, '', 'must not be empty')] : []),
    ...(nodeName ? subdomainErrors(`${at}.nodeName`, String(nodeName)) : []),
    ...(nodeSelector === undefined ? [] : nodeSelectorErrors(structOf(nodeSelector), `${at}.nodeSelector`)),
    ...(allNodes === false ? [invalidValue(`${at}.allNodes`, false, unsetOrTrue)] : []),
    ...choiceErrors({ nodeName, nodeSelector, allNodes }, at, one, one),
  ];
}

function deviceErrors(device: JsonObject, before: JsonObject | undefined, at: string): readonly FieldError[] {
  const { attributes, capacity, taints, consumesCounters, allowMultipleAllocations } = device;
  const [properties, amounts] = [Object.entries(structOf(attributes)), Object.entries(structOf(capacity))];
  const count = properties.length + amounts.length;
  const isSameTaints = before !== undefined && jsonEqual(before.taints ?? null, taints ?? null);
  const refusedPolicy = ([name, amount]: readonly [string, Json | undefined]) =>
    structOf(amount).requestPolicy === undefined || allowMultipleAllocations === true
      ? []
      : [forbiddenField(`${at}.capacity[${name}].requestPolicy`, 'allowMultipleAllocations must be true')];
  return [
    ...labelErrors(`${at}.name`, String(device.name ?? '')),
    ...(count > maxAttributes
      ? [invalidValue(at, count, `the total number of attributes and capacities must not exceed ${maxAttributes}`)]
      : []),
    ...properties.flatMap(([name, attribute]) => [
      ...propertyNameErrors(name, `${at}.attributes`),
      ...attributeErrors(structOf(attribute), `${at}.attributes[${name}]`),
    ]),
    ...amounts.flatMap((amount) => [...propertyNameErrors(amount[0], `${at}.capacity`), ...refusedPolicy(amount)]),
    ...(isSameTaints ? [] : taintsErrors(listOf(taints), `${at}.taints`)),
    ...setErrors(listOf(consumesCounters), 'counterSet', `${at}.consumesCounters`, maxConsumptions, (counters, path) =>
      counterErrors(counters, 'counterSet', path),
    ),
  ];
}

/** The members of an attribute, one of which has its value, as the Go struct names them. */
const valueKinds = { int: 'IntValue', bool: 'BoolValue', string: 'StringValue', version: 'VersionValue' };
/** Those behind a feature gate that is off, so that the server drops them. */
const listKinds = { IntValues: null, BoolValues: null, StringValues: null, VersionValues: null };

function attributeErrors(attribute: JsonObject, at: string): readonly FieldError[] {
  const { string, version } = attribute;
  const set = Object.keys(valueKinds).filter((kind) => attribute[kind] !== undefined);
  const shown = Object.fromEntries(Object.entries(valueKinds).map(([kind, name]) => [name, attribute[kind] ?? null]));
  const several = { ...shown, ...listKinds };
  return [
    ...(string === undefined ? [] : textErrors(string, `${at}.string`)),
    ...(version === undefined ? [] : versionErrors(version, `${at}.version`)),
    ...(set.length === 1 ? [] : [invalidValue(at, set.length === 0 ? '' : several, 'exactly one value must be specified')]),
  ];
}

function textErrors(text: Json, at: string): readonly FieldError[] {
  return tooLong(at, String(text), maxTextBytes);
}

/** Source: semver.org, 2.0.0. */
function isVersion(text: string): boolean {
  const [, core = '', before, build] = /^([\d.]+)(?:-([\dA-Za-z.-]+))?(?:\+([\dA-Za-z.-]+))?$/.exec(text) ?? [];
  const numbers = core.split('.');
  const parts = [...(before?.split('.') ?? []), ...numbers];
  const hasLeadingZero = parts.some((part) => /^0\d+$/.test(part));
  return numbers.length === 3 && !hasLeadingZero && ![...parts, ...(build?.split('.') ?? [])].includes('');
}

function versionErrors(text: Json, at: string): readonly FieldError[] {
  return [
    ...(isVersion(String(text)) ? [] : [invalidValue(at, text, 'must be a string compatible with semver.org spec 2.0.0')]),
    ...textErrors(text, at),
  ];
}

const identifierText =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";

function identifierErrors(name: string, at: string): readonly FieldError[] {
  return [...tooLong(at, name, maxNameBytes), ...(/^[A-Za-z_]\w*$/.test(name) ? [] : [invalidValue(at, name, identifierText)])];
}

/** Validates the name of an attribute or a capacity, which may have a domain. The server accepts more than one slash. */
function propertyNameErrors(property: string, at: string): readonly FieldError[] {
  const [first = '', second, ...more] = property.split('/');
  if (second === undefined) return identifierErrors(first, at);
  if (more.length > 0) return [];
  return [
    ...(first === '' ? [invalidValue(at, '', 'the domain must not be empty')] : driverNameErrors(first, at)),
    ...(second === '' ? [invalidValue(at, '', 'the name must not be empty')] : identifierErrors(second, at)),
  ];
}

function taintsErrors(taints: readonly JsonObject[], at: string): readonly FieldError[] {
  if (taints.length > maxTaints) return [tooMany(at, taints.length, maxTaints)];
  return taints.flatMap(({ key = '', value = '', effect = '' }, index) => {
    const path = `${at}[${index}]`;
    return [
      ...qualifiedNameErrors(String(key)).map((text) => invalidValue(`${path}.key`, key, text)),
      ...labelValueErrors(String(value)).map((text) => invalidValue(`${path}.value`, value, text)),
      ...(effect === '' ? [required(`${path}.effect`)] : []),
      ...(effect === '' || effects.includes(String(effect)) ? [] : [unsupported(`${path}.effect`, effect, effects)]),
    ];
  });
}

/** Validates counters under a name of their own, or under that of the set from which a device takes them. */
function counterErrors(set: JsonObject, member: 'name' | 'counterSet', at: string): readonly FieldError[] {
  const name = String(set[member] ?? '');
  const counters = Object.keys(structOf(set.counters));
  const field = `${at}.counters`;
  return [
    ...(name === '' ? [required(`${at}.${member}`)] : labelErrors(`${at}.${member}`, name)),
    ...(counters.length === 0 ? [required(field)] : []),
    ...(counters.length > maxCounters
      ? [tooMany(field, counters.length, maxCounters)]
      : counters.flatMap((counter) => labelErrors(field, counter))),
  ];
}

/** Validates the binding conditions of a device: each kind needs the other, and no condition is in both. */
function conditionErrors({ bindingConditions, bindingFailureConditions }: JsonObject, at: string): readonly FieldError[] {
  const [wanted, failed] = [valuesOf(bindingConditions), valuesOf(bindingFailureConditions)];
  const [good, bad] = [`${at}.bindingConditions`, `${at}.bindingFailureConditions`];
  const overlap = 'bindingFailureConditions must not overlap with bindingConditions';
  const nameErrors = (list: readonly Json[], path: string) =>
    list.length > maxConditions
      ? [tooMany(path, list.length, maxConditions)]
      : list.flatMap((name, index) => qualifiedNameErrors(String(name)).map((text) => invalidValue(`${path}[${index}]`, name, text)));
  const repeated = (list: readonly Json[], path: string) => {
    const repeats = repeatsOf(list);
    return list.flatMap((name, index) => [
      ...(repeats[index] ? [duplicate(`${path}[${index}]`, name)] : []),
      ...(path === bad && wanted.includes(name) ? [invalidValue(`${path}[${index}]`, name, overlap)] : []),
    ]);
  };
  return [
    ...nameErrors(wanted, good),
    ...nameErrors(failed, bad),
    ...repeated(wanted, good),
    ...repeated(failed, bad),
    ...(wanted.length === 0 && failed.length > 0
      ? [invalidValue(good, null, 'bindingConditions are required to use bindingFailureConditions')]
      : []),
    ...(failed.length === 0 && wanted.length > 0
      ? [invalidValue(bad, null, 'bindingFailureConditions are required to use bindingConditions')]
      : []),
  ];
}

/** Validates the items of a list, each of which has a key of its own. */
function setErrors(
  items: readonly JsonObject[],
  key: string,
  at: string,
  most: number,
  errorsOf: (item: JsonObject, at: string) => readonly FieldError[],
): readonly FieldError[] {
  if (items.length > most) return [tooMany(at, items.length, most)];
  const repeats = repeatsOf(items.map((item) => item?.[key] ?? ''));
  return [
    ...items.flatMap((item, index) => errorsOf(structOf(item), `${at}[${index}]`)),
    ...items.flatMap((item, index) => (repeats[index] ? [duplicate(`${at}[${index}]`, item?.[key] ?? '')] : [])),
  ];
}
