import { additionalOf, propertiesOf, type StructuralSchema } from './structural-schema.js';

const escapes: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', "'": "'", '\\': '\\' };

/**
 * Returns a `fieldPath` of a rule, such as `.spec['a.b']`, as errors show it; undefined for one that leads to no field of the schema.
 * Source: Kubernetes API reference, ValidationRule.
 */
export function fieldPathOf(text: string, schema: StructuralSchema): string | undefined {
  let at = 0;
  let path = '';
  let node: StructuralSchema | undefined = schema;
  while (at < text.length) {
    const step = stepAt(text, at);
    const next: { path: string; schema: StructuralSchema | undefined } | undefined = step && node && memberOf(step.name, node);
    if (step === undefined || next === undefined) return undefined;
    path += next.path;
    node = next.schema;
    at += step.length;
  }
  return path;
}

function memberOf(
  name: string,
  schema: StructuralSchema,
): { readonly path: string; readonly schema: StructuralSchema | undefined } | undefined {
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
