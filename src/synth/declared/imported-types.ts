import { readdirSync, readFileSync } from 'node:fs';
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
  readonly #groups = new Map<string, readonly RootType[]>();
  #directories: readonly string[] | undefined;

  /** @param project the directory of the project */
  constructor(project: string, shipped: ShippedTypes) {
    this.#directory = join(project, 'imports');
    this.#shipped = shipped;
  }

  /** Returns the type of a kind; undefined if no module has it. */
  root(apiVersion: string, kind: string): RootType | undefined {
    if (apiVersion.length > maxApiVersion || !/^[a-z0-9][a-z0-9.-]*\/v[a-z0-9]+$/.test(apiVersion)) return undefined;
    const [group, version] = apiVersion.split('/') as [string, string];
    const [root, ...others] = this.#directoriesOf(group)
      .flatMap((name) => this.#rootsOf(`${name}/${version}`))
      .filter((root) => root.apiVersion === apiVersion && root.kind === kind && root.subresource === undefined);
    return others.length === 0 ? root : undefined; // two sources of one kind may differ
  }

  /** Returns the directories that may have the kinds of a group: also those of `NAME:=SPEC`. */
  #directoriesOf(group: string): readonly string[] {
    this.#directories ??= directoriesIn(this.#directory);
    return this.#directories.filter((name) => name === group || name.endsWith(`-${group}`));
  }

  #rootsOf(module: string): readonly RootType[] {
    const table = this.#table(module);
    return table === undefined ? [] : rootTypes(table);
  }

  /** Returns the kinds of all modules of the group of an apiVersion. */
  kindsOfGroup(apiVersion: string): readonly Pick<RootType, 'apiVersion' | 'kind'>[] {
    const group = /^[a-z0-9][a-z0-9.-]*(?=\/)/.exec(apiVersion)?.[0];
    if (group === undefined || apiVersion.length > maxApiVersion) return [];
    const known = this.#groups.get(group);
    if (known !== undefined) return known;
    const modules = this.#directoriesOf(group).flatMap((name) =>
      modulesOf(join(this.#directory, name)).map((version) => `${name}/${version}`),
    );
    const kinds = modules.flatMap((module) => this.#rootsOf(module));
    this.#groups.set(group, kinds);
    return kinds;
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

function directoriesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  } catch {
    return [];
  }
}

/** Returns the names of the modules in a directory; none if there is no such directory. */
function modulesOf(directory: string): readonly string[] {
  try {
    return readdirSync(directory).flatMap((name) => (/^v[a-z0-9]+\.ts$/.test(name) ? [name.slice(0, -'.ts'.length)] : []));
  } catch {
    return [];
  }
}

function textAt(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
