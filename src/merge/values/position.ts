import type { FieldPath } from '../../fields/index.js';
import type { MapType, RootType, Schema, Type, TypeRef } from '../../schema/index.js';
import { deducedType, resolve } from '../../schema/index.js';
import type { Json, JsonObject } from '../../util/json.js';

/** The shape of a value at run time; it selects the part of a type that applies. */
export type Shape = 'null' | 'scalar' | 'list' | 'map';

export function shapeOf(value: Json): Shape {
  if (value === null) return 'null';
  if (typeof value !== 'object') return 'scalar';
  return Array.isArray(value) ? 'list' : 'map';
}

/** Returns an own member of a map, never one that JavaScript objects inherit. */
export function memberOf(map: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}

/** Returns the type of a member of a map; undefined if the schema rejects such a member. */
export function memberType(map: MapType, name: string): TypeRef | undefined {
  return map.fields.get(name)?.type ?? map.element;
}

/** Returns the type that a reference names; content without a declared type is deduced. */
export function typeAt(schema: Schema, ref: TypeRef | undefined): Type {
  return ref === undefined ? deducedType : resolve(schema, ref);
}

/** Returns the type at a path; undefined where the schema has none. */
export function typeAtPath({ schema, type: root }: Pick<RootType, 'schema' | 'type'>, path: FieldPath): Type | undefined {
  let ref: TypeRef | undefined = root;
  for (const element of path) {
    const type = typeAt(schema, ref);
    ref = element.kind === 'field' ? type.map && memberType(type.map, element.name) : type.list?.element;
    if (ref === undefined) return undefined;
  }
  return typeAt(schema, ref);
}
