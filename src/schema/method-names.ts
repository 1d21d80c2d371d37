import type { Schema, Type, TypeRef } from './model.js';
import { resolve } from './resolve.js';

/** The arguments of a builder's method. */
export type ArgumentKind =
  /** `withPorts(...items)`: list by keys, later calls upsert. */
  | 'items-by-key'
  /** `withFinalizers(...items)`: set, values are kept once. */
  | 'items-of-set'
  /** `withArgs(values)`: replaced as a whole. */
  | 'atomic-list'
  /** `withLabels(entries)`: granular map of free keys, later calls merge. */
  | 'entries'
  /** `withNodeSelector(entries)`: atomic map of free keys, replaced as a whole. */
  | 'atomic-map'
  /** Anything else: the last call wins. */
  | 'value';

export interface BuilderMethod {
  readonly wireName: string;
  readonly method: string;
  readonly argumentKind: ArgumentKind;
}

export interface BuilderMethods {
  /** In the order of the fields. */
  readonly methods: readonly BuilderMethod[];
  /** Fields whose plain method name was taken, so that their method has a number. */
  readonly renamed: readonly BuilderMethod[];
}

/**
 * Returns the methods of a builder. Code generation and run time both call this function, so that names need not be stored. Of several
 * fields with the same method name, the one written as the method reads (`replicas` → `withReplicas`) keeps it; the others are numbered in
 * byte order.
 */
export function builderMethods(schema: Schema, type: Type, without: ReadonlySet<string> = new Set()): BuilderMethods {
  const wanted: BuilderMethod[] = [];
  for (const [wireName, field] of type.map?.fields ?? []) {
    if (without.has(wireName)) continue;
    const argumentKind = argumentKindOf(schema, field.type);
    wanted.push({ wireName, argumentKind: argumentKind, method: plainName(wireName) });
  }
  // The number that the next field with the same name tries first.
  const taken = new Map<string, number>();
  const names = new Map<string, string>();
  const renamed: BuilderMethod[] = [];
  for (const entry of wanted.toSorted(byNamePriority)) {
    let method = entry.method;
    for (let number = taken.get(method) ?? 2; taken.has(method); number++) {
      method = `${entry.method}${number}`;
      taken.set(entry.method, number + 1);
    }
    taken.set(method, 2);
    names.set(entry.wireName, method);
    if (method !== entry.method) renamed.push({ ...entry, method });
  }
  return { methods: wanted.map((entry) => ({ ...entry, method: names.get(entry.wireName) as string })), renamed };
}

function argumentKindOf(schema: Schema, ref: TypeRef): ArgumentKind {
  const { scalar, list, map } = resolve(schema, ref);
  if (scalar) return 'value';
  if (list && !map) return list.relation === 'atomic' ? 'atomic-list' : list.keys.length === 0 ? 'items-of-set' : 'items-by-key';
  if (map && !list && map.fields.size === 0) return map.relation === 'atomic' ? 'atomic-map' : 'entries';
  return 'value';
}

/** Returns the name of the method of a field, where no other field has it. */
export function plainName(wireName: string): string {
  return `with${pascalCase(wireName) || 'Field'}`;
}

/**
 * Returns the letters and digits of a wire name, each word capitalized: `a-b` → `AB`, `$ref` → `Ref`, `-XX` → `XX`, `日本-x` → `日本X`. Identifiers of
 * TypeScript take letters of all scripts; of those beyond the first plane, older compilers do not.
 */
export function pascalCase(text: string): string {
  const words = isAscii.test(text) ? text.split(/[^A-Za-z0-9]+/) : text.normalize('NFC').split(noLetters);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

const isAscii = /^[\x20-\x7e]*$/;
const noLetters = /(?:[^\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}]|[\u{10000}-\u{10ffff}])+/u;

// A plain camelCase name has priority; byte order, which is the same everywhere, decides between the others.
function byNamePriority(left: BuilderMethod, right: BuilderMethod): number {
  const priority = (entry: BuilderMethod) => (/^[a-z][A-Za-z0-9]*$/.test(entry.wireName) ? 0 : 1);
  return priority(left) - priority(right) || (left.wireName < right.wireName ? -1 : left.wireName > right.wireName ? 1 : 0);
}
