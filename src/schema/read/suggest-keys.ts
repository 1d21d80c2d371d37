import type { Schema, TypeRef } from '../model.js';
import { resolve } from '../resolve.js';

/** Fields that commonly distinguish items of lists in Kubernetes. */
const conventional = [
  'name',
  'key',
  'id',
  'port',
  'containerPort',
  'mountPath',
  'devicePath',
  'host',
  'hostname',
  'ip',
  'topologyKey',
  'type',
  'uid',
];

/**
 * Suggests list map keys for a list with these items: a conventional field that is required, else all required scalars, else a conventional
 * field; empty if no field is suitable.
 */
export function suggestKeys(schema: Schema, items: TypeRef): readonly string[] {
  const map = resolve(schema, items).map;
  if (map === undefined) return [];
  const isScalar = (name: string) => {
    const field = map.fields.get(name);
    const type = field && resolve(schema, field.type);
    return type?.scalar !== undefined && type.map === undefined && type.list === undefined;
  };
  const required = map.required.filter(isScalar);
  const usual = conventional.filter((name) => map.fields.has(name) && isScalar(name));
  const both = usual.find((name) => required.includes(name));
  if (both !== undefined) return [both];
  return required.length > 0 ? [...required].sort() : usual.slice(0, 1);
}
