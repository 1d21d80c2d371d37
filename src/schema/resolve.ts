import { onceFor } from '../util/once-for.js';
import type { MapType, Schema, Type, TypeRef } from './model.js';

/**
 * Returns the type that a reference names. A reference may override the map relation of its type (field-level `x-kubernetes-map-type`,
 * Kubernetes 1.25+). The same reference returns the same object.
 *
 * @throws Error if the schema lacks the name: a bug in the code that made the schema.
 */
export function resolve(schema: Schema, ref: TypeRef): Type {
  if ('inline' in ref) return ref.inline;
  const type = schema.types.get(ref.name);
  if (type === undefined) throw new Error(`The schema has no type ${JSON.stringify(ref.name)}.`);
  const relation = ref.mapRelation;
  if (relation === undefined || type.map === undefined || type.map.relation === relation) return type;
  return withRelation[relation](type);
}

const withRelation = {
  granular: onceFor((type: Type): Type => ({ ...type, map: { ...(type.map as MapType), relation: 'granular' } })),
  atomic: onceFor((type: Type): Type => ({ ...type, map: { ...(type.map as MapType), relation: 'atomic' } })),
};
