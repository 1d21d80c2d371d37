import { onceFor } from '../../util/once-for.js';
import { predefinedTypes } from '../deduced.js';
import type { RootType, Schema, Type } from '../model.js';
import { decodeType } from './decode-type.js';
import type { Table, TableData } from './table.js';

interface Decoded {
  readonly data: TableData;
  readonly types: Map<string, Type>;
  readonly roots: Map<string, RootType>;
  readonly schema: Schema;
}

/** Returns the schema of a generated module and of all modules it refers to. The same table returns the same schema. */
export function decodeTable(table: Table): Schema {
  return open(table).schema;
}

/**
 * Returns the root type with a name from the table, such as `Deployment` or `DeploymentStatus`.
 *
 * @throws Error if the table has no such root.
 */
export function rootType(table: Table, name: string): RootType {
  const { data, roots, schema } = open(table);
  const known = roots.get(name);
  if (known !== undefined) return known;
  const root = Object.hasOwn(data.roots, name) ? data.roots[name] : undefined;
  if (root === undefined) throw new Error(`The table of ${table.module} has no root ${JSON.stringify(name)}.`);
  const result: RootType = {
    apiVersion: root.apiVersion ?? data.apiVersion ?? '',
    kind: root.kind,
    scope: root.cluster === 1 ? 'Cluster' : 'Namespaced',
    schema,
    type: { name: fullName(table, root.type) },
    ...(root.resource === undefined ? {} : { resource: root.resource }),
    ...(root.subresources === undefined ? {} : { subresources: root.subresources }),
    ...(root.subresource === undefined ? {} : { subresource: root.subresource }),
    ...(root.overlaid === undefined ? {} : { overlaid: root.overlaid }),
  };
  roots.set(name, result);
  return result;
}

/** Returns every root of a table, status roots included. */
export function rootTypes(table: Table): readonly RootType[] {
  return Object.keys(open(table).data.roots).map((name) => rootType(table, name));
}

/** Once for each table: all builders of a module share one schema, and nothing runs when a module loads. */
const open = onceFor(
  (table: Table): Decoded => ({
    data: JSON.parse(table.json) as TableData,
    types: new Map(),
    roots: new Map(),
    schema: { types: new LazyTypes(table) },
  }),
);

/** Returns the full name of a type: names within the table are local, others include their module. */
export function fullName(table: Table, name: string): string {
  return name.includes('.') ? name : `${table.module}.${name}`;
}

function typeOf(table: Table, name: string): Type | undefined {
  const { data, types } = open(table);
  const known = types.get(name);
  if (known !== undefined) return known;
  const encoded = Object.hasOwn(data.types, name) ? data.types[name] : undefined;
  if (encoded === undefined) return undefined;
  const type = decodeType(encoded, (local) => fullName(table, local));
  types.set(name, type);
  return type;
}

/** Types of a table and its imports, each decoded when it is first asked for. */
class LazyTypes implements ReadonlyMap<string, Type> {
  static readonly #predefined = new Map(predefinedTypes);
  readonly #root: Table;
  readonly #known = new Map<string, Type>();
  #tables: Map<string, Table> | undefined;

  constructor(root: Table) {
    this.#root = root;
  }

  get(name: string): Type | undefined {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const type = LazyTypes.#predefined.get(name) ?? this.#find(name);
    if (type !== undefined) this.#known.set(name, type);
    return type;
  }

  #find(name: string): Type | undefined {
    const dot = name.lastIndexOf('.');
    const table = this.#closure().get(name.slice(0, dot));
    return table === undefined ? undefined : typeOf(table, name.slice(dot + 1));
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  get size(): number {
    return [...this.keys()].length;
  }

  *keys(): MapIterator<string> {
    yield* LazyTypes.#predefined.keys();
    for (const table of this.#closure().values()) for (const name of Object.keys(open(table).data.types)) yield `${table.module}.${name}`;
  }

  *values(): MapIterator<Type> {
    for (const [, type] of this.entries()) yield type;
  }

  *entries(): MapIterator<[string, Type]> {
    for (const name of this.keys()) yield [name, this.get(name) as Type];
  }

  [Symbol.iterator](): MapIterator<[string, Type]> {
    return this.entries();
  }

  forEach(visit: (type: Type, name: string, map: ReadonlyMap<string, Type>) => void): void {
    for (const [name, type] of this.entries()) visit(type, name, this);
  }

  #closure(): Map<string, Table> {
    if (this.#tables !== undefined) return this.#tables;
    const tables = new Map([[this.#root.module, this.#root]]);
    // A Map may grow during iteration: the loop visits transitive imports, and terminates on a cycle.
    for (const table of tables.values()) for (const next of table.imports()) if (!tables.has(next.module)) tables.set(next.module, next);
    this.#tables = tables;
    return tables;
  }
}
