import type { Type, TypeRef } from '../src/schema/index.js';
import type { Entry } from './entries.js';
import type { ModulePlan, PlannedModule, PlannedType } from './module-plan.js';
import type { ModuleNames } from './names-in-module.js';
import { constructorName } from './type-names.js';

/**
 * Returns exports of other modules' constructors that this module's roots are built from, so that one import is enough.
 *
 * @param isGuarded those of the package are of no use where the package is not found, as the types of the module are.
 */
export function reexports(
  plan: ModulePlan,
  module: PlannedModule,
  names: ModuleNames,
  entries: readonly Entry[],
  specifier: (to: string, external: boolean) => string,
  isGuarded: boolean,
): string[] {
  if (module.roots.length === 0) return [];
  const own = new Set(entries.map((entry) => constructorName(entry.base)));
  const reached = new Map<string, PlannedType>();
  const visit = (ref: TypeRef): void => {
    if ('name' in ref) {
      const type = plan.types.get(ref.name);
      if (type === undefined || reached.has(type.id)) return;
      reached.set(type.id, type);
      if (type.external) return;
      visitType(type.type);
    } else visitType(ref.inline);
  };
  const visitType = (type: Type): void => {
    if (type.list) visit(type.list.element);
    for (const field of type.map?.fields.values() ?? []) visit(field.type);
    if (type.map?.element) visit(type.map.element);
  };
  for (const root of module.roots) visit({ name: root.typeId });
  const byModule = new Map<string, { names: string[]; external: boolean }>();
  for (const type of reached.values()) {
    const name = constructorName(type.base);
    if (names.isOwn(type.id) || own.has(name)) continue;
    own.add(name);
    const known = byModule.get(type.module) ?? { names: [], external: type.external };
    known.names.push(name);
    byModule.set(type.module, known);
  }
  return [...byModule]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, { names: list, external }]) => exportText(list.sort(), specifier(path, external), isGuarded && external));
}

/** No generated name begins with `$`, and those of modules have a version. */
function exportText(names: readonly string[], from: string, isGuarded: boolean): string {
  if (!isGuarded) return `export { ${names.join(', ')} } from '${from}';`;
  const imported = names.map((name) => `${name} as $${name}`);
  const exported = names.map((name) => `export const ${name}: $Function<typeof $${name}> = $${name};`);
  return [`import { ${imported.join(', ')} } from '${from}';`, '', ...exported].join('\n');
}
