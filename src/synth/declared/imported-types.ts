import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type RootType, readModuleTable, rootTypes, type Table } from '../../schema/index.js';
import type { ShippedTypes } from './shipped-types.js';

const builtInModules = 'fieldwise/k8s/';
/** Two names of DNS and a slash. */
const maxApiVersion = 512;

/**
 * The types of the modules that `fieldwise import` has written below `imports/` of the project: of kinds, too, for which the program uses no
 * builder. Modules are read as text and never run; one that cannot be read has no types.
 */
export class ImportedTypes {
  readonly #directory: string;
  readonly #shipped: ShippedTypes;
  readonly #tables = new Map<string, Table | undefined>();

  /** @param project the directory of the project */
  constructor(project: string, shipped: ShippedTypes) {
    this.#directory = join(project, 'imports');
    this.#shipped = shipped;
  }

  /** Returns the type of a kind; undefined if no module has it. */
  root(apiVersion: string, kind: string): RootType | undefined {
    if (apiVersion.length > maxApiVersion || !/^[a-z0-9][a-z0-9.-]*\/v[a-z0-9]+$/.test(apiVersion)) return undefined;
    const table = this.#table(apiVersion);
    if (table === undefined) return undefined;
    return rootTypes(table).find((root) => root.apiVersion === apiVersion && root.kind === kind && root.subresource === undefined);
  }

  #table(module: string): Table | undefined {
    if (this.#tables.has(module)) return this.#tables.get(module);
    this.#tables.set(module, undefined); // for modules that import each other
    const text = textAt(join(this.#directory, `${module}.ts`));
    const table = text === undefined ? undefined : readModuleTable(text, (specifier) => this.#imported(module, specifier));
    this.#tables.set(module, table);
    return table;
  }

  #imported(from: string, specifier: string): Table | undefined {
    if (specifier.startsWith(builtInModules)) return this.#shipped.table(specifier.slice(builtInModules.length));
    const module = posix.join(posix.dirname(from), specifier).replace(/\.js$/, '');
    return module.startsWith('..') ? undefined : this.#table(module);
  }
}

function textAt(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
