import { type FieldPath, formatPath } from '../../fields/index.js';
import type { DynamicOptions } from '../../kubernetes/index.js';
import { type ListKeys, type ListRule, type ListRules, listRules } from '../../merge/dynamic/index.js';
import type { AppliedIntent } from '../../ownership/index.js';
import type { RootType } from '../../schema/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';

/**
 * Returns the rules for the lists of an object: from the policy, from the schema, by convention. Where only the convention decides, the
 * keys with which the list was last written stay: items that others have added since must not turn the list into one value.
 */
export function rulesFor(
  listKeys: DynamicOptions['listKeys'],
  root: RootType | undefined,
  written: AppliedIntent['lists'] = {},
): ListRules {
  const baseRules = listRules({ listKeys, root });
  const explicit = new Set(Object.keys(listKeys ?? {}).map((path) => path.replace(/^\./, '')));
  return (path, sides) => {
    const rule = baseRules(path, sides);
    const pattern = patternOf(path);
    const byConvention = rule.type === 'atomic' || (rule.type === 'map' && rule.conventional);
    const before = written[pattern];
    return byConvention && before !== undefined && !explicit.has(pattern) ? ruleOf(before) : rule;
  };
}

/** Returns the server's rules: a list that the schema does not describe is one value. */
export function rulesOfServer(root: RootType | undefined): ListRules {
  const baseRules = listRules({ root });
  return (path, sides) => {
    const rule = baseRules(path, sides);
    return rule.type === 'map' && rule.conventional ? { type: 'atomic' } : rule;
  };
}

function ruleOf(keys: ListKeys): ListRule {
  if (typeof keys === 'string') return { type: keys };
  return { type: 'map', keys: [...keys].sort() };
}

/** An intent whose list items have their keys written out, and those keys. */
export interface KeyedIntent {
  readonly intent: JsonObject;
  readonly lists: AppliedIntent['lists'];
}

/**
 * Writes out the keys of an intent's list items.
 *
 * @param merged the object with the intent in it: items of others count for the convention.
 */
export function withExplicitKeys(intent: JsonObject, merged: JsonObject, rules: ListRules): KeyedIntent {
  const lists = new Map<string, ListKeys | undefined>();
  const visit = (value: Json, other: Json | undefined, path: FieldPath): Json => {
    if (isJsonObject(value)) {
      const beside = isJsonObject(other) ? other : {};
      const members = Object.entries(value).flatMap(([name, member]) =>
        member === undefined ? [] : [[name, visit(member, beside[name], [...path, { kind: 'field', name }])] as const],
      );
      return Object.fromEntries(members);
    }
    if (!Array.isArray(value)) return value;
    const items = value as readonly Json[];
    const rule = rules(path, Array.isArray(other) ? [items, other as readonly Json[]] : [items]);
    if (rule.type === 'atomic') return value;
    const keys = rule.type === 'set' ? 'set' : rule.keys;
    const pattern = patternOf(path);
    const known = lists.has(pattern) ? lists.get(pattern) : keys;
    lists.set(pattern, String(known) === String(keys) ? keys : undefined); // one path with different keys: none can be recorded
    if (rule.type === 'set') return value;
    return items.map((item, index) => withKeys(visit(item, undefined, [...path, { kind: 'index', index }]), rule));
  };
  const completed = visit(intent, merged, []) as JsonObject;
  const unambiguous = [...lists].filter((entry): entry is [string, ListKeys] => entry[1] !== undefined);
  return { intent: completed, lists: Object.fromEntries(unambiguous) };
}

function withKeys(item: Json, { keys, defaults = {} }: Extract<ListRule, { type: 'map' }>): Json {
  if (!isJsonObject(item)) return item;
  const missing = keys.filter((name) => item[name] === undefined && defaults[name] !== undefined);
  return missing.length === 0 ? item : { ...item, ...Object.fromEntries(missing.map((name) => [name, defaults[name] as Json])) };
}

function patternOf(path: FieldPath): string {
  return formatPath(path.filter(({ kind }) => kind === 'field')).slice(1);
}
