import { deducedName, untypedName } from '../schema/deduced.js';
import type { ListType, MapType, Schema, Type, TypeRef } from '../schema/model.js';
import { pathStep } from '../schema/path-step.js';
import { resolve } from '../schema/resolve.js';
import type { Json, JsonObject } from '../util/json.js';
import { checkRules } from './check-rules.js';
import { checkScalar } from './check-scalar.js';
import { itemKey } from './list-keys.js';
import { nearest } from './nearest.js';
import type { OpenedBuilder } from './values.js';
import { isPlainObject, openBuilder } from './values.js';

/** Something wrong with a declared value. */
export interface Problem {
  /** Field path such as `.spec.ports[port=80].name`. */
  readonly path: string;
  /** What is wrong, without the path. */
  readonly what: string;
}

/** Stops at what can only be a circle: no API object nests that deep. */
const maxDepth = 500;

/** Turns builders and literals into plain JSON and notes everything that the schema forbids. Required fields are not asked for. */
export class ValueCheck {
  readonly problems: Problem[] = [];
  readonly #schema: Schema;
  readonly #complete: boolean;

  /** `complete`: nobody else adds to the value. */
  constructor(schema: Schema, complete = false) {
    this.#schema = schema;
    this.#complete = complete;
  }

  check(value: unknown, ref: TypeRef, path: string, depth = 0): Json | undefined {
    const result = this.#checkParts(value, ref, path, depth);
    // A builder's own check has asked its rules already.
    if (result !== undefined && openBuilder(value) === undefined) this.#checkRules(resolve(this.#schema, ref), result, path);
    return result;
  }

  #checkParts(value: unknown, ref: TypeRef, path: string, depth: number): Json | undefined {
    if (depth > maxDepth) return this.#problem(path.slice(0, 80), `the value contains itself, or nests deeper than ${maxDepth} levels`);
    const opened = openBuilder(value);
    if (opened !== undefined) return this.#checkBuilder(opened, ref, path, depth);
    // Null fits any part: it declares that the field has no value.
    if (value === null) return null;
    const type = resolve(this.#schema, ref);
    if (Array.isArray(value)) return type.list ? this.#checkList(value, type.list, path, depth) : this.#mismatch(type, 'a list', path);
    if (isPlainObject(value)) {
      if (type.map === undefined || type.scalar?.format !== undefined) return this.#mismatch(type, 'an object', path);
      return this.#checkMap(Object.entries(value), type.map, path, depth);
    }
    if (typeof value === 'object' || typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint') {
      return this.#problem(path, `${describeForeign(value)} is no JSON value`);
    }
    if (type.scalar === undefined) return this.#mismatch(type, JSON.stringify(value) ?? String(value), path);
    const wrong = checkScalar(type.scalar, value as boolean | number | string);
    return wrong === undefined ? (value as Json) : this.#problem(path, wrong);
  }

  /** Checks declared members of a whole object. `hidden` names members that exist but are declared elsewhere, with the reason. */
  checkRoot(members: Iterable<readonly [string, unknown]>, type: Type, hidden: ReadonlyMap<string, string>): JsonObject {
    const result = this.#checkMap(members, type.map as MapType, '', 0, hidden);
    this.#checkRules(type, result, '');
    return result;
  }

  #checkRules({ rules, list, map }: Type, value: Json, path: string): void {
    if (rules === undefined || value === null) return;
    const atomic = Array.isArray(value) ? list?.relation === 'atomic' : map?.relation === 'atomic';
    for (const what of checkRules(rules, value, { whole: this.#complete || atomic, map })) this.#problem(path, what);
  }

  #checkBuilder(opened: OpenedBuilder, ref: TypeRef, path: string, depth: number): Json | undefined {
    const { type, values } = opened;
    const given = nameOf(type.type);
    const expected = nameOf(ref);
    const free = expected === deducedName || expected === untypedName;
    if (!free && given !== expected) {
      return this.#problem(path, `a builder of ${given ?? 'another type'} where ${expected ?? 'no builder'} is expected`);
    }
    const inner = new ValueCheck(type.schema, this.#complete);
    const resolved = resolve(type.schema, type.type);
    const { map } = resolved;
    const identity: [string, string][] =
      type.root && free
        ? [
            ['apiVersion', type.root.apiVersion],
            ['kind', type.root.kind],
          ]
        : [];
    const result = map && inner.#checkMap([...identity, ...values], map, path, depth);
    if (result !== undefined) inner.#checkRules(resolved, result, path);
    this.problems.push(...inner.problems);
    return result;
  }

  #checkMap(
    members: Iterable<readonly [string, unknown]>,
    map: MapType,
    path: string,
    depth: number,
    hidden?: ReadonlyMap<string, string>,
  ): JsonObject {
    const result: Record<string, Json> = {};
    const given = new Set<string>();
    for (const [name, value] of members) {
      if (value === undefined) continue;
      if (value !== null || map.fields.get(name)?.nullable === true) given.add(name);
      const at = `${path}${pathStep(name)}`;
      const type = map.fields.get(name)?.type ?? map.element;
      const elsewhere = hidden?.get(name);
      if (elsewhere !== undefined) this.#problem(at, elsewhere);
      else if (type === undefined) this.#problem(at, `unknown field ${JSON.stringify(name)}${nearest(name, map.fields.keys())}`);
      else define(result, name, this.check(value, type, at, depth + 1));
    }
    if (this.#complete) this.#checkRequired(given, map, path, hidden);
    return result;
  }

  #checkRequired(given: ReadonlySet<string>, map: MapType, path: string, hidden: ReadonlyMap<string, string> | undefined): void {
    for (const name of map.required) {
      if (given.has(name) || map.fields.get(name)?.default !== undefined || hidden?.has(name)) continue;
      this.#problem(`${path}${pathStep(name)}`, 'the schema requires this field');
    }
  }

  #checkList(items: readonly unknown[], list: ListType, path: string, depth: number): Json {
    const seen = new Set<string>();
    const result: Json[] = [];
    // By index: a sparse list has holes that iteration methods would skip.
    for (let index = 0; index < items.length; index++) {
      const item = items[index];
      if (item === undefined) this.#problem(`${path}[${index}]`, 'a list item is undefined');
      else if (list.relation === 'atomic') push(result, this.check(item, list.element, `${path}[${index}]`, depth + 1));
      else if (list.keys.length > 0) push(result, this.#checkKeyed(item, list, path, index, seen, depth));
      else push(result, this.#checkMember(item, list, `${path}[${index}]`, seen, depth));
    }
    return result;
  }

  #checkKeyed(item: unknown, list: ListType, path: string, index: number, seen: Set<string>, depth: number): Json | undefined {
    if (openBuilder(item) === undefined && !isPlainObject(item)) {
      return this.#problem(`${path}[${index}]`, `an item of a list keyed by ${list.keys.join(', ')} must be an object`);
    }
    const key = itemKey(this.#schema, list, item);
    const at = `${path}${key.text ?? `[${index}]`}`;
    if (key.missing.length > 0)
      this.#problem(at, `the list map key ${key.missing.map((name) => JSON.stringify(name)).join(', ')} is missing`);
    else if (seen.has(key.identity)) this.#problem(at, 'two items of the list have the same key');
    seen.add(key.identity);
    return this.check(item, list.element, at, depth + 1);
  }

  #checkMember(item: unknown, list: ListType, at: string, seen: Set<string>, depth: number): Json | undefined {
    if (item === null || typeof item === 'object') return this.#problem(at, 'an item of a set must be a string, a number or a boolean');
    const identity = JSON.stringify(item);
    if (seen.has(identity)) return this.#problem(at, `the set has ${identity} twice`);
    seen.add(identity);
    return this.check(item, list.element, at, depth + 1);
  }

  #mismatch(type: Type, found: string, path: string): undefined {
    return this.#problem(path, `expected ${describeType(type)}, got ${found.length > 60 ? `${found.slice(0, 60)}…` : found}`);
  }

  #problem(path: string, what: string): undefined {
    this.problems.push({ path: path || '.', what });
    return undefined;
  }
}

function describeType(type: Type): string {
  const { scalar, list, map } = type;
  if (scalar) return checkScalar.describe(scalar);
  if (list) return map ? 'a list or an object' : 'a list';
  return map ? 'an object' : 'null';
}

function describeForeign(value: unknown): string {
  if (value instanceof Date) return 'a Date (write date.toISOString())';
  if (typeof value === 'object' && value !== null) return `an instance of ${value.constructor?.name ?? 'a class'}`;
  return `a ${typeof value}`;
}

function nameOf(ref: TypeRef): string | undefined {
  return 'name' in ref ? ref.name : undefined;
}

function push(list: Json[], value: Json | undefined): void {
  if (value !== undefined) list.push(value);
}

// Plain assignment to `__proto__` would change the object's prototype instead of adding a member.
function define(target: Record<string, Json>, name: string, value: Json | undefined): void {
  if (value === undefined) return;
  if (name === '__proto__') Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  else target[name] = value;
}
