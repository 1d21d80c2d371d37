import { hiddenFields, isOpen } from '../src/schema/index.js';
import type { KeyedPositions } from './list-keys.js';
import type { ModulePlan, PlannedModule, PlannedRoot, PlannedType } from './module-plan.js';
import type { ModuleNames } from './names-in-module.js';
import type { JsonSchema, Shape } from './shape-schema.js';
import { ShapeSchemas } from './shape-schema.js';
import { typeTexts } from './type-texts.js';

/** One literal shape with its builder and constructor: a part, a root, or a status root. */
export interface Entry {
  readonly base: string;
  readonly type: PlannedType;
  readonly shape: Shape;
  readonly root?: PlannedRoot;
}

/** Returns the entries of a module, sorted by name. */
export function entriesOf(module: PlannedModule): Entry[] {
  const entries: Entry[] = [];
  const rootTypes = new Set(module.roots.map((root) => root.typeId));
  for (const type of module.types) {
    if (rootTypes.has(type.id)) continue;
    const { map } = type.type;
    entries.push({ base: type.base, type, shape: { members: [...map.fields], open: isOpen(map) } });
  }
  for (const root of module.roots) {
    const type = module.types.find((candidate) => candidate.id === root.typeId) as PlannedType;
    const { map } = type.type;
    const hidden = hiddenFields({ ...root.root, schema: { types: new Map([['root', type.type]]) }, type: { name: 'root' } });
    const members = [...map.fields].filter(([name]) => !hidden.has(name));
    entries.push({ base: root.base, type, root, shape: { members, open: isOpen(map), root: root.root } });
  }
  return entries.sort((a, b) => (a.base < b.base ? -1 : 1));
}

/**
 * Writes the types of all members, and returns a function that gives the TypeScript of a member by the entry's index and its wire name.
 */
export async function memberTypes(
  plan: ModulePlan,
  entries: readonly Entry[],
  names: ModuleNames,
  positions: ReadonlyMap<string, KeyedPositions>,
): Promise<(index: number, wireName: string) => string> {
  const schemas = new ShapeSchemas(plan.schema, names, positions);
  const members = entries.map(({ shape }) => schemas.ofMembers(shape));
  const texts = await typeTexts(members.flatMap((schemasOf) => [...schemasOf.values()]));
  return (index, wireName) => texts(members[index]?.get(wireName) as JsonSchema);
}
