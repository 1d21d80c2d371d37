import { hiddenFields } from '../src/schema/index.js';
import { emitShapes } from './emit-shapes.js';
import type { KeyedPositions } from './list-keys.js';
import type { ModulePlan, PlannedModule, PlannedRoot, PlannedType } from './module-plan.js';
import type { ModuleNames } from './names-in-module.js';
import type { JsonSchema, Shape } from './shape-schema.js';
import { ShapeSchemas } from './shape-schema.js';

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
    entries.push({ base: type.base, type, shape: { members: [...map.fields], open: map.element !== undefined } });
  }
  for (const root of module.roots) {
    const type = module.types.find((candidate) => candidate.id === root.typeId) as PlannedType;
    const { map } = type.type;
    const hidden = hiddenFields({ ...root.root, schema: { types: new Map([['root', type.type]]) }, type: { name: 'root' } });
    const members = [...map.fields].filter(([name]) => !hidden.has(name));
    entries.push({ base: root.base, type, root, shape: { members, open: map.element !== undefined, root: root.root } });
  }
  return entries.sort((a, b) => (a.base < b.base ? -1 : 1));
}

/**
 * Writes the shapes of all entries, and returns a function that gives the TypeScript of a member by the entry's index and its wire name.
 */
export async function shapesOf(
  plan: ModulePlan,
  entries: readonly Entry[],
  names: ModuleNames,
  positions: ReadonlyMap<string, KeyedPositions>,
): Promise<(index: number, wireName: string) => string> {
  // A type that is a root refers to its main root: the status root is never part of another object.
  const indexes = new Map<string, number>();
  for (const [index, entry] of entries.entries()) if (entry.root?.root.subresource === undefined) indexes.set(entry.type.id, index);
  const schemas = new ShapeSchemas(plan.schema, names, positions, (id) => placeholder(indexes.get(id) as number));
  const aliases = new MemberAliases();
  const definitions = new Map<string, JsonSchema>();
  for (const [index, entry] of entries.entries())
    definitions.set(
      placeholder(index),
      schemas.ofShape(entry.shape, (name) => aliases.of(name)),
    );
  const texts = await emitShapes(definitions, (text) => `${(entries[Number(text.slice(1))] as Entry).base}Apply`);
  return (index, wireName) => texts.get(placeholder(index))?.get(aliases.of(wireName)) ?? 'unknown';
}

/** Names of members in the input of json-schema-to-typescript: their own, or an alias for names that it could misread (`$ref`). */
class MemberAliases {
  readonly #aliases = new Map<string, string>();

  of(wireName: string): string {
    if (/^[A-Za-z][A-Za-z0-9]*$/.test(wireName) && !(wireName in Object.prototype)) return wireName;
    const alias = this.#aliases.get(wireName) ?? `$p${this.#aliases.size}`;
    this.#aliases.set(wireName, alias);
    return alias;
  }
}

function placeholder(index: number): string {
  return `T${index}`;
}
