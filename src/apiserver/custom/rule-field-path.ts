import { additionalOf, propertiesOf, type StructuralSchema } from './structural-schema.js';

const escapes: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', "'": "'", '\\': '\\' };

/** Where a path leads: as errors show it, and the schema there. */
export interface FoundField {
  readonly path: string;
  readonly schema: StructuralSchema | undefined;
}

/**
 * Returns a `fieldPath` of a rule, such as `.spec['a.b']`, as errors show it; undefined for one that leads to no field of the schema.
 * Source: Kubernetes API reference, ValidationRule.
 */
export function fieldPathOf(text: string, schema: StructuralSchema): string | undefined {
  const found = findField(text, schema);
  return typeof found === 'string' ? undefined : found.path;
}

/** Returns the field to which a path leads, or why there is none; `brackets`: names in brackets are allowed. */
export function findField(text: string, schema: StructuralSchema, { brackets } = { brackets: true }): FoundField | string {
  let at = 0;
  let found: FoundField = { path: '', schema };
  while (at < text.length) {
    if (!brackets && text[at] === '[') return 'array notation is not allowed';
    const step = stepAt(text, at);
    if (step === undefined) return problemAt(text, at);
    const next = found.schema && memberOf(step.name, found.schema);
    if (next === undefined) return 'does not refer to a valid field';
    found = { path: found.path + next.path, schema: next.schema };
    at += step.length;
  }
  return found;
}

function problemAt(text: string, at: number): string {
  if (text[at] === '.') return at + 1 < text.length ? 'does not refer to a valid field' : 'unexpected end of JSON path';
  return `expected [ or . but got: ${text.slice(at).split(/[.[\]]/, 1)[0]}`;
}

function memberOf(name: string, schema: StructuralSchema): FoundField | undefined {
  const properties = propertiesOf(schema);
  if (schema.properties !== undefined) return Object.hasOwn(properties, name) ? { path: `.${name}`, schema: properties[name] } : undefined;
  const additional = additionalOf(schema);
  return additional === undefined ? undefined : { path: `[${name}]`, schema: additional === true ? undefined : additional };
}

function stepAt(text: string, from: number): { readonly name: string; readonly length: number } | undefined {
  if (text[from] === '.') {
    const end = text.slice(from + 1).search(/[.[\]]/);
    const name = text.slice(from + 1, end < 0 ? undefined : from + 1 + end);
    return name === '' ? undefined : { name, length: name.length + 1 };
  }
  if (text[from] !== '[' || text[from + 1] !== "'") return undefined;
  let name = '';
  for (let at = from + 2; at < text.length; at++) {
    const character = text[at] as string;
    if (character === "'") return text[at + 1] === ']' ? { name, length: at + 2 - from } : undefined;
    if (character !== '\\') name += character;
    else {
      const escaped = escapes[text[++at] ?? ''];
      if (escaped === undefined) return undefined;
      name += escaped;
    }
  }
  return undefined;
}
