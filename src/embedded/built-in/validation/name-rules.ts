import type { Json } from '../../../util/json.js';
import { type FieldError, invalidValue } from '../../api/field-error.js';

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

export const subdomainText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const labelText =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

export function isSubdomain(text: string): boolean {
  return subdomain.test(text);
}

/** Validates a DNS subdomain name. Source: Kubernetes documentation "Object Names and IDs". */
export function subdomainErrors(field: string, name: string): readonly FieldError[] {
  return nameError(field, name, subdomain, subdomainText, 253);
}

export function labelErrors(field: string, name: string): readonly FieldError[] {
  return nameError(field, name, label, labelText, 63);
}

/** Validates a name that is a path segment. */
export function pathNameErrors(field: string, name: string): readonly FieldError[] {
  if (name === '.' || name === '..') return [invalidValue(field, name, `may not be '${name}'`)];
  const bad = ['/', '%'].find((character) => name.includes(character));
  return bad === undefined ? [] : [invalidValue(field, name, `may not contain '${bad}'`)];
}

function nameError(field: string, name: string, pattern: RegExp, text: string, length: number): readonly FieldError[] {
  return [
    ...(name.length > length ? [invalidValue(field, name, `must be no more than ${length} bytes`)] : []),
    ...(pattern.test(name) ? [] : [invalidValue(field, name, text)]),
  ];
}

/** Validates a port number. */
export function portNumberErrors(field: string, port: Json): readonly FieldError[] {
  const fits = typeof port === 'number' && port >= 1 && port <= 65535;
  return fits ? [] : [invalidValue(field, port, 'must be between 1 and 65535, inclusive')];
}
