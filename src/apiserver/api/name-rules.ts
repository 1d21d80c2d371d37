import type { Json } from '../../util/json.js';
import { type NameText, nameTextErrors, nameTexts, pathNameErrors as pathNameTexts } from '../../util/name-text.js';
import { type FieldError, invalidValue } from './field-error.js';

const { label, subdomain } = nameTexts;

/** Validates a DNS subdomain name. Source: Kubernetes documentation "Object Names and IDs". */
export function subdomainErrors(field: string, name: string): readonly FieldError[] {
  return nameError(field, name, subdomain);
}

/** Validates a DNS label. Source: Kubernetes documentation "Object Names and IDs". */
export function labelErrors(field: string, name: string): readonly FieldError[] {
  return nameError(field, name, label);
}

const searchPath: NameText = {
  length: 253,
  pattern: /^_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$/,
  text: "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')",
};

/** Validates a domain in which a Pod looks for names; `.` is the root. */
export function searchPathErrors(field: string, path: string): readonly FieldError[] {
  return path === '.' ? [] : nameError(field, path.replace(/\.$/, ''), searchPath);
}

/** Validates a name that is a path segment. */
export function pathNameErrors(field: string, name: string): readonly FieldError[] {
  return pathNameTexts(name).map((text) => invalidValue(field, name, text));
}

function nameError(field: string, name: string, wanted: NameText): readonly FieldError[] {
  return nameTextErrors(name, wanted).map((text) => invalidValue(field, name, text));
}

/** Validates a port number. */
export function portNumberErrors(field: string, port: Json): readonly FieldError[] {
  const fits = typeof port === 'number' && port >= 1 && port <= 65535;
  return fits ? [] : [invalidValue(field, port, 'must be between 1 and 65535, inclusive')];
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

/** Returns why a text is not a DNS-1035 label. */
export function label1035Texts(name: string): readonly string[] {
  return nameTextErrors(name, nameTexts.label1035);
}

/** Returns why a text is not a DNS subdomain. */
export function subdomainTexts(name: string): readonly string[] {
  return nameTextErrors(name, subdomain);
}
