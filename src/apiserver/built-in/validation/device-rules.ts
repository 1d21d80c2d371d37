import { type Json, type JsonObject, jsonEqual } from '../../../util/json.js';
import { qualifiedNameErrors } from '../../../util/name-text.js';
import { duplicate, type FieldError, invalidValue, required, tooMany, unsupported } from '../../api/field-error.js';
import { listOf, repeatsOf, structOf, valuesOf } from '../../api/json-access.js';
import { labelErrors, subdomainErrors, subdomainTexts } from '../../api/name-rules.js';
import type { UpdateContext } from '../../registry/resource.js';

const oneRequest = 'exactly one of `exactly` or `firstAvailable` is required';
const modes = ['All', 'ExactCount'];
const effects = ['NoExecute', 'NoSchedule', 'None'];
const unknownRequest = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
const maxDriverBytes = 63;
const maxItems = 32;
const oneAttribute = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';

/** Validates a ResourceClaim, whose spec does not change. Source: Kubernetes API reference, ResourceClaimSpec; messages as observed. */
export function claimErrors({ spec }: JsonObject, update: UpdateContext | undefined): readonly FieldError[] {
  return update === undefined ? deviceClaimErrors(structOf(spec), 'spec.devices') : fixedErrors(structOf(spec), structOf(update.live.spec));
}

/** Validates a ResourceClaimTemplate, whose spec does not change. */
export function claimTemplateErrors({ spec }: JsonObject, update: UpdateContext | undefined): readonly FieldError[] {
  const errors = deviceClaimErrors(structOf(structOf(spec).spec), 'spec.spec.devices');
  return update === undefined ? errors : fixedErrors(structOf(spec), structOf(update.live.spec));
}

function fixedErrors(spec: JsonObject, before: JsonObject): readonly FieldError[] {
  return jsonEqual(spec, before) ? [] : [invalidValue('spec', spec, 'field is immutable')];
}

function deviceClaimErrors({ devices }: JsonObject, at: string): readonly FieldError[] {
  const { requests, constraints, config } = structOf(devices);
  const list = listOf(requests);
  const names = new Set(list.flatMap(requestNames));
  const references = (value: Json | undefined, path: string) =>
    valuesOf(value).flatMap((name, index) => (names.has(String(name)) ? [] : [invalidValue(`${path}[${index}]`, name, unknownRequest)]));
  return [
    ...setErrors(list, `${at}.requests`, requestErrors),
    ...listOf(constraints).flatMap((constraint, index) => [
      ...references(constraint.requests, `${at}.constraints[${index}].requests`),
      ...(Number(constraint.matchAttribute !== undefined) + Number(constraint.distinctAttribute !== undefined) === 1
        ? []
        : [required(`${at}.constraints[${index}]`, oneAttribute)]),
    ]),
    ...listOf(config).flatMap((each, index) => [
      ...references(each.requests, `${at}.config[${index}].requests`),
      ...opaqueErrors(each.opaque, `${at}.config[${index}].opaque`),
    ]),
  ];
}

/** Returns the names by which a claim refers to a request, and to those of which the first available one is taken. */
function requestNames({ name, firstAvailable }: JsonObject): readonly string[] {
  return [String(name), ...listOf(firstAvailable).map((each) => `${name}/${each.name}`)];
}

function opaqueErrors(opaque: Json | undefined, at: string): readonly FieldError[] {
  if (opaque === undefined) return [required(at)];
  const { driver, parameters } = structOf(opaque);
  return [
    ...driverNameErrors(String(driver ?? ''), `${at}.driver`),
    ...(parameters === undefined || parameters === null ? [required(`${at}.parameters`)] : []),
  ];
}

/** Validates the name of a driver, whose letters may be large. */
export function driverNameErrors(name: string, at: string): readonly FieldError[] {
  if (name === '') return [required(at)];
  return [...tooLong(at, name, maxDriverBytes), ...subdomainTexts(name.toLowerCase()).map((text) => invalidValue(at, name, text))];
}

/** Refuses a text with more bytes than a limit. */
export function tooLong(field: string, text: string, bytes: number): readonly FieldError[] {
  return Buffer.byteLength(text) > bytes ? [{ type: 'tooLong', field, detail: `may not be more than ${bytes} bytes` }] : [];
}

/** Validates a DeviceClass, apart from its expressions. Source: Kubernetes API reference, DeviceClassSpec; messages as observed. */
export function deviceClassErrors({ spec }: JsonObject): readonly FieldError[] {
  const { selectors, config, extendedResourceName: name } = structOf(spec);
  const field = 'spec.extendedResourceName';
  return [
    ...limitedErrors(listOf(selectors), 'spec.selectors', ({ cel }, at) => (cel === undefined ? [required(`${at}.cel`)] : [])),
    ...limitedErrors(listOf(config), 'spec.config', ({ opaque }, at) => opaqueErrors(opaque, `${at}.opaque`)),
    ...(name === undefined || isExtendedResource(String(name))
      ? []
      : [invalidValue(field, name, 'must be a valid extended resource name')]),
  ];
}

/** Source: Kubernetes documentation "Extended Resources". */
function isExtendedResource(name: string): boolean {
  const isNative = !name.includes('/') || name.includes('kubernetes.io/');
  return !isNative && !name.startsWith('requests.') && qualifiedNameErrors(`requests.${name}`).length === 0;
}

/** Validates the items of a list that may have so many. */
function limitedErrors(
  items: readonly JsonObject[],
  at: string,
  errorsOf: (item: JsonObject, at: string) => readonly FieldError[],
): readonly FieldError[] {
  if (items.length > maxItems) return [tooMany(at, items.length, maxItems)];
  return items.flatMap((item, index) => errorsOf(item, `${at}[${index}]`));
}

/** Validates the items of a list, each of which has a name of its own. */
function setErrors(
  items: readonly JsonObject[],
  at: string,
  errorsOf: (item: JsonObject, at: string) => readonly FieldError[],
): readonly FieldError[] {
  const repeats = repeatsOf(items.map(({ name }) => name));
  return items.flatMap((item, index) => [
    ...errorsOf(item, `${at}[${index}]`),
    ...(repeats[index] ? [duplicate(`${at}[${index}]`, item.name ?? '')] : []),
  ]);
}

function requestErrors({ name, exactly, firstAvailable }: JsonObject, at: string): readonly FieldError[] {
  const several = listOf(firstAvailable);
  const ofName = labelErrors(`${at}.name`, String(name ?? ''));
  if (exactly === undefined && several.length === 0) return [...ofName, required(at, oneRequest)];
  if (exactly !== undefined && several.length > 0) return [...ofName, invalidValue(at, null, `${oneRequest}, but multiple fields are set`)];
  if (exactly !== undefined) return [...ofName, ...deviceErrors(structOf(exactly), `${at}.exactly`)];
  const subRequestErrors = (each: JsonObject, path: string) => [
    ...labelErrors(`${path}.name`, String(each.name ?? '')),
    ...deviceErrors(each, path),
  ];
  return [...ofName, ...setErrors(several, `${at}.firstAvailable`, subRequestErrors)];
}

function deviceErrors({ deviceClassName, selectors, allocationMode, count, tolerations }: JsonObject, at: string): readonly FieldError[] {
  const className = String(deviceClassName ?? '');
  return [
    ...(className === '' ? [required(`${at}.deviceClassName`)] : subdomainErrors(`${at}.deviceClassName`, className)),
    ...listOf(selectors).flatMap(({ cel }, index) => (cel === undefined ? [required(`${at}.selectors[${index}].cel`)] : [])),
    ...modeErrors(allocationMode, Number(count ?? 0), at),
    ...listOf(tolerations).flatMap((toleration, index) => tolerationErrors(toleration, `${at}.tolerations[${index}]`)),
  ];
}

function modeErrors(mode: Json | undefined, count: number, at: string): readonly FieldError[] {
  if (!modes.includes(String(mode))) return [unsupported(`${at}.allocationMode`, mode, modes)];
  if (mode === 'All') return count === 0 ? [] : [invalidValue(`${at}.count`, count, "must not be specified when allocationMode is 'All'")];
  return count > 0 ? [] : [invalidValue(`${at}.count`, count, 'must be greater than zero')];
}

function tolerationErrors({ operator, value, effect }: JsonObject, at: string): readonly FieldError[] {
  return [
    ...(operator === 'Exists' && value ? [invalidValue(`${at}.value`, value, 'must be empty for operator `Exists`')] : []),
    ...(operator === 'Exists' || operator === 'Equal' ? [] : [unsupported(`${at}.operator`, operator, ['Equal', 'Exists'])]),
    ...(effect === undefined || effects.includes(String(effect)) ? [] : [unsupported(`${at}.effect`, effect, effects)]),
  ];
}
