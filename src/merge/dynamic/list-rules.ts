import { type FieldPath, formatPath } from '../../fields/index.js';
import { isBuiltIn, type ListType, type RootType, type Schema, type TypeRef } from '../../schema/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { memberType, typeAt } from '../position.js';

/** How the items of a list are told apart: by fields of theirs, by their value, or not at all (the list is one value). */
export type ListRule =
  | {
      readonly type: 'map';
      /** Sorted by name. */
      readonly keys: readonly string[];
      /** Value of a key that an item leaves out. */
      readonly defaults?: Readonly<Record<string, Json>>;
      /** Found by convention: nobody said so. */
      readonly conventional?: true;
    }
  | { readonly type: 'set' }
  | { readonly type: 'atomic' };

/** The rule of a list by its path and the items that stand there on each side (last applied, declared, live) that has a list. */
export type ListRules = (path: FieldPath, sides: readonly (readonly Json[])[]) => ListRule;

/** What a policy says of a list: names of fields that tell items apart, `set` or `atomic`. */
export type ListKeys = readonly string[] | 'set' | 'atomic';

export interface ListRuleSources {
  /** By path without list keys, such as `spec.template.spec.containers.ports`. */
  readonly listKeys?: Readonly<Record<string, ListKeys>> | undefined;
  /** The type of the object, where a schema is known. */
  readonly root?: Pick<RootType, 'schema' | 'type' | 'apiVersion'> | undefined;
}

/**
 * Fields that tell items apart where nobody says which: those by which the built-in API keys its own lists. The first that every item of
 * every side has, and that tells them apart on each side, is taken. `mountPath` and `devicePath` stand before `name` because `name` is
 * there the volume's, which several items may use.
 */
export const conventionalKeys = [
  'mountPath',
  'devicePath',
  'name',
  'containerPort',
  'port',
  'key',
  'type',
  'conditionType',
  'ip',
  'uid',
  'topologyKey',
] as const;

const atomic: ListRule = Object.freeze({ type: 'atomic' });
const set: ListRule = Object.freeze({ type: 'set' });

/**
 * The rules for the lists of an object. The first source that has an answer gives it: the policy; the schema, where it writes the list
 * type out; for every object, its own finalizers and ownerReferences; the convention.
 */
export function listRules({ listKeys = {}, root }: ListRuleSources): ListRules {
  const byPolicy = new Map(Object.entries(listKeys).map(([path, keys]) => [path.replace(/^\./, ''), ruleOf(keys)]));
  return (path, sides) => {
    const pattern = patternOf(path);
    return byPolicy.get(pattern) ?? schemaRule(root, path) ?? metadataRules[pattern] ?? conventionalRule(sides);
  };
}

function ruleOf(keys: ListKeys): ListRule {
  if (keys === 'set') return set;
  return keys === 'atomic' ? atomic : { type: 'map', keys: [...keys].sort() };
}

/** The names of the fields on a path, without the steps into list items. */
export function patternOf(path: FieldPath): string {
  return formatPath(path.filter(({ kind }) => kind === 'field')).slice(1);
}

const metadataRules: Readonly<Record<string, ListRule>> = {
  'metadata.finalizers': set,
  'metadata.ownerReferences': { type: 'map', keys: ['uid'] },
};

function schemaRule(root: ListRuleSources['root'], path: FieldPath): ListRule | undefined {
  if (root === undefined) return undefined;
  let ref: TypeRef | undefined = root.type;
  for (const element of path) {
    const type = typeAt(root.schema, ref);
    ref = element.kind === 'field' ? type.map && memberType(type.map, element.name) : type.list?.element;
    if (ref === undefined) return undefined;
  }
  const { list } = typeAt(root.schema, ref);
  return list && relationRule(root.schema, list, isBuiltIn(root.apiVersion));
}

/** @param allExplicit built-in kinds write every list type out; the generated tables of theirs do not keep that they do. */
function relationRule(schema: Schema, list: ListType, allExplicit: boolean): ListRule | undefined {
  if (list.relation === 'atomic') return list.explicit || allExplicit ? atomic : undefined;
  if (list.keys.length === 0) return set;
  const fields = typeAt(schema, list.element).map?.fields;
  const defaults = list.keys.flatMap((key) => {
    const value = fields?.get(key)?.default;
    // The server writes "" and 0 as the default of keys that have none.
    return value === undefined || value === '' || value === 0 ? [] : [[key, value] as const];
  });
  return { type: 'map', keys: list.keys, ...(defaults.length > 0 ? { defaults: Object.fromEntries(defaults) } : {}) };
}

function conventionalRule(sides: readonly (readonly Json[])[]): ListRule {
  const items = sides.flat();
  if (items.length === 0 || !items.every(isJsonObject)) return atomic;
  const objects = sides as readonly (readonly JsonObject[])[];
  const key = conventionalKeys.find((name) => objects.every((side) => isDistinct(side, name)));
  return key === undefined ? atomic : { type: 'map', keys: [key], conventional: true };
}

function isDistinct(items: readonly JsonObject[], key: string): boolean {
  const values = new Set<Json>();
  for (const item of items) {
    const value = Object.hasOwn(item, key) ? item[key] : undefined;
    if (value === undefined || typeof value === 'object') return false;
    values.add(value);
  }
  return values.size === items.length;
}
