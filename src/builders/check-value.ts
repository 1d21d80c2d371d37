import { deducedName, untypedName } from '../schema/deduced.js';
import type { ListType, MapType, Schema, Type, TypeRef } from '../schema/model.js';
import { pathStep } from '../schema/path-step.js';
import { resolve } from '../schema/resolve.js';
import type { Json, JsonObject } from '../util/json.js';
import { isPlainText } from '../util/plain-text.js';
import { isSecretReference } from '../util/secret-reference.js';
import { checkRules } from './check-rules.js';
import { checkScalar } from './check-scalar.js';
import { describeForeign, describeType, describeValue } from './describe.js';
import { itemKey } from './list-keys.js';
import { nearest } from './nearest.js';
import type { OpenedBuilder } from './values.js';
import { emptySpread, isEmptySpread, isPlainObject, openBuilder } from './values.js';

/** Something wrong with a declared value. */
export interface Problem {
  /** Field path such as `.spec.ports[port=80].name`. */
  readonly path: string;
  /** What is wrong, without the path. */
  readonly what: string;
}

/** Where a value stands. */
interface Place {
  readonly path: string;
  readonly depth: number;
  /** No other owner can add to the value: it is inside an atomic list or map, or completeness was asked for. */
  readonly whole: boolean;
}

/** Stops at what can only be a circle: no API object nests that deep. */
const maxDepth = 500;

/**
 * Turns builders and literals into plain JSON and notes everything that the schema forbids. A partial value is asked only for what
 * no other owner could mend.
 */
export class ValueCheck {
  readonly problems: Problem[] = [];
  readonly #schema: Schema;
  readonly #complete: boolean;

  /** `complete`: required fields are asked for. */
  constructor(schema: Schema, complete = false) {
    this.#schema = schema;
    this.#complete = complete;
  }

  check(value: unknown, ref: TypeRef): Json | undefined {
    return this.#check(value, ref, this.#start());
  }

  /** Checks declared members of a whole object. `hidden` names members that exist but are declared elsewhere, with the reason. */
  checkRoot(members: Iterable<readonly [string, unknown]>, type: Type, hidden: ReadonlyMap<string, string>): JsonObject {
    const place = this.#start();
    const result = this.#checkMap(members, type.map as MapType, place, hidden);
    this.#checkRules(type, result, place);
    return result;
  }

  #start(): Place {
    return { path: '', depth: 0, whole: this.#complete };
  }

  #check(value: unknown, ref: TypeRef, place: Place): Json | undefined {
    if (place.depth > maxDepth)
      return this.#problem(place.path.slice(0, 80), `the value contains itself, or nests deeper than ${maxDepth} levels`);
    const opened = openBuilder(value);
    if (opened !== undefined) return this.#checkBuilder(opened, ref, place);
    // Null fits any part: it declares that the field has no value.
    if (value === null) return null;
    const type = resolve(this.#schema, ref);
    if (type.scalar?.kind === 'string' && isSecretReference(value)) return value; // synth refuses it outside of Secrets
    const result = this.#checkPart(value, type, place);
    if (result !== undefined) this.#checkRules(type, result, place);
    return result;
  }

  #checkPart(value: unknown, type: Type, place: Place): Json | undefined {
    const { path } = place;
    if (Array.isArray(value)) return type.list ? this.#checkList(value, type.list, place) : this.#mismatch(type, 'a list', path);
    if (isPlainObject(value)) {
      if (type.map === undefined || type.scalar?.format !== undefined) return this.#mismatch(type, 'an object', path);
      return this.#checkMap(Object.entries(value), type.map, place);
    }
    if (typeof value === 'object' || typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint') {
      return this.#problem(path, `${describeForeign(value)} is no JSON value`);
    }
    if (typeof value === 'string' && !isPlainText(value)) return this.#problem(path, 'a string that is no valid Unicode');
    if (type.scalar === undefined) return this.#mismatch(type, describeValue(value), path);
    const wrong = checkScalar(type.scalar, value as boolean | number | string);
    return wrong === undefined ? (value as Json) : this.#problem(path, wrong);
  }

  #checkRules({ rules, list, map }: Type, value: Json, { path, whole }: Place): void {
    if (rules === undefined) return;
    const atomic = Array.isArray(value) ? list?.relation === 'atomic' : map?.relation === 'atomic';
    for (const what of checkRules(rules, value, { whole: whole || atomic, map })) this.#problem(path, what);
  }

  #checkBuilder(opened: OpenedBuilder, ref: TypeRef, place: Place): Json | undefined {
    const { type, values } = opened;
    const given = nameOf(type.type);
    const expected = nameOf(ref);
    const free = expected === deducedName || expected === untypedName;
    if (!free && given !== expected) {
      return this.#problem(place.path, `a builder of ${given ?? 'another type'} where ${expected ?? 'no builder'} is expected`);
    }
    const inner = new ValueCheck(type.schema, this.#complete);
    const { apiVersion, kind } = type.root ?? {};
    const identity = free && apiVersion !== undefined ? Object.entries({ apiVersion, kind }) : [];
    // The position may say that the whole is atomic where the type does not.
    const resolved = resolve(type.schema, free ? type.type : ref);
    const result = resolved.map && inner.#checkMap([...identity, ...values], resolved.map, place);
    if (result !== undefined) inner.#checkRules(resolved, result, place);
    this.problems.push(...inner.problems);
    return result;
  }

  #checkMap(
    members: Iterable<readonly [string, unknown]>,
    map: MapType,
    { path, depth, whole }: Place,
    hidden?: ReadonlyMap<string, string>,
  ): JsonObject {
    const result: Record<string, Json> = {};
    const given = new Set<string>();
    for (const [name, value] of members) {
      if (value === undefined) continue;
      if (value !== null || map.fields.get(name)?.nullable === true) given.add(name);
      const at = { path: `${path}${pathStep(name)}`, depth: depth + 1, whole: whole || map.relation === 'atomic' };
      const type = map.fields.get(name)?.type ?? map.element;
      const elsewhere = hidden?.get(name);
      if (elsewhere !== undefined) this.#problem(at.path, elsewhere);
      else if (!isPlainText(name)) this.#problem(at.path, 'a name that is no valid Unicode');
      else if (type === undefined) this.#problem(at.path, `unknown field ${JSON.stringify(name)}${nearest(name, map.fields.keys())}`);
      else define(result, name, this.#check(value, type, at));
    }
    if (this.#complete) this.#checkRequired(given, map, path, hidden);
    return result;
  }

  // A field with a default need not be written: the server fills it in before it asks.
  #checkRequired(given: ReadonlySet<string>, map: MapType, path: string, hidden: ReadonlyMap<string, string> | undefined): void {
    for (const name of map.required) {
      if (given.has(name) || map.fields.get(name)?.default !== undefined || hidden?.has(name)) continue;
      this.#problem(`${path}${pathStep(name)}`, 'the schema requires this field');
    }
  }

  #checkList(items: readonly unknown[], list: ListType, place: Place): Json {
    if (isEmptySpread(items)) return emptySpread;
    const seen = new Set<string>();
    const result: Json[] = [];
    // By index: a sparse list has holes that iteration methods would skip.
    for (let index = 0; index < items.length; index++) {
      const item = items[index];
      const at = { path: `${place.path}[${index}]`, depth: place.depth + 1, whole: place.whole || list.relation === 'atomic' };
      if (item === undefined) this.#problem(at.path, 'a list item is undefined');
      else if (list.relation === 'atomic') push(result, this.#check(item, list.element, at));
      else if (list.keys.length > 0) push(result, this.#checkKeyed(item, list, place.path, at, seen));
      else push(result, this.#checkMember(item, list, at, seen));
    }
    return result;
  }

  #checkKeyed(item: unknown, list: ListType, path: string, at: Place, seen: Set<string>): Json | undefined {
    if (openBuilder(item) === undefined && !isPlainObject(item)) {
      return this.#problem(at.path, `an item of a list keyed by ${list.keys.join(', ')} must be an object`);
    }
    const key = itemKey(this.#schema, list, item);
    const place = key.text === undefined ? at : { ...at, path: `${path}${key.text}` };
    if (key.missing.length > 0)
      this.#problem(place.path, `the list map key ${key.missing.map((name) => JSON.stringify(name)).join(', ')} is missing`);
    else if (seen.has(key.identity)) this.#problem(place.path, 'two items of the list have the same key');
    seen.add(key.identity);
    return this.#check(item, list.element, place);
  }

  #checkMember(item: unknown, list: ListType, at: Place, seen: Set<string>): Json | undefined {
    if (item === null || typeof item === 'object')
      return this.#problem(at.path, 'an item of a set must be a string, a number or a boolean');
    const identity = JSON.stringify(item);
    if (seen.has(identity)) return this.#problem(at.path, `the set has ${identity} twice`);
    seen.add(identity);
    return this.#check(item, list.element, at);
  }

  #mismatch(type: Type, found: string, path: string): undefined {
    return this.#problem(path, `expected ${describeType(type)}, got ${found}`);
  }

  #problem(path: string, what: string): undefined {
    this.problems.push({ path: path || '.', what });
    return undefined;
  }
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
