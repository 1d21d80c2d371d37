import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import { canonicalQuantity } from '../../../util/quantity.js';
import { type FieldError, invalidValue, required, unsupported } from '../../api/field-error.js';
import { listOf, structOf } from '../../api/json-access.js';
import { configKeyErrors, subdomainErrors } from '../../api/name-rules.js';

const variableText = "a valid environment variable name must consist only of printable ASCII characters other than '='";
const sources = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'];

/** Fields of a Pod that a variable can hold. */
const variableFields = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
const measuredResources = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];

/** Validates the environment of a container. Source: Kubernetes API reference, EnvVar and EnvFromSource; messages as observed. */
export function environmentErrors(container: JsonObject, at: string): readonly FieldError[] {
  return [
    ...listOf(container.env).flatMap((variable, index) => variableErrors(variable, `${at}.env[${index}]`)),
    ...listOf(container.envFrom).flatMap((from, index) => fromErrors(from, `${at}.envFrom`, index)),
  ];
}

function nameErrors(name: Json | undefined, field: string): readonly FieldError[] {
  return typeof name === 'string' && !/^[ -<>-~]+$/.test(name) ? [invalidValue(field, name, variableText)] : [];
}

function variableErrors({ name, value, valueFrom }: JsonObject, at: string): readonly FieldError[] {
  const named = name ? nameErrors(name, `${at}.name`) : [required(`${at}.name`)];
  if (!isJsonObject(valueFrom)) return named;
  const field = `${at}.valueFrom`;
  const given = sources.filter((source) => valueFrom[source] !== undefined);
  return [
    ...named,
    ...sourceErrors(valueFrom, field),
    ...(given.length === 0
      ? [invalidValue(field, '', 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`')]
      : value
        ? [invalidValue(field, '', 'may not be specified when `value` is not empty')]
        : []),
    ...(given.length > 1 ? [invalidValue(field, '', 'may not have more than one field specified at a time')] : []),
  ];
}

function sourceErrors(valueFrom: JsonObject, field: string): readonly FieldError[] {
  const { fieldRef, resourceFieldRef } = valueFrom;
  return [
    ...(isJsonObject(fieldRef) ? fieldErrors(fieldRef, `${field}.fieldRef`, variableFields, false) : []),
    ...(isJsonObject(resourceFieldRef) ? resourceFieldErrors(resourceFieldRef, `${field}.resourceFieldRef`) : []),
    ...['configMapKeyRef', 'secretKeyRef'].flatMap((name) =>
      isJsonObject(valueFrom[name]) ? keyErrors(structOf(valueFrom[name]), `${field}.${name}`) : [],
    ),
  ];
}

function keyErrors({ name, key }: JsonObject, field: string): readonly FieldError[] {
  return [
    ...subdomainErrors(`${field}.name`, String(name ?? '')),
    ...(key ? configKeyErrors(`${field}.key`, String(key)) : [required(`${field}.key`)]),
  ];
}

/** Validates a reference to a field of the Pod. */
export function fieldErrors(
  { fieldPath }: JsonObject,
  field: string,
  supported: readonly string[],
  inVolume: boolean,
): readonly FieldError[] {
  const path = String(fieldPath ?? '');
  if (path === '') return [required(`${field}.fieldPath`)];
  if (/^metadata\.(?:labels|annotations)\['.*'\]$/.test(path) || supported.includes(path)) return [];
  const isKnown = variableFields.includes(path) || /^metadata\.(?:labels|annotations)$/.test(path);
  const unknown = `error converting fieldPath: field label not supported: ${path}`;
  if (!isKnown) return [invalidValue(`${field}.fieldPath`, path, unknown)];
  return [unsupported(`${field}.fieldPath`, path, inVolume ? supported.toSorted() : supported)];
}

/** Validates a reference to a resource of a container. */
export function resourceFieldErrors(
  { resource, divisor, containerName }: JsonObject,
  field: string,
  inVolume = false,
): readonly FieldError[] {
  if (inVolume && !containerName) return [required(`${field}.containerName`)];
  if (!resource) return [required(`${field}.resource`)];
  const name = String(resource);
  if (!measuredResources.includes(name) && !/^(?:limits|requests)\.hugepages-/.test(name))
    return [unsupported(`${field}.resource`, name, measuredResources)];
  const value = canonicalQuantity(String(divisor ?? '0')) ?? '0';
  const [word, allowed] = name.endsWith('.cpu')
    ? (['cpu', ['0', '1m', '1']] as const)
    : ([name.split('.')[1] as string, ['0', '1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei']] as const);
  if ((allowed as readonly string[]).includes(value)) return [];
  const shown = word === 'cpu' ? '1m and 1' : '1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei';
  return [invalidValue(`${field}.divisor`, name, `only divisor's values ${shown} are supported with the ${word} resource`)];
}

function fromErrors({ prefix, ...refs }: JsonObject, field: string, index: number): readonly FieldError[] {
  const given = ['configMapRef', 'secretRef'].filter((name) => refs[name] !== undefined);
  const at = `${field}[${index}]`;
  return [
    ...(prefix ? nameErrors(prefix, `${at}.prefix`) : []),
    ...given.flatMap((name) => {
      const { name: referenced } = structOf(refs[name]);
      return referenced ? subdomainErrors(`${at}.${name}.name`, String(referenced)) : [required(`${at}.${name}.name`)];
    }),
    ...(given.length === 0 ? [invalidValue(field, '', 'must specify one of: `configMapRef` or `secretRef`')] : []),
    ...(given.length > 1 ? [invalidValue(field, '', 'may not have more than one field specified at a time')] : []),
  ];
}
