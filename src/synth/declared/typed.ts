import {
  isAnyJson,
  objectMetaName,
  objectMetaTypes,
  predefinedTypes,
  type RootType,
  resolve,
  type Schema,
  type Type,
  type TypeRef,
} from '../../schema/index.js';

/** A type, with the schema of its references. Undefined instead of a `Typed` means that the type is not known. */
export interface Typed {
  readonly schema: Schema;
  readonly type: Type;
}

/** Returns the type of a whole object. */
export function typedRoot({ schema, type }: RootType): Typed {
  return typed(schema, type);
}

/** The types of the builders in a program, which are used for literals of the same kind, too. */
export class KnownTypes {
  readonly #roots = new Map<string, RootType>();
  readonly #metadataOnly = metadataOnly();

  constructor(roots: Iterable<RootType>) {
    for (const root of roots) this.#roots.set(`${root.apiVersion} ${root.kind}`, root);
  }

  /** Returns the type of a kind; undefined if no builder knows it. */
  root(apiVersion: string, kind: string): RootType | undefined {
    return this.#roots.get(`${apiVersion} ${kind}`);
  }

  /** Returns the type of an object; if it is not known, a type in which only the metadata is known. */
  typed(root: RootType | undefined): Typed {
    return root ? typedRoot(root) : this.#metadataOnly;
  }
}

function metadataOnly(): Typed {
  const schema: Schema = { types: new Map([...predefinedTypes, ...objectMetaTypes()]) };
  const fields = new Map([['metadata', { type: { name: objectMetaName } }]]);
  return { schema, type: { map: { relation: 'granular', fields, required: [] } } };
}

/** Returns the type of a member of a map; undefined if the schema does not declare it. */
export function memberOf(parent: Typed | undefined, name: string): Typed | undefined {
  const ref = parent?.type.map?.fields.get(name)?.type ?? parent?.type.map?.element;
  return parent && ref ? typed(parent.schema, ref) : undefined;
}

/** Returns the type of the items of a list; undefined if the schema does not declare it. */
export function itemOf(parent: Typed | undefined): Typed | undefined {
  return parent?.type.list ? typed(parent.schema, parent.type.list.element) : undefined;
}

/** Returns true if the schema says nothing of a value, so that its type is deduced from the value. */
export function isDeduced({ type }: Typed): boolean {
  return isAnyJson(type);
}

function typed(schema: Schema, ref: TypeRef): Typed {
  return { schema, type: resolve(schema, ref) };
}
