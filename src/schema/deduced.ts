import type { ScalarType, Type, TypeRef } from './model.js';

/**
 * Types of content without a schema, under names that no Kubernetes type can have (those contain a dot). Source: structured merge of
 * unstructured content, Kubernetes documentation "Server-Side Apply".
 */

/** Any JSON: map members have their own owners, and lists are leaves. */
export const deducedName = 'deduced';
/** Any JSON that is a leaf as a whole. */
export const untypedName = 'untyped';

export const deduced: TypeRef = { name: deducedName };
export const untyped: TypeRef = { name: untypedName };

const none = { fields: new Map(), required: [] };

export const deducedType: Type = {
  scalar: { kind: 'untyped' },
  list: { relation: 'atomic', keys: [], element: untyped },
  map: { ...none, relation: 'granular', element: deduced },
};

export const untypedType: Type = {
  scalar: { kind: 'untyped' },
  list: { relation: 'atomic', keys: [], element: untyped },
  map: { ...none, relation: 'atomic', element: untyped },
};

/** Any JSON of which a server merges everything, but stores no member of an object: `additionalProperties: true` of a custom resource. */
export const emptiedType: Type = { ...deducedType, map: { ...none, relation: 'granular', element: deduced, pruned: true } };

/** Returns true for a type of any JSON that says nothing of it: of no field, no undeclared member and no item. */
export function isAnyJson({ scalar, list, map }: Type): boolean {
  if (!isAnyScalar(scalar) || list === undefined || map === undefined) return false;
  return map.fields.size === 0 && (map.element === undefined || isAnyRef(map.element)) && isAnyRef(list.element);
}

/** Returns true for a type that any JSON fits as far as it is neither a list nor an object. */
export function acceptsAny({ scalar, list, map }: Type): boolean {
  return isAnyScalar(scalar) && list !== undefined && map !== undefined;
}

function isAnyScalar(scalar: ScalarType | undefined): boolean {
  return scalar?.kind === 'untyped' && scalar.format === undefined;
}

function isAnyRef(ref: TypeRef): boolean {
  return 'inline' in ref ? isAnyJson(ref.inline) : ref.name === deducedName || ref.name === untypedName;
}

/** The types that every schema contains. */
export const predefinedTypes: readonly (readonly [string, Type])[] = [
  [deducedName, deducedType],
  [untypedName, untypedType],
];
