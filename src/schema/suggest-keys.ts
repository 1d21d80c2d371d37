import type { Schema, TypeRef } from './model.js';
import { resolve } from './resolve.js';

/** Fields that items of lists in Kubernetes are commonly told apart by. */
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
 * A guess at the list map keys of a list with these items: a conventional field that is required, else all required scalars, else a
 * conventional field; empty where nothing suggests itself.
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
