import { readFileSync } from 'node:fs';
import { isBuiltIn, type RootType, rootTypes, type ShippedTable, type Table } from '../../schema/index.js';
import { packageFile } from '../../util/package-file.js';

type Shipped = Readonly<Record<string, ShippedTable>>;

/** The types of the built-in API that ship with Fieldwise. Nothing is read before a kind is asked for, and only tables in use are decoded. */
export class ShippedTypes {
  readonly #kinds = new Map<string, ReadonlyMap<string, RootType>>();
  readonly #tables = new Map<string, Table>();
  #shipped: Shipped | undefined;
  #allKinds: readonly RootType[] | undefined;

  /** Returns the type of a kind; undefined if the built-in API does not have it in this version. */
  root(apiVersion: string, kind: string): RootType | undefined {
    if (!isBuiltIn(apiVersion)) return undefined;
    const known = this.#kinds.get(apiVersion) ?? this.#kindsOf(apiVersion);
    this.#kinds.set(apiVersion, known);
    return known.get(kind);
  }

  /** Returns all kinds of the built-in API. */
  kinds(): readonly Pick<RootType, 'apiVersion' | 'kind'>[] {
    const shipped = this.#read();
    this.#allKinds ??= Object.keys(shipped).flatMap((module) => rootTypes(this.#table(module, shipped)));
    return this.#allKinds;
  }

  /** Returns the table of a module such as `meta/v1`; undefined if none is of that name. */
  table(module: string): Table | undefined {
    const shipped = this.#read();
    return Object.hasOwn(shipped, module) ? this.#table(module, shipped) : undefined;
  }

  #read(): Shipped {
    this.#shipped ??= JSON.parse(readFileSync(packageFile('lib/generated/tables.json'), 'utf8')) as Shipped;
    return this.#shipped;
  }

  #kindsOf(apiVersion: string): ReadonlyMap<string, RootType> {
    const shipped = this.#read();
    const module = Object.entries(shipped).find(([, table]) => table.apiVersion === apiVersion)?.[0];
    const roots = module === undefined ? [] : rootTypes(this.#table(module, shipped));
    return new Map(roots.filter(({ subresource }) => subresource === undefined).map((root) => [root.kind, root]));
  }

  #table(module: string, shipped: Shipped): Table {
    const known = this.#tables.get(module);
    if (known !== undefined) return known;
    const { imports, json } = shipped[module] as ShippedTable;
    const table: Table = { module, json, imports: () => imports.map((name) => this.#table(name, shipped)) };
    this.#tables.set(module, table);
    return table;
  }
}
