import { deducedName, untypedName } from '../deduced.js';
import type { RootType, TypeRef } from '../model.js';
import { resolve } from '../resolve.js';
import { areCompatible, type ItemFields, itemFields } from './item-fields.js';
import { wordsOf } from './words.js';

/** A list of objects of the built-in API. */
export interface BuiltInShape {
  /** The name of the list, such as `containers`. */
  readonly list: string;
  /** The name of its item type, such as `Container`. */
  readonly item: string;
  readonly fields: ItemFields;
  /** Its list map keys; empty if it is atomic. */
  readonly keys: readonly string[];
  /** The number of places of the built-in API that have this list. */
  readonly places: number;
}

/** How the built-in API treats a list of this shape. */
export interface BuiltInAnswer {
  /** The closest list. */
  readonly shape: BuiltInShape;
  /** Its list map keys; empty if it is atomic; undefined if the built-in API treats such lists in several ways. */
  readonly keys: readonly string[] | undefined;
  /** True if it has the name of the built-in list, too. */
  readonly sameName: boolean;
}

/** Collects the lists of objects of the built-in API. */
export function builtInShapes(roots: readonly RootType[]): readonly BuiltInShape[] {
  const found = new Map<string, BuiltInShape & { places: number }>();
  for (const root of roots) {
    const visit = (ref: TypeRef, name: string, names: readonly string[]): void => {
      const below = 'name' in ref ? [...names, ref.name] : names;
      if ('name' in ref && (ref.name === deducedName || ref.name === untypedName || names.includes(ref.name))) return;
      const { list, map } = resolve(root.schema, ref);
      if (list !== undefined) {
        add(root, name, list);
        visit(list.element, name, below);
      }
      for (const [member, field] of map?.fields ?? []) visit(field.type, member, below);
      if (map?.element !== undefined) visit(map.element, name, below);
    };
    visit(root.type, '', []);
  }
  return [...found.values()];

  function add(root: RootType, list: string, { keys, element }: { readonly keys: readonly string[]; readonly element: TypeRef }): void {
    const fields = itemFields(root.schema, element);
    if (fields === undefined) return;
    const item = 'name' in element ? element.name.slice(element.name.lastIndexOf('.') + 1) : list;
    const id = JSON.stringify([list, 'name' in element ? element.name : '', keys]);
    const known = found.get(id) ?? { list, item, fields, keys, places: 0 };
    known.places += 1;
    found.set(id, known);
  }
}

/** The share of the places with similar lists that must agree. */
const agreement = 0.75;

/** Finds the lists of the built-in API whose items have the same structure; undefined if there is none. */
export function builtInAnswer(shapes: readonly BuiltInShape[], list: string, fields: ItemFields): BuiltInAnswer | undefined {
  const scored = shapes
    .map((shape) => ({ shape, score: scoreOf(shape, list, fields) }))
    .filter((candidate): candidate is { shape: BuiltInShape; score: number } => candidate.score !== undefined)
    .sort((left, right) => right.score - left.score || right.shape.places - left.shape.places);
  const [best] = scored;
  if (best === undefined) return undefined;
  const close = scored.filter(({ score }) => score >= best.score - 0.05);
  const shape = agreed(close) ?? agreed(scored.filter((one) => one.shape.list === best.shape.list));
  return { shape: shape ?? best.shape, keys: shape?.keys, sameName: best.shape.list === list };
}

/** Returns the first list whose keys most of the places have. */
function agreed(scored: readonly { readonly shape: BuiltInShape }[]): BuiltInShape | undefined {
  const places = (keys?: string) =>
    scored.reduce((sum, { shape }) => (keys === undefined || shape.keys.join() === keys ? sum + shape.places : sum), 0);
  return scored.find(({ shape }) => places(shape.keys.join()) >= agreement * places())?.shape;
}

/** Returns how well a list fits, of 0 to 1.2; undefined if its items have another structure. */
function scoreOf({ list: builtIn, fields: known, keys }: BuiltInShape, list: string, fields: ItemFields): number | undefined {
  const common = [...fields.kinds].filter(([name, kind]) => {
    const other = known.kinds.get(name);
    return other !== undefined && areCompatible(kind, other);
  }).length;
  const union = fields.kinds.size + known.kinds.size - [...fields.kinds.keys()].filter((name) => known.kinds.has(name)).length;
  if (common === 0 || [...fields.kinds.keys()].some((name) => known.kinds.has(name) && !isCommon(name))) return undefined;
  const similarity = common / union;
  const nested = common === fields.kinds.size || common === known.kinds.size;
  const name = nameScore(builtIn, list);
  const near = nested ? (name > 0 ? common >= 3 || similarity >= (keys.length > 0 ? 0.4 : 0.6) : similarity >= (common >= 4 ? 0.6 : 1)) : similarity >= 0.75;
  // Two fields are the structure of many lists: the name decides then.
  if (!near || (name === 0 && common < (similarity === 1 ? 3 : 4))) return undefined;
  if (keys.length > 0 && !identifiesAlike(keys, known, fields)) return undefined;
  return similarity + name;

  function isCommon(field: string): boolean {
    return areCompatible(fields.kinds.get(field) ?? 'any', known.kinds.get(field) ?? 'any');
  }
}

/**
 * A list with a required field that the built-in one lacks may be identified by it, too; one that lacks its required fields is another. A
 * built-in list whose keys may be missing is not an example for others.
 */
function identifiesAlike(keys: readonly string[], known: ItemFields, fields: ItemFields): boolean {
  if (!keys.every((key) => known.required.includes(key) || known.defaulted.has(key))) return false;
  return known.required.every((name) => fields.kinds.has(name)) && fields.requiredScalars.every((name) => known.kinds.has(name));
}

/** `env` is the name of the built-in list, and `extraEnv` ends with it. */
function nameScore(builtIn: string, list: string): number {
  if (builtIn === list) return 0.2;
  return ` ${wordsOf(list).join(' ')}`.endsWith(` ${wordsOf(builtIn).join(' ')}`) ? 0.1 : 0;
}
