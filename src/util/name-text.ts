/** A kind of names, and what is said of a text that is none of them. Source: Kubernetes documentation "Object Names and IDs"; texts as observed. */
export interface NameText {
  /** The most characters. */
  readonly length: number;
  readonly pattern: RegExp;
  readonly text: string;
}

export const nameTexts = {
  label: {
    length: 63,
    pattern: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
    text: "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
  },
  label1035: {
    length: 63,
    pattern: /^[a-z]([-a-z0-9]*[a-z0-9])?$/,
    text: "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
  },
  subdomain: {
    length: 253,
    pattern: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
    text: "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
  },
} as const satisfies Readonly<Record<string, NameText>>;

/** Returns why a text is not a name of a kind; empty if it is one. */
export function nameTextErrors(name: string, wanted: NameText): readonly string[] {
  const { pattern, text, length } = wanted;
  const isDotted = wanted === nameTexts.label && name.includes('.') && isSubdomain(name);
  const wrong = pattern.test(name) ? [] : [isDotted ? 'must not contain dots' : text];
  return name.length > length ? [`must be no more than ${length} characters`, ...wrong] : wrong;
}

/** Returns why a text cannot be a segment of a URL, as every name of an object is. */
export function pathNameErrors(name: string): readonly string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  const bad = ['/', '%'].find((character) => name.includes(character));
  return bad === undefined ? [] : [`may not contain '${bad}'`];
}

export function isSubdomain(text: string): boolean {
  return nameTexts.subdomain.pattern.test(text);
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
    if (!isSubdomain(prefix)) errors.push(`prefix part ${nameTexts.subdomain.text}`);
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
