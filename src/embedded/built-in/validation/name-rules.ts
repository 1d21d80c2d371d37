import type { Json } from '../../../util/json.js';
import { type FieldError, invalidValue } from '../../api/field-error.js';

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

const subdomainText =
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

/** Validates a DNS label. Source: Kubernetes documentation "Object Names and IDs". */
export function labelErrors(field: string, name: string): readonly FieldError[] {
  const isDotted = name.includes('.') && isSubdomain(name);
  return nameError(field, name, label, isDotted ? 'must not contain dots' : labelText, 63);
}

const searchPath = /^_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$/;
const searchPathText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')";

/** Validates a domain in which a Pod looks for names; `.` is the root. */
export function searchPathErrors(field: string, path: string): readonly FieldError[] {
  return path === '.' ? [] : nameError(field, path.replace(/\.$/, ''), searchPath, searchPathText, 253);
}

/** Validates a name that is a path segment. */
export function pathNameErrors(field: string, name: string): readonly FieldError[] {
  if (name === '.' || name === '..') return [invalidValue(field, name, `may not be '${name}'`)];
  const bad = ['/', '%'].find((character) => name.includes(character));
  return bad === undefined ? [] : [invalidValue(field, name, `may not contain '${bad}'`)];
}

function nameError(field: string, name: string, pattern: RegExp, text: string, length: number): readonly FieldError[] {
  return [
    ...(name.length > length ? [invalidValue(field, name, `must be no more than ${length} characters`)] : []),
    ...(pattern.test(name) ? [] : [invalidValue(field, name, text)]),
  ];
}

/** Validates a port number. */
export function portNumberErrors(field: string, port: Json): readonly FieldError[] {
  const fits = typeof port === 'number' && port >= 1 && port <= 65535;
  return fits ? [] : [invalidValue(field, port, 'must be between 1 and 65535, inclusive')];
}

const qualifiedName = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;

const namePartText =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labelValueText =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/** Returns errors for a text that is not a qualified name, such as a label key. */
export function qualifiedNameErrors(text: string): readonly string[] {
  const [first = '', second, ...more] = text.split('/');
  if (more.length > 0)
    return [`a valid label key ${namePartText} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  const [prefix, name] = second === undefined ? [undefined, first] : [first, second];
  const errors: string[] = [];
  if (prefix === '') errors.push('prefix part must be non-empty');
  else if (prefix !== undefined) {
    if (prefix.length > 253) errors.push('prefix part must be no more than 253 bytes');
    if (!isSubdomain(prefix)) errors.push(`prefix part ${subdomainText}`);
  }
  if (name === '') errors.push('name part must be non-empty');
  if (name.length > 63) errors.push('name part must be no more than 63 bytes');
  if (!qualifiedName.test(name)) errors.push(`name part ${namePartText}`);
  return errors;
}

/** Returns errors for a text that is not the value of a label. */
export function labelValueErrors(value: string): readonly string[] {
  return [
    ...(value.length > 63 ? ['must be no more than 63 bytes'] : []),
    ...(value === '' || qualifiedName.test(value) ? [] : [labelValueText]),
  ];
}

/** Validates the name of a port. */
export function portNameErrors(field: string, name: string): readonly FieldError[] {
  const texts = [
    ...(name.length > 15 ? ['must be no more than 15 characters'] : []),
    ...(/^[-a-z0-9]+$/.test(name) ? [] : ['must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)']),
    ...(/[a-z]/.test(name) ? [] : ['must contain at least one letter (a-z)']),
    ...(name.includes('--') ? ['must not contain consecutive hyphens'] : []),
    ...(/^-|-$/.test(name) ? ['must not begin or end with a hyphen'] : []),
  ];
  return texts.map((text) => invalidValue(field, name, text));
}

/** Validates a number that cannot be negative. */
export function nonNegativeErrors(field: string, value: Json | undefined): readonly FieldError[] {
  return typeof value === 'number' && value < 0 ? [invalidValue(field, value, 'must be greater than or equal to 0')] : [];
}

const configKey = /^[-._a-zA-Z0-9]+$/;
const configKeyText =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

/** Validates a key of a ConfigMap or Secret. */
export function configKeyErrors(field: string, key: string): readonly FieldError[] {
  return configKey.test(key) ? [] : [invalidValue(field, key, configKeyText)];
}
