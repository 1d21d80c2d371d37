import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import { isSubdomain } from '../../../util/name-text.js';
import { type FieldError, invalidValue, required, unsupported } from '../../api/field-error.js';
import { listOf, structOf } from '../../api/json-access.js';
import { labelErrors, portNumberErrors, subdomainErrors } from '../../api/name-rules.js';
import type { UpdateContext } from '../../registry/resource.js';

/** Validates an Ingress. Source: Kubernetes documentation "Ingress"; messages as observed. */
export function ingressErrors(object: JsonObject, update: UpdateContext | undefined): readonly FieldError[] {
  const spec = structOf(object.spec);
  const { defaultBackend, ingressClassName } = spec;
  const errors: FieldError[] = update === undefined ? [...classErrors(object, ingressClassName)] : [];
  if (listOf(spec.rules).length === 0 && defaultBackend === undefined)
    errors.push(invalidValue('spec', null, 'either `defaultBackend` or `rules` must be specified'));
  if (isJsonObject(defaultBackend)) errors.push(...backendErrors(defaultBackend, 'spec.defaultBackend'));
  if (typeof ingressClassName === 'string') errors.push(...subdomainErrors('spec.ingressClassName', ingressClassName));
  for (const [index, { host, http }] of listOf(spec.rules).entries()) {
    const at = `spec.rules[${index}]`;
    errors.push(...hostErrors(host, `${at}.host`));
    if (!isJsonObject(http)) continue;
    if (listOf(http.paths).length === 0) errors.push(required(`${at}.http.paths`));
    for (const [number, path] of listOf(http.paths).entries()) errors.push(...pathErrors(path, `${at}.http.paths[${number}]`));
  }
  for (const [index, { hosts, secretName }] of listOf(spec.tls).entries()) {
    const at = `spec.tls[${index}]`;
    for (const [number, host] of ((hosts ?? []) as readonly string[]).entries())
      errors.push(...(host === '' ? subdomainErrors(`${at}.hosts[${number}]`, host) : hostErrors(host, `${at}.hosts[${number}]`)));
    if (typeof secretName === 'string' && secretName !== '') errors.push(...subdomainErrors(`${at}.secretName`, secretName));
  }
  return errors;
}

/** Validates that the annotation that the class of an Ingress replaces names the same one. */
function classErrors(object: JsonObject, name: Json | undefined): readonly FieldError[] {
  const annotation = structOf(structOf(object.metadata).annotations)['kubernetes.io/ingress.class'];
  if (annotation === undefined || name === undefined || name === annotation) return [];
  return [invalidValue('annotations.kubernetes.io/ingress.class', annotation, 'must match `ingressClassName` when both are specified')];
}

function hostErrors(host: Json | undefined, field: string): readonly FieldError[] {
  if (typeof host !== 'string' || host === '') return [];
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) return [invalidValue(field, host, 'must be a DNS name, not an IP address')];
  return host.startsWith('*.') && isSubdomain(host.slice(2)) ? [] : subdomainErrors(field, host);
}

const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix'];

function pathErrors({ path, pathType, backend }: JsonObject, field: string): readonly FieldError[] {
  if (pathType === undefined || pathType === null) return [required(`${field}.pathType`, 'pathType must be specified')];
  const text = typeof path === 'string' ? path : '';
  const isPlain = pathType === 'Exact' || pathType === 'Prefix';
  const isOptional = pathType === 'ImplementationSpecific' && text === '';
  const errors: FieldError[] = pathTypes.includes(pathType as string) ? [] : [unsupported(`${field}.pathType`, pathType, pathTypes)];
  if ((isPlain || pathType === 'ImplementationSpecific') && !isOptional && !text.startsWith('/'))
    errors.push(invalidValue(`${field}.path`, text, 'must be an absolute path'));
  else if (isPlain && text.includes('//')) errors.push(invalidValue(`${field}.path`, text, "must not contain '//'"));
  return [...errors, ...backendErrors(structOf(backend), `${field}.backend`)];
}

function backendErrors({ service, resource }: JsonObject, field: string): readonly FieldError[] {
  if (resource !== undefined && service !== undefined) return [invalidValue(field, '', 'cannot set both resource and service backends')];
  if (isJsonObject(resource)) {
    const absent = ['kind', 'name'].filter((member) => !resource[member]);
    return absent.map((member) => required(`${field}.resource.${member}`));
  }
  if (!isJsonObject(service)) return [invalidValue(field, '', 'resource or service backend is required')];
  const { name, number } = structOf(service.port);
  const at = `${field}.service.name`;
  const errors = service.name ? [...labelErrors(at, String(service.name))] : [required(at)];
  if (name && number) errors.push(invalidValue(field, '', 'cannot set both port name & port number'));
  else if (!name && !number) errors.push(required(field, 'port name or number is required'));
  else if (number) errors.push(...portNumberErrors(`${field}.service.port.number`, number));
  return errors;
}
