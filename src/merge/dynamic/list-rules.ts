import { type FieldPath, formatPath } from '../../fields/index.js';
import { isBuiltIn, type ListType, type RootType, type Schema } from '../../schema/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { typeAt, typeAtPath } from '../values/position.js';

/** The rule that distinguishes items of a list: by their fields, by their value, or not at all (the list is one value). */
export type ListRule =
  | {
      readonly type: 'map';
      /** Sorted by name. */
      readonly keys: readonly string[];
      /** The value of a key that an item omits. */
      readonly defaults?: Readonly<Record<string, Json>>;
      /** Set if the rule was guessed by convention. */
      readonly conventional?: true;
    }
  | { readonly type: 'set' }
  | { readonly type: 'atomic' };

/** Returns the rule of a list by its path and its items in each version (last applied, declared, live) that has the list. */
export type ListRules = (path: FieldPath, sides: readonly (readonly Json[])[]) => ListRule;

/** A policy's rule for a list: names of fields that identify items, `set` or `atomic`. */
export type ListKeys = readonly string[] | 'set' | 'atomic';

export interface ListRuleSources {
  /** By path without list keys, such as `spec.template.spec.containers.ports`. */
  readonly listKeys?: Readonly<Record<string, ListKeys>> | undefined;
  /** The type of the object, if a schema is known. */
  readonly root?: Pick<RootType, 'schema' | 'type' | 'apiVersion'> | undefined;
}

/**
 * Fields that identify items of lists without a declared rule: the keys of lists in the built-in API. The first that every item in every
 * version has, and that identifies them in each version, is used. `mountPath` and `devicePath` precede `name` because their `name` is the
 * volume's, which several items may share.
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
 * Returns the rules for the lists of an object. The first source with a rule decides: the policy; the schema, if it declares the list type;
 * for every object, its finalizers and ownerReferences; the convention.
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

/** Returns the field names on a path, without list items. */
export function patternOf(path: FieldPath): string {
  return formatPath(path.filter(({ kind }) => kind === 'field')).slice(1);
}

const metadataRules: Readonly<Record<string, ListRule>> = {
  'metadata.finalizers': set,
  'metadata.ownerReferences': { type: 'map', keys: ['uid'] },
};

function schemaRule(root: ListRuleSources['root'], path: FieldPath): ListRule | undefined {
  const list = root && typeAtPath(root, path)?.list;
  return root && list && relationRule(root.schema, list, isBuiltIn(root.apiVersion));
}

/** @param allExplicit true for built-in kinds: they declare every list type, but their generated tables do not record that. */
function relationRule(schema: Schema, list: ListType, allExplicit: boolean): ListRule | undefined {
  if (list.relation === 'atomic') return list.explicit || allExplicit ? atomic : undefined;
  if (list.keys.length === 0) return set;
  const fields = typeAt(schema, list.element).map?.fields;
  const defaults = list.keys.flatMap((key) => {
    const value = fields?.get(key)?.default;
    // The server writes "" and 0 as the default of keys without one.
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
