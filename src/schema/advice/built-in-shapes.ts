import { deducedName, untypedName } from '../deduced.js';
import type { RootType, TypeRef } from '../model.js';
import { resolve } from '../resolve.js';
import { areCompatible, type ItemFields, itemFields } from './item-fields.js';
import { wordsOf } from './words.js';

/** A list of objects of the built-in API. */
export interface BuiltInShape {
  /** The name of the list, such as `containers`. */
  readonly list: string;
  /** The words of the name, each after a space. */
  readonly words: string;
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
    const known = found.get(id) ?? { list, words: spaced(list), item, fields, keys, places: 0 };
    known.places += 1;
    found.set(id, known);
  }
}

/** The share of the places with similar lists that must agree. */
const agreement = 0.75;

/** Finds the lists of the built-in API whose items have the same structure; undefined if there is none. */
export function builtInAnswer(shapes: readonly BuiltInShape[], list: string, fields: ItemFields): BuiltInAnswer | undefined {
  const words = spaced(list);
  const scored = shapes
    .map((shape) => ({ shape, score: scoreOf(shape, words, fields) }))
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
function scoreOf({ words: builtIn, fields: known, keys }: BuiltInShape, words: string, fields: ItemFields): number | undefined {
  let common = 0;
  for (const [name, kind] of fields.kinds) {
    const other = known.kinds.get(name);
    if (other === undefined) continue;
    if (!areCompatible(kind, other)) return undefined;
    common += 1;
  }
  if (common === 0) return undefined;
  const similarity = common / (fields.kinds.size + known.kinds.size - common);
  const name = words === builtIn ? 0.2 : words.endsWith(builtIn) ? 0.1 : 0; // `env`, and `extraEnv`, which ends with it
  const isPart = common === fields.kinds.size || common === known.kinds.size;
  if (!isNear({ common, similarity, isPart, isNamedAlike: name > 0, isKeyed: keys.length > 0 })) return undefined;
  return keys.length === 0 || identifiesAlike(keys, known, fields) ? similarity + name : undefined;
}

interface Likeness {
  /** The number of fields that both have. */
  readonly common: number;
  /** Its share of the fields of either. */
  readonly similarity: number;
  /** One of the two has all fields of the other. */
  readonly isPart: boolean;
  readonly isNamedAlike: boolean;
  readonly isKeyed: boolean;
}

/** Two fields are the structure of many lists: without the name, it takes more. */
function isNear({ common, similarity, isPart, isNamedAlike, isKeyed }: Likeness): boolean {
  if (isPart && isNamedAlike) return common >= 3 || similarity >= (isKeyed ? 0.4 : 0.6);
  if (isPart) return similarity === 1 ? common >= 3 : common >= 4 && similarity >= 0.6;
  return similarity >= 0.75 && common >= (isNamedAlike ? 3 : 4);
}

/**
 * A list with a required field that the built-in one lacks may be identified by it, too; one that lacks its required fields is another. A
 * built-in list whose keys may be missing is not an example for others.
 */
function identifiesAlike(keys: readonly string[], known: ItemFields, fields: ItemFields): boolean {
  if (!keys.every((key) => known.required.includes(key) || known.defaulted.has(key))) return false;
  return known.required.every((name) => fields.kinds.has(name)) && fields.requiredScalars.every((name) => known.kinds.has(name));
}

function spaced(name: string): string {
  return wordsOf(name)
    .map((word) => ` ${word}`)
    .join('');
}
