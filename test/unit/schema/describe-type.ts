import type { Schema, Type, TypeRef } from '../../../src/schema/index.js';
import { resolve } from '../../../src/schema/index.js';

/** A type in a few words, for tables of tests. */
export function describeType(schema: Schema, ref: TypeRef): string {
  if ('name' in ref && (ref.name === 'deduced' || ref.name === 'untyped')) return ref.name === 'deduced' ? 'any' : 'untyped atomic';
  const type: Type = resolve(schema, ref);
  const { scalar, list, map } = type;
  const parts: string[] = [];
  if (scalar) parts.push(`${scalar.integer ? 'integer' : scalar.kind}${scalar.enum ? ` ${scalar.enum.join('|')}` : ''}`);
  if (list) {
    const relation = list.relation === 'atomic' ? 'atomic' : list.keys.length === 0 ? 'set' : `keyed ${list.keys.join('+')}`;
    parts.push(`${relation} [${describeType(schema, list.element)}]`);
  }
  if (map) {
    const fields = [...map.fields].map(([name, field]) => `${name}: ${describeType(schema, field.type)}`);
    if (map.element) fields.push(`*: ${describeType(schema, map.element)}`);
    parts.push(`${map.relation} {${fields.join(', ')}}`);
  }
  const text = parts.join(' + ');
  if (text !== 'untyped + atomic [untyped atomic] + granular {*: any}') return text;
  return scalar?.format === undefined ? 'any' : scalar.format;
}
