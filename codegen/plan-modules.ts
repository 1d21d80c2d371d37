import type { Finding, RootType } from '../src/schema/index.js';
import { hiddenFields, pascalCase } from '../src/schema/index.js';
import { lastName, moduleOfRoot } from './module-path.js';
import type { LockedNames, Plan, PlannedModule, PlannedRoot, PlannedType } from './plan.js';
import type { FoundType } from './plan-types.js';
import { TypeFinder, textOf } from './plan-types.js';
import { NamesTaken, nameCandidates, startWithLetter } from './type-names.js';

/**
 * Sorts root types and all that they reach into modules and names them. `external` says of a source's type name that
 * another package has it already, and in which module. A type that stands where a `locked` name stood keeps that name.
 */
export function planModules(
  roots: readonly RootType[],
  external: (sourceName: string) => string | undefined,
  locked: LockedNames = {},
): Plan {
  const sorted = roots.toSorted((a, b) => compare(a.apiVersion, b.apiVersion) || compare(a.kind, b.kind));
  const finder = new TypeFinder(external, sorted);
  const ids = sorted.map((root) => ({ root, id: finder.addRoot(root) }));
  const findings: Finding[] = [...finder.findings];
  const types = new Map<string, PlannedType>();
  const modules: PlannedModule[] = [];
  const paths = new Set([...finder.found.values()].filter((found) => !found.external).map((found) => found.module));
  for (const path of [...paths].sort()) {
    const taken = new NamesTaken();
    const own = ids.filter(({ root }) => moduleOfRoot(root) === path);
    const found = [...finder.found.values()].filter((entry) => entry.module === path && !entry.external);
    const rootIds = new Set(own.map(({ id }) => id));
    const kept = keepNames(found, rootIds, Object.hasOwn(locked, path) ? locked[path] : undefined, taken);
    const rootNames = nameRoots(own, finder.found, kept, taken, findings);
    const named = nameTypes(found, rootNames, kept, taken, findings);
    for (const type of named) types.set(type.id, type);
    modules.push({ path, roots: plannedRoots(own, rootNames), types: named.toSorted((a, b) => compare(a.base, b.base)) });
  }
  for (const found of finder.found.values()) if (found.external) types.set(found.id, planned(found, externalBase(found), undefined));
  return { schema: { types: finder.types }, types, modules, findings };
}

/** A name as an earlier run gave it, and the place by which it was found again. */
interface KeptName {
  readonly base: string;
  readonly place: string;
}

/**
 * Names of an earlier run by type id: each goes to the type that now stands where its type stood. Roots come first, so that no part
 * keeps the name of a status root.
 */
function keepNames(
  found: readonly FoundType[],
  rootIds: ReadonlySet<string>,
  locked: LockedNames[string] | undefined,
  taken: NamesTaken,
): Map<string, KeptName> {
  const kept = new Map<string, KeptName>();
  const byPlace = new Map(found.flatMap((entry) => [...entry.places].map((place): [string, FoundType] => [place, entry])));
  const names = Object.entries(locked ?? {}).toSorted(([a], [b]) => compare(a, b));
  for (const roots of [true, false]) {
    for (const [base, place] of names) {
      const entry = byPlace.get(place);
      if (entry === undefined || rootIds.has(entry.id) !== roots || kept.has(entry.id)) continue;
      if (!/^[A-Za-z][A-Za-z0-9]*$/.test(base) || !taken.isFree(base)) continue;
      kept.set(entry.id, { base: taken.take(base), place });
      if (roots && hasStatus(entry)) taken.take(`${base}Status`);
    }
  }
  return kept;
}

/** Names the kinds; with a field `status`, the name of the status root is set aside too. */
function nameRoots(
  own: readonly { root: RootType; id: string }[],
  found: ReadonlyMap<string, FoundType>,
  kept: ReadonlyMap<string, KeptName>,
  taken: NamesTaken,
  findings: Finding[],
): Map<string, string> {
  const names = new Map<string, string>();
  for (const { root, id } of own) {
    const earlier = kept.get(id);
    if (earlier !== undefined) {
      names.set(id, earlier.base);
      continue;
    }
    const wanted = pascalCase(root.kind);
    const status = hasStatus(found.get(id) as FoundType);
    const free = (base: string) => taken.isFree(base) && !(status && !taken.isFree(`${base}Status`));
    const base = taken.take(firstFree(nameCandidates(root.kind, [], taken.numbers), free));
    if (base !== wanted) findings.push(renamed(root, '.', `the kind ${root.kind}`, base));
    if (status) taken.take(`${base}Status`);
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

/** With a status subresource, `.status` is written by a root of its own: `deploymentStatus(name, namespace)`. */
function plannedRoots(own: readonly { root: RootType; id: string }[], names: ReadonlyMap<string, string>): PlannedRoot[] {
  return own.flatMap(({ root, id }) => {
    const base = names.get(id) as string;
    const main = { base, root, typeId: id };
    if (!hiddenFields(root).has('status')) return [main];
    return [main, { base: `${base}Status`, root: { ...root, subresource: 'status' }, typeId: id }];
  });
}

function nameTypes(
  found: readonly FoundType[],
  rootNames: ReadonlyMap<string, string>,
  kept: ReadonlyMap<string, KeptName>,
  taken: NamesTaken,
  findings: Finding[],
): PlannedType[] {
  const statusNames = new Set<string>();
  for (const entry of found) if (rootNames.has(entry.id) && hasStatus(entry)) statusNames.add(`${rootNames.get(entry.id)}Status`);
  const order = found.toSorted(
    (a, b) =>
      a.place.steps.length - b.place.steps.length || compare(`${a.place.subject}${a.place.path}`, `${b.place.subject}${b.place.path}`),
  );
  return order.map((entry) => {
    const earlier = kept.get(entry.id);
    const base = rootNames.get(entry.id) ?? earlier?.base ?? taken.claim(candidates(entry, statusNames, taken.numbers));
    const wanted = entry.sourceName === undefined ? undefined : sourceBase(entry.sourceName);
    if (wanted !== undefined && wanted !== base && !statusNames.has(wanted)) {
      findings.push({
        code: 'name-changed',
        subject: entry.place.subject,
        path: entry.place.path || '.',
        reason: `${wanted} is taken; named ${base}`,
      });
    }
    return planned(entry, base, earlier?.place);
  });
}

function* candidates(entry: FoundType, statusNames: ReadonlySet<string>, numbers: Map<string, number>): Generator<string> {
  const { kind, steps } = entry.place;
  const source = entry.sourceName === undefined ? undefined : sourceBase(entry.sourceName);
  const first = source ?? (nameCandidates(kind, steps, numbers).next().value as string);
  // The status root has the name that the type of `.status` would have.
  if (statusNames.has(first)) yield `${first}Fields`;
  else yield first;
  yield* nameCandidates(kind, steps, numbers);
}

function planned(found: FoundType, base: string, place: string | undefined): PlannedType {
  const { id, module, type, external } = found;
  const { subject, path } = found.place;
  return { id, module, base, type, subject, path: path || '.', place: place ?? textOf(found.place), external };
}

function sourceBase(sourceName: string): string {
  return startWithLetter(pascalCase(lastName(sourceName)));
}

function externalBase(found: FoundType): string {
  return sourceBase(found.sourceName ?? found.id);
}

function renamed(root: RootType, path: string, what: string, base: string): Finding {
  return { code: 'name-changed', subject: `${root.kind} ${root.apiVersion}`, path, reason: `${what} shares its name; named ${base}` };
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
