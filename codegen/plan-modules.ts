import type { RootType, SchemaDiagnostic } from '../src/schema/index.js';
import { hiddenFields, pascalCase } from '../src/schema/index.js';
import { aliasesOf, lockedAliases } from './aliases.js';
import { type BuiltInType, builtInName } from './built-in-types.js';
import { hidesGlobal } from './hides-global.js';
import { lastName, moduleOfRoot } from './module-path.js';
import type { LockedNames, ModulePlan, PlannedModule, PlannedRoot, PlannedType } from './module-plan.js';
import { partCandidates, partName, type WantedNames } from './part-names.js';
import type { FoundType } from './type-finder.js';
import { positionText, TypeFinder } from './type-finder.js';
import { combinesConditions, constructorName, NameRegistry, nameCandidates, startWithLetter } from './type-names.js';

/**
 * Sorts root types and all types that they reach into modules, and names them. `external` returns the module of a source type name that
 * another package already has. A type at the place of a `locked` name keeps that name. A type with the shape of one of the `builtIn` types
 * gets its name.
 */
export function planModules(
  roots: readonly RootType[],
  external: (sourceName: string) => string | undefined,
  locked: LockedNames = {},
  builtIn: readonly BuiltInType[] = [],
): ModulePlan {
  const sorted = roots.toSorted((a, b) => compare(a.apiVersion, b.apiVersion) || compare(a.kind, b.kind));
  const finder = new TypeFinder(external, sorted);
  const ids = sorted.map((root) => ({ root, id: finder.addRoot(root) }));
  const diagnostics: SchemaDiagnostic[] = [...finder.diagnostics];
  const types = new Map<string, PlannedType>();
  const modules: PlannedModule[] = [];
  const paths = new Set([...finder.found.values()].filter((found) => !found.external).map((found) => found.module));
  for (const path of [...paths].sort()) {
    const taken = new NameRegistry();
    const own = ids.filter(({ root }) => moduleOfRoot(root) === path);
    const found = [...finder.found.values()].filter((entry) => entry.module === path && !entry.external);
    const rootIds = new Set(own.map(({ id }) => id));
    const lockedNames = applyLockedNames(found, rootIds, Object.hasOwn(locked, path) ? locked[path] : undefined, taken);
    const moduleLock = Object.hasOwn(locked, path) ? locked[path] : undefined;
    const earlierAliases = lockedAliases(found, lockedNames, moduleLock, taken);
    const rootNames = nameRoots(own, finder.found, lockedNames, taken, diagnostics);
    const wanted = new Map(
      found.map((entry) => [entry.id, { builtIn: builtInName(entry, { types: finder.types }, builtIn), part: partName(entry) }]),
    );
    const named = nameTypes(found, wanted, rootNames, lockedNames, taken, diagnostics);
    for (const type of named) types.set(type.id, type);
    const aliases = aliasesOf(found, named, wanted, earlierAliases, taken);
    modules.push({ path, roots: plannedRoots(own, rootNames), types: named.toSorted((a, b) => compare(a.base, b.base)), aliases });
  }
  for (const found of finder.found.values()) if (found.external) types.set(found.id, planned(found, externalBase(found), undefined));
  return { schema: { types: finder.types }, types, modules, diagnostics: diagnostics };
}

/** A name from an earlier run, and the place that identifies its type. */
interface LockedName {
  readonly base: string;
  readonly position: string;
}

/**
 * Assigns names of an earlier run by type id: each to the type that is now at the place of the earlier one. Roots come first, so that no
 * part keeps the name of a status root.
 */
function applyLockedNames(
  found: readonly FoundType[],
  rootIds: ReadonlySet<string>,
  locked: LockedNames[string] | undefined,
  taken: NameRegistry,
): Map<string, LockedName> {
  const lockedNames = new Map<string, LockedName>();
  const byPosition = new Map(found.flatMap((entry) => [...entry.positions].map((position): [string, FoundType] => [position, entry])));
  const names = Object.entries(locked ?? {}).toSorted(([a], [b]) => compare(a, b));
  for (const roots of [true, false]) {
    for (const [base, position] of names) {
      const entry = byPosition.get(position);
      if (entry === undefined || rootIds.has(entry.id) !== roots || lockedNames.has(entry.id)) continue;
      if (!/^[A-Za-z][A-Za-z0-9]*$/.test(base) || !taken.isFree(base)) continue;
      lockedNames.set(entry.id, { base: taken.reserve(base), position: position });
      if (roots && hasStatus(entry)) taken.reserve(`${base}Status`);
    }
  }
  return lockedNames;
}

/** Names the kinds; if a kind has a field `status`, also reserves the name of its status root. */
function nameRoots(
  own: readonly { root: RootType; id: string }[],
  found: ReadonlyMap<string, FoundType>,
  lockedNames: ReadonlyMap<string, LockedName>,
  taken: NameRegistry,
  diagnostics: SchemaDiagnostic[],
): Map<string, string> {
  const names = new Map<string, string>();
  for (const { root, id } of own) {
    const earlier = lockedNames.get(id);
    if (earlier !== undefined) {
      names.set(id, earlier.base);
      continue;
    }
    const wanted = pascalCase(root.kind);
    const status = hasStatus(found.get(id) as FoundType);
    const free = (base: string) => taken.isFree(base) && !(status && !taken.isFree(`${base}Status`));
    const base = taken.reserve(firstFree(nameCandidates(root.kind, [], taken.numbers), free));
    if (base !== wanted) diagnostics.push(renamed(root, '.', `the kind ${root.kind}`, base));
    if (status) taken.reserve(`${base}Status`);
    names.set(id, base);
  }
  return names;
}

function firstFree(candidates: Iterable<string>, free: (base: string) => boolean): string {
  for (const candidate of candidates) if (free(candidate)) return candidate;
  throw new Error('The name candidates ran out.');
}

function hasStatus({ type }: FoundType): boolean {
  return type.map.fields.has('status');
}

/** Returns the roots. With a status subresource, `.status` is written through a separate root: `deploymentStatus(name, namespace)`. */
function plannedRoots(own: readonly { root: RootType; id: string }[], names: ReadonlyMap<string, string>): PlannedRoot[] {
  return own.flatMap(({ root, id }) => {
    const base = names.get(id) as string;
    const main = { base, root, typeId: id };
    if (!hiddenFields(root).has('status')) return [main];
    return [main, { base: `${base}Status`, root: { ...root, subresource: 'status' }, typeId: id }];
  });
}

/** Names all types of a module: first those that the source names, then those with the most uses. */
function nameTypes(
  found: readonly FoundType[],
  wantedNames: ReadonlyMap<string, WantedNames>,
  rootNames: ReadonlyMap<string, string>,
  lockedNames: ReadonlyMap<string, LockedName>,
  taken: NameRegistry,
  diagnostics: SchemaDiagnostic[],
): PlannedType[] {
  const statusNames = new Set<string>();
  for (const entry of found) if (rootNames.has(entry.id) && hasStatus(entry)) statusNames.add(`${rootNames.get(entry.id)}Status`);
  const order = found.toSorted(
    (a, b) =>
      Number(a.sourceName === undefined) - Number(b.sourceName === undefined) ||
      (a.sourceName === undefined ? Number(isCombined(a)) - Number(isCombined(b)) || totalUses(b) - totalUses(a) : 0) ||
      a.position.steps.length - b.position.steps.length ||
      compare(`${a.position.subject}${a.position.path}`, `${b.position.subject}${b.position.path}`),
  );
  return order.map((entry) => {
    const earlier = lockedNames.get(entry.id);
    const base =
      rootNames.get(entry.id) ??
      earlier?.base ??
      taken.reserveFirstFree(candidates(entry, wantedNames.get(entry.id) as WantedNames, statusNames, taken.numbers));
    const wanted = entry.sourceName === undefined ? undefined : sourceBase(entry.sourceName);
    if (wanted !== undefined && wanted !== base && !statusNames.has(wanted)) {
      diagnostics.push({
        code: 'name-changed',
        subject: entry.position.subject,
        path: entry.position.path || '.',
        message: `${wanted} is taken; named ${base}`,
      });
    }
    return planned(entry, base, earlier?.position);
  });
}

function* candidates(
  entry: FoundType,
  { builtIn, part }: WantedNames,
  statusNames: ReadonlySet<string>,
  numbers: Map<string, number>,
): Generator<string> {
  if (entry.sourceName !== undefined) {
    const source = sourceBase(entry.sourceName);
    yield statusNames.has(source) ? `${source}Fields` : source;
    yield* nameCandidates(entry.position.kind, entry.position.steps, numbers);
    return;
  }
  const own = function* () {
    if (builtIn !== undefined) yield builtIn;
    yield* partCandidates(part, numbers);
  };
  for (const name of own()) {
    // The status root has the name that the type of `.status` would have.
    if (statusNames.has(name)) yield `${name}Fields`;
    else if (!hidesGlobal(constructorName(name))) yield name;
  }
}

/** Returns true for a type that conditions combine: a type that the field itself has, such as that of `match`, chooses before it. */
function isCombined({ position }: FoundType): boolean {
  return combinesConditions(position.steps.at(-1)?.name ?? '');
}

function totalUses({ uses }: FoundType): number {
  let total = 0;
  for (const { count } of uses.values()) total += count;
  return total;
}

function planned(found: FoundType, base: string, position: string | undefined): PlannedType {
  const { id, module, type, external } = found;
  const { subject, path } = found.position;
  return { id, module, base, type, subject, path: path || '.', position: position ?? positionText(found.position), external };
}

function sourceBase(sourceName: string): string {
  return startWithLetter(pascalCase(lastName(sourceName)));
}

function externalBase(found: FoundType): string {
  return sourceBase(found.sourceName ?? found.id);
}

function renamed(root: RootType, path: string, what: string, base: string): SchemaDiagnostic {
  return { code: 'name-changed', subject: `${root.kind} ${root.apiVersion}`, path, message: `${what} shares its name; named ${base}` };
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
