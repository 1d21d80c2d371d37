import { parse } from 'yaml';
import type { Field, Schema, Type, TypeRef } from '../../src/schema/index.js';
import type { Json } from '../../src/util/json.js';

interface SmdRef extends SmdAtom {
  readonly namedType?: string;
  readonly elementRelationship?: 'associative' | 'atomic' | 'separable';
}

interface SmdAtom {
  readonly scalar?: 'numeric' | 'string' | 'boolean' | 'untyped';
  readonly list?: {
    readonly elementType: SmdRef;
    readonly elementRelationship: 'associative' | 'atomic' | 'separable';
    readonly keys?: readonly string[];
  };
  readonly map?: {
    readonly fields?: readonly { readonly name: string; readonly type: SmdRef; readonly default?: Json }[];
    readonly elementType?: SmdRef;
    readonly elementRelationship?: 'atomic' | 'separable' | '';
  };
}

/** Reads a schema of structured-merge-diff, as YAML. */
export function readSchema(text: string): Schema {
  const { types = [] } = (parse(text) ?? {}) as { types?: readonly (SmdAtom & { readonly name: string })[] };
  const atoms = new Map<string, SmdAtom>(types.map((type) => [type.name, type]));
  return { types: new Map(types.map((type) => [type.name, typeOf(type, atoms)])) };
}

/** Reads a reference to a type of a schema, as YAML. */
export function readRef(text: string, schemaText: string): TypeRef {
  const { types = [] } = (parse(schemaText) ?? {}) as { types?: readonly (SmdAtom & { readonly name: string })[] };
  return refOf(parse(text) as SmdRef, new Map<string, SmdAtom>(types.map((type) => [type.name, type])));
}

type Atoms = ReadonlyMap<string, SmdAtom>;

function refOf(ref: SmdRef, atoms: Atoms): TypeRef {
  const { namedType, elementRelationship } = ref;
  if (namedType !== undefined && elementRelationship === undefined) return { name: namedType };
  const { list, map } = namedType === undefined ? ref : (atoms.get(namedType) ?? {});
  if (elementRelationship === undefined) return { inline: typeOf(ref, atoms) };
  if (namedType !== undefined && list === undefined)
    return { name: namedType, mapRelation: elementRelationship === 'atomic' ? 'atomic' : 'granular' };
  const overridden = {
    ...(list === undefined ? {} : { list: { ...list, elementRelationship } }),
    ...(map === undefined
      ? {}
      : { map: { ...map, elementRelationship: elementRelationship === 'atomic' ? 'atomic' : 'separable' } as const }),
  };
  return { inline: typeOf(overridden, atoms) };
}

function typeOf({ scalar, list, map }: SmdAtom, atoms: Atoms): Type {
  return {
    ...(scalar === undefined ? {} : { scalar: { kind: scalar } }),
    ...(list === undefined
      ? {}
      : {
          list: {
            relation: list.elementRelationship === 'atomic' ? 'atomic' : 'associative',
            keys: (list.keys ?? []).toSorted(),
            element: refOf(list.elementType, atoms),
          },
        }),
    ...(map === undefined ? {} : { map: mapOf(map, atoms) }),
  };
}

function mapOf({ fields = [], elementType, elementRelationship }: NonNullable<SmdAtom['map']>, atoms: Atoms): NonNullable<Type['map']> {
  const hasElement = elementType !== undefined && Object.keys(elementType).length > 0;
  return {
    relation: elementRelationship === 'atomic' ? 'atomic' : 'granular',
    fields: new Map(
      fields.map(({ name, type, default: value }): [string, Field] => [
        name,
        { type: refOf(type, atoms), ...(value === undefined || value === null ? {} : { default: value }) },
      ]),
    ),
    required: [],
    ...(hasElement ? { element: refOf(elementType, atoms) } : {}),
  };
}
