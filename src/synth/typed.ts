import {
  objectMetaName,
  objectMetaTypes,
  predefinedTypes,
  type RootType,
  resolve,
  type Schema,
  type Type,
  type TypeRef,
} from '../schema/index.js';

/** A type together with the schema that its references point into. Undefined in place of one: nothing is known. */
export interface Typed {
  readonly schema: Schema;
  readonly type: Type;
}

export function typedRoot({ schema, type }: RootType): Typed {
  return typed(schema, type);
}

/** The schemas that a program's builders know; they serve literals of the same kind too. */
export class KnownTypes {
  readonly #roots = new Map<string, RootType>();
  readonly #metadataOnly = metadataOnly();

  constructor(roots: Iterable<RootType>) {
    for (const root of roots) this.#roots.set(`${root.apiVersion} ${root.kind}`, root);
  }

  root(apiVersion: string, kind: string): RootType | undefined {
    return this.#roots.get(`${apiVersion} ${kind}`);
  }

  /** Without a known schema: the type of an object of which only the metadata is known. */
  typed(root: RootType | undefined): Typed {
    return root ? typedRoot(root) : this.#metadataOnly;
  }
}

function metadataOnly(): Typed {
  const schema: Schema = { types: new Map([...predefinedTypes, ...objectMetaTypes()]) };
  const fields = new Map([['metadata', { type: { name: objectMetaName } }]]);
  return { schema, type: { map: { relation: 'granular', fields, required: [] } } };
}

/** The type of a member of a map; undefined where the schema does not tell. */
export function memberOf(parent: Typed | undefined, name: string): Typed | undefined {
  const ref = parent?.type.map?.fields.get(name)?.type ?? parent?.type.map?.element;
  return parent && ref ? typed(parent.schema, ref) : undefined;
}

/** The type of the items of a list; undefined where the schema does not tell. */
export function itemOf(parent: Typed | undefined): Typed | undefined {
  return parent?.type.list ? typed(parent.schema, parent.type.list.element) : undefined;
}

/** Whether anything may stand here: the schema leaves the inside to be told from the value. */
export function isDeduced({ type: { scalar, list, map } }: Typed): boolean {
  const isAnyScalar = scalar?.kind === 'untyped' && scalar.format === undefined;
  return isAnyScalar && list !== undefined && map !== undefined && map.fields.size === 0;
}

function typed(schema: Schema, ref: TypeRef): Typed {
  return { schema, type: resolve(schema, ref) };
}
