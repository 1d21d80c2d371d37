import type { Finding, RootType } from '../src/schema/index.js';
import { hiddenFields, pascalCase } from '../src/schema/index.js';
import { lastName, moduleOfRoot } from './module-path.js';
import type { Plan, PlannedModule, PlannedRoot, PlannedType } from './plan.js';
import type { FoundType } from './plan-types.js';
import { TypeFinder } from './plan-types.js';
import { NamesTaken, nameCandidates, startWithLetter } from './type-names.js';

/**
 * Sorts root types and all that they reach into modules and names them. `external` says of a source's type name that
 * another package has it already, and in which module.
 */
export function planModules(roots: readonly RootType[], external: (sourceName: string) => string | undefined): Plan {
  const finder = new TypeFinder(external);
  const sorted = roots.toSorted((a, b) => compare(a.apiVersion, b.apiVersion) || compare(a.kind, b.kind));
  const ids = sorted.map((root) => ({ root, id: finder.addRoot(root) }));
  const findings: Finding[] = [...finder.findings];
  const types = new Map<string, PlannedType>();
  const modules: PlannedModule[] = [];
  const paths = new Set([...finder.found.values()].filter((found) => !found.external).map((found) => found.module));
  for (const path of [...paths].sort()) {
    const taken = new NamesTaken();
    const own = ids.filter(({ root }) => moduleOfRoot(root) === path);
    const rootNames = nameRoots(own, taken, findings);
    const found = [...finder.found.values()].filter((entry) => entry.module === path);
    const named = nameTypes(found, rootNames, taken, findings);
    for (const type of named) types.set(type.id, type);
    modules.push({ path, roots: plannedRoots(own, rootNames, taken), types: named.toSorted((a, b) => compare(a.base, b.base)) });
  }
  for (const found of finder.found.values()) if (found.external) types.set(found.id, planned(found, externalBase(found)));
  return { schema: { types: finder.types }, types, modules, findings };
}

function nameRoots(own: readonly { root: RootType; id: string }[], taken: NamesTaken, findings: Finding[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const { root, id } of own) {
    const wanted = pascalCase(root.kind);
    const base = taken.claim(nameCandidates(root.kind, []));
    if (base !== wanted) findings.push(renamed(root, '.', `the kind ${root.kind}`, base));
    names.set(id, base);
  }
  return names;
}

/** With a status subresource, `.status` is written by a root of its own: `deploymentStatus(name, namespace)`. */
function plannedRoots(own: readonly { root: RootType; id: string }[], names: Map<string, string>, taken: NamesTaken): PlannedRoot[] {
  return own.flatMap(({ root, id }) => {
    const base = names.get(id) as string;
    const main = { base, root, typeId: id };
    if (!hiddenFields(root).has('status')) return [main];
    const statusBase = `${base}Status`;
    taken.take(statusBase);
    return [main, { base: statusBase, root: { ...root, subresource: 'status' }, typeId: id }];
  });
}

function nameTypes(found: readonly FoundType[], rootNames: Map<string, string>, taken: NamesTaken, findings: Finding[]): PlannedType[] {
  const statusNames = new Set<string>();
  for (const entry of found) {
    const base = rootNames.get(entry.id);
    if (base !== undefined && entry.type.map.fields.has('status')) statusNames.add(`${base}Status`);
  }
  for (const name of statusNames) taken.take(name);
  const order = found.toSorted(
    (a, b) =>
      a.place.steps.length - b.place.steps.length || compare(`${a.place.subject}${a.place.path}`, `${b.place.subject}${b.place.path}`),
  );
  return order.map((entry) => {
    const base = rootNames.get(entry.id) ?? taken.claim(candidates(entry, statusNames));
    const wanted = entry.sourceName === undefined ? undefined : sourceBase(entry.sourceName);
    if (wanted !== undefined && wanted !== base && !statusNames.has(wanted)) {
      findings.push({
        code: 'name-changed',
        subject: entry.place.subject,
        path: entry.place.path || '.',
        reason: `${wanted} is taken; named ${base}`,
      });
    }
    return planned(entry, base);
  });
}

function* candidates(entry: FoundType, statusNames: ReadonlySet<string>): Generator<string> {
  const { kind, steps } = entry.place;
  const source = entry.sourceName === undefined ? undefined : sourceBase(entry.sourceName);
  const first = source ?? (nameCandidates(kind, steps).next().value as string);
  // The status root has the name that the type of `.status` would have.
  if (statusNames.has(first)) yield `${first}Fields`;
  else yield first;
  yield* nameCandidates(kind, steps);
}

function planned(found: FoundType, base: string): PlannedType {
  const { id, module, type, external, place } = found;
  return { id, module, base, type, subject: place.subject, path: place.path || '.', external };
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
