import { deducedName, untypedName } from '../schema/deduced.js';
import type { ListType, MapType, Schema, Type, TypeRef } from '../schema/model.js';
import { resolve } from '../schema/resolve.js';
import { pathStep } from '../schema/schema-path.js';
import type { Json, JsonObject } from '../util/json.js';
import { isSecretReference } from '../util/secret-reference.js';
import { isWellFormed } from '../util/well-formed.js';
import { checkScalar } from './check-scalar.js';
import { checkValueValidation } from './check-value-validation.js';
import { describeForeign, describeType, describeValue } from './describe.js';
import { itemKey } from './item-key.js';
import { nearest } from './nearest.js';
import type { OpenedBuilder } from './values.js';
import { emptySpread, isEmptySpread, isPlainObject, openBuilder } from './values.js';

/** An error in a declared value. */
export interface ValueDiagnostic {
  /** Field path such as `.spec.ports[port=80].name`. */
  readonly path: string;
  /** The error, without the path. */
  readonly message: string;
}

/** The position of a value. */
interface Cursor {
  readonly path: string;
  readonly depth: number;
  /** True if no other owner can add to the value: it is inside an atomic list or map, or completeness is required. */
  readonly complete: boolean;
}

/** A deeper value must be circular: no API object nests that deep. */
const maxDepth = 500;

/**
 * Turns builders and literals into plain JSON and collects everything that the schema forbids. A partial value is only checked for errors
 * that no other owner could correct.
 */
export class ValueCheck {
  readonly diagnostics: ValueDiagnostic[] = [];
  readonly #schema: Schema;
  readonly #complete: boolean;

  /** @param complete true if required fields must be present */
  constructor(schema: Schema, complete = false) {
    this.#schema = schema;
    this.#complete = complete;
  }

  check(value: unknown, ref: TypeRef): Json | undefined {
    return this.#check(value, ref, this.#start());
  }

  /**
   * Checks declared members of a whole object.
   *
   * @param hidden members that exist but are declared elsewhere, with the reason
   */
  checkRoot(members: Iterable<readonly [string, unknown]>, type: Type, hidden: ReadonlyMap<string, string>): JsonObject {
    const cursor = this.#start();
    const result = this.#checkMap(members, type.map as MapType, cursor, hidden);
    this.#checkRules(type, result, cursor);
    return result;
  }

  #start(): Cursor {
    return { path: '', depth: 0, complete: this.#complete };
  }

  #check(value: unknown, ref: TypeRef, cursor: Cursor): Json | undefined {
    if (cursor.depth > maxDepth)
      return this.#report(cursor.path.slice(0, 80), `the value contains itself, or nests deeper than ${maxDepth} levels`);
    const opened = openBuilder(value);
    if (opened !== undefined) return this.#checkBuilder(opened, ref, cursor);
    // Null is valid for any type: it declares that the field has no value.
    if (value === null) return null;
    const type = resolve(this.#schema, ref);
    if (type.scalar?.kind === 'string' && isSecretReference(value)) return value; // Synth rejects references outside Secrets.
    const result = this.#checkAtom(value, type, cursor);
    if (result !== undefined) this.#checkRules(type, result, cursor);
    return result;
  }

  #checkAtom(value: unknown, type: Type, cursor: Cursor): Json | undefined {
    const { path } = cursor;
    if (Array.isArray(value)) return type.list ? this.#checkList(value, type.list, cursor) : this.#mismatch(type, 'a list', path);
    if (isPlainObject(value)) {
      if (type.map === undefined || type.scalar?.format !== undefined) return this.#mismatch(type, 'an object', path);
      return this.#checkMap(Object.entries(value), type.map, cursor);
    }
    if (typeof value === 'object' || typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint') {
      return this.#report(path, `${describeForeign(value)} is not a JSON value`);
    }
    if (typeof value === 'string' && !isWellFormed(value)) return this.#report(path, 'a string that is not valid Unicode');
    if (type.scalar === undefined) return this.#mismatch(type, describeValue(value), path);
    const wrong = checkScalar(type.scalar, value as boolean | number | string);
    return wrong === undefined ? (value as Json) : this.#report(path, wrong);
  }

  #checkRules({ valueValidation, list, map }: Type, value: Json, { path, complete }: Cursor): void {
    if (valueValidation === undefined) return;
    const atomic = Array.isArray(value) ? list?.relation === 'atomic' : map?.relation === 'atomic';
    for (const what of checkValueValidation(valueValidation, value, { complete: complete || atomic, map })) this.#report(path, what);
  }

  #checkBuilder(opened: OpenedBuilder, ref: TypeRef, cursor: Cursor): Json | undefined {
    const { type, values } = opened;
    const actual = nameOf(type.type);
    const expected = nameOf(ref);
    const free = expected === deducedName || expected === untypedName;
    if (!free && actual !== expected) {
      return this.#report(cursor.path, `a builder of ${actual ?? 'another type'} where ${expected ?? 'no builder'} is expected`);
    }
    const inner = new ValueCheck(type.schema, this.#complete);
    const { apiVersion, kind } = type.root ?? {};
    const identity = free && apiVersion !== undefined ? Object.entries({ apiVersion, kind }) : [];
    // The position may make the whole atomic although the type is not.
    const resolved = resolve(type.schema, free ? type.type : ref);
    const result = resolved.map && inner.#checkMap([...identity, ...values], resolved.map, cursor);
    if (result !== undefined) inner.#checkRules(resolved, result, cursor);
    this.diagnostics.push(...inner.diagnostics);
    return result;
  }

  #checkMap(
    members: Iterable<readonly [string, unknown]>,
    map: MapType,
    { path, depth, complete }: Cursor,
    hidden?: ReadonlyMap<string, string>,
  ): JsonObject {
    const result: Record<string, Json> = {};
    const declared = new Set<string>();
    for (const [name, value] of members) {
      if (value === undefined) continue;
      if (value !== null || map.fields.get(name)?.nullable === true) declared.add(name);
      const at = { path: `${path}${pathStep(name)}`, depth: depth + 1, complete: complete || map.relation === 'atomic' };
      const type = map.fields.get(name)?.type ?? map.element;
      const elsewhere = hidden?.get(name);
      if (elsewhere !== undefined) this.#report(at.path, elsewhere);
      else if (!isWellFormed(name)) this.#report(at.path, 'a name that is not valid Unicode');
      else if (type === undefined) this.#report(at.path, `unknown field ${JSON.stringify(name)}${nearest(name, map.fields.keys())}`);
      else define(result, name, this.#check(value, type, at));
    }
    if (this.#complete) this.#checkRequired(declared, map, path, hidden);
    return result;
  }

  // A field with a default may be omitted: the server fills it in before this check.
  #checkRequired(declared: ReadonlySet<string>, map: MapType, path: string, hidden: ReadonlyMap<string, string> | undefined): void {
    for (const name of map.required) {
      if (declared.has(name) || map.fields.get(name)?.default !== undefined || hidden?.has(name)) continue;
      this.#report(`${path}${pathStep(name)}`, 'the schema requires this field');
    }
  }

  #checkList(items: readonly unknown[], list: ListType, cursor: Cursor): Json {
    if (isEmptySpread(items)) return emptySpread;
    const seen = new Set<string>();
    const result: Json[] = [];
    // By index: a sparse list has holes that iteration methods would skip.
    for (let index = 0; index < items.length; index++) {
      const item = items[index];
      const at = { path: `${cursor.path}[${index}]`, depth: cursor.depth + 1, complete: cursor.complete || list.relation === 'atomic' };
      if (item === undefined) this.#report(at.path, 'a list item is undefined');
      else if (list.relation === 'atomic') push(result, this.#check(item, list.element, at));
      else if (list.keys.length > 0) push(result, this.#checkKeyed(item, list, cursor.path, at, seen));
      else push(result, this.#checkMember(item, list, at, seen));
    }
    return result;
  }

  #checkKeyed(item: unknown, list: ListType, path: string, at: Cursor, seen: Set<string>): Json | undefined {
    if (openBuilder(item) === undefined && !isPlainObject(item)) {
      return this.#report(at.path, `an item of a list keyed by ${list.keys.join(', ')} must be an object`);
    }
    const key = itemKey(this.#schema, list, item);
    const cursor = key.text === undefined ? at : { ...at, path: `${path}${key.text}` };
    if (key.missing.length > 0)
      this.#report(cursor.path, `the list map key ${key.missing.map((name) => JSON.stringify(name)).join(', ')} is missing`);
    else if (seen.has(key.identity)) this.#report(cursor.path, 'two items of the list have the same key');
    seen.add(key.identity);
    return this.#check(item, list.element, cursor);
  }

  #checkMember(item: unknown, list: ListType, at: Cursor, seen: Set<string>): Json | undefined {
    if (item === null || typeof item === 'object') return this.#report(at.path, 'an item of a set must be a string, a number or a boolean');
    const identity = JSON.stringify(item);
    if (seen.has(identity)) return this.#report(at.path, `the set has ${identity} twice`);
    seen.add(identity);
    return this.#check(item, list.element, at);
  }

  #mismatch(type: Type, found: string, path: string): undefined {
    return this.#report(path, `expected ${describeType(type)}, got ${found}`);
  }

  #report(path: string, what: string): undefined {
    this.diagnostics.push({ path: path || '.', message: what });
    return undefined;
  }
}

function nameOf(ref: TypeRef): string | undefined {
  return 'name' in ref ? ref.name : undefined;
}

function push(list: Json[], value: Json | undefined): void {
  if (value !== undefined) list.push(value);
}

// Assigning `__proto__` would change the object's prototype instead of adding a member.
function define(target: Record<string, Json>, name: string, value: Json | undefined): void {
  if (value === undefined) return;
  if (name === '__proto__') Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  else target[name] = value;
}
