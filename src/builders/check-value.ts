import { isBuiltIn } from '../schema/built-in-group.js';
import { choicesOf } from '../schema/choices.js';
import { acceptsAny, deducedName, untypedName } from '../schema/deduced.js';
import type { Field, ListType, MapType, RootType, Schema, Type, TypeRef } from '../schema/model.js';
import { resolve } from '../schema/resolve.js';
import { pathStep } from '../schema/schema-path.js';
import { type Json, type JsonObject, setMember } from '../util/json.js';
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
  /** Errors that depend on the server's version or on how the intent is merged. */
  readonly reason?: DiagnosticReason;
}

/**
 * `unknown`: a field or an enum value that the schema does not have; `pruned`: a field that a custom resource drops; `undefined`: a key
 * that the program names and gives no value.
 */
export type DiagnosticReason = 'unknown' | 'pruned' | 'null' | 'undefined' | 'repeated' | 'without-key';

/** The position of a value. Its path is only written for a diagnostic. */
interface Cursor {
  readonly above: Cursor | undefined;
  /** A member's name, an item's index, or the text of an item's keys. */
  readonly step: string | number | { readonly keys: string };
  readonly depth: number;
  /** True if no other owner can add to the value: it is inside an atomic list or map, or completeness is required. */
  readonly complete: boolean;
  /** Attributes of the value beside its type. */
  readonly field: Pick<Field, 'nullable' | 'default'> | undefined;
}

/** Options of `ValueCheck`. */
export interface ValueCheckOptions {
  /** True if required fields must be present. */
  readonly complete?: boolean | undefined;
  /** The type of the whole object, by which messages say what its server does, and hide values of Secrets. */
  readonly root?: Pick<RootType, 'apiVersion' | 'kind'> | undefined;
  /** True for a document, whose integers beyond 2^53 are each a `bigint`. Builders hold none. */
  readonly exactIntegers?: boolean | undefined;
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
  readonly #options: ValueCheckOptions;

  constructor(schema: Schema, options: ValueCheckOptions = {}) {
    this.#schema = schema;
    this.#options = options;
    this.#complete = options.complete === true;
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
    return { above: undefined, step: '', depth: 0, complete: this.#complete, field: undefined };
  }

  #check(value: unknown, ref: TypeRef, cursor: Cursor): Json | undefined {
    if (cursor.depth > maxDepth)
      return this.#report(pathOf(cursor).slice(0, 80), `the value contains itself, or nests deeper than ${maxDepth} levels`);
    const opened = openBuilder(value);
    if (opened !== undefined) return this.#checkBuilder(opened, ref, cursor);
    const type = resolve(this.#schema, ref);
    if (value === null) return this.#checkNull(type, cursor);
    if (type.scalar?.kind === 'string' && isSecretReference(value)) return value; // Synth rejects references outside Secrets.
    const result = this.#checkAtom(value, type, cursor);
    if (result !== undefined) this.#checkRules(type, result, cursor);
    return result;
  }

  /** Source: the answers of a server to an apply, in test/cluster/null-values.test.ts. */
  #checkNull(type: Type, cursor: Cursor): Json | undefined {
    const { nullable, default: byDefault } = cursor.field ?? {};
    if ((nullable || acceptsAny(type)) && choicesOf(type) === undefined) return null;
    // The server never takes it from a client, and Go programs write it into manifests as null.
    if (cursor.step === 'creationTimestamp') return undefined;
    return this.#report(cursor, `null, but ${nullEffect(byDefault, this.#options.root?.apiVersion)}; leave the field out`, 'null');
  }

  #checkAtom(value: unknown, type: Type, cursor: Cursor): Json | undefined {
    if (Array.isArray(value)) {
      if (type.list === undefined || type.scalar?.format !== undefined) return this.#mismatch(type, 'a list', cursor);
      return this.#checkList(value, type.list, cursor);
    }
    if (isPlainObject(value)) {
      if (type.map === undefined || type.scalar?.format !== undefined) return this.#mismatch(type, 'an object', cursor);
      return this.#checkMap(Object.entries(value), type.map, cursor);
    }
    const isForeign = typeof value === 'bigint' && !this.#options.exactIntegers;
    if (typeof value === 'object' || typeof value === 'function' || typeof value === 'symbol' || isForeign) {
      return this.#report(cursor, `${describeForeign(value)} is not a JSON value`);
    }
    if (typeof value === 'string' && !isWellFormed(value)) return this.#report(cursor, 'a string that is not valid Unicode');
    if (type.scalar === undefined) return this.#mismatch(type, describeValue(value), cursor);
    const wrong = checkScalar(type.scalar, value as boolean | number | string);
    if (wrong === undefined) return value as Json;
    return this.#report(cursor, wrong, typeof value === 'string' && type.scalar.enum ? 'unknown' : undefined);
  }

  #checkRules({ valueValidation, list, map }: Type, value: Json, cursor: Cursor): void {
    if (valueValidation === undefined) return;
    const atomic = Array.isArray(value) ? list?.relation === 'atomic' : map?.relation === 'atomic';
    for (const what of checkValueValidation(valueValidation, value, { complete: cursor.complete || atomic, map }))
      this.#report(cursor, what);
  }

  #checkBuilder(opened: OpenedBuilder, ref: TypeRef, cursor: Cursor): Json | undefined {
    const { type, values } = opened;
    const actual = nameOf(type.type);
    const expected = nameOf(ref);
    const free = expected === deducedName || expected === untypedName;
    if (!free && actual !== expected) {
      return this.#report(cursor, `a builder of ${actual ?? 'another type'} where ${expected ?? 'no builder'} is expected`);
    }
    const inner = new ValueCheck(type.schema, this.#options);
    const { apiVersion, kind } = type.root ?? {};
    const identity = free && apiVersion !== undefined ? Object.entries({ apiVersion, kind }) : [];
    // The position may make the whole atomic although the type is not.
    const resolved = resolve(type.schema, free ? type.type : ref);
    const result = resolved.map && inner.#checkMap([...identity, ...values], resolved.map, cursor);
    if (result !== undefined) inner.#checkRules(resolved, result, cursor);
    this.diagnostics.push(...inner.diagnostics);
    return result;
  }

  #checkMap(members: Iterable<readonly [string, unknown]>, map: MapType, cursor: Cursor, hidden?: ReadonlyMap<string, string>): JsonObject {
    const result: Record<string, Json> = {};
    const declared = this.#complete ? new Set<string>() : undefined;
    for (const [name, value] of members) {
      if (value === undefined) {
        if (isFreeKey(name, map)) this.#report(below(cursor, name, map.relation, map), undefinedKey, 'undefined');
        continue;
      }
      if (value !== null || map.fields.get(name)?.nullable === true) declared?.add(name);
      const field = map.fields.get(name);
      const at = below(cursor, name, map.relation, field ?? map);
      const type = field?.type ?? map.element;
      const elsewhere = hidden?.get(name);
      if (elsewhere !== undefined) this.#report(at, elsewhere);
      else if (!isWellFormed(name)) this.#report(at, 'a name that is not valid Unicode');
      else if (type === undefined || (map.pruned && field === undefined)) this.#reportUnknown(at, name, map);
      else if (value === null && this.#dropsNull(map, field, type)) {
        this.#report(at, 'null, which the server drops without an error; leave the field out', 'null');
      } else define(result, name, this.#check(value, type, at));
    }
    if (declared) this.#checkRequired(declared, map, cursor, hidden);
    return result;
  }

  /**
   * Returns true for a field of a custom resource that takes any value but null: its schema has no type and is not nullable. Within such a
   * value, null stays. Source: test/cluster/null-values.test.ts.
   */
  #dropsNull(map: MapType, field: Field | undefined, type: TypeRef): boolean {
    const { apiVersion } = this.#options.root ?? {};
    if (apiVersion === undefined || isBuiltIn(apiVersion) || (field ?? map).nullable === true || field?.default !== undefined) return false;
    const element = map.element && nameOf(map.element);
    const isInsideAny = field === undefined && (element === deducedName || element === untypedName);
    return !isInsideAny && acceptsAny(resolve(this.#schema, type));
  }

  #reportUnknown(cursor: Cursor, name: string, { fields, pruned }: MapType): void {
    const dropped = pruned ? ', which the server drops without an error' : '';
    this.#report(cursor, `unknown field ${JSON.stringify(name)}${dropped}${nearest(name, fields.keys())}`, pruned ? 'pruned' : 'unknown');
  }

  // A field with a default may be omitted: the server fills it in before this check.
  #checkRequired(declared: ReadonlySet<string>, map: MapType, cursor: Cursor, hidden: ReadonlyMap<string, string> | undefined): void {
    for (const name of map.required) {
      if (declared.has(name) || map.fields.get(name)?.default !== undefined || hidden?.has(name)) continue;
      this.#report(below(cursor, name, map.relation, undefined), 'the schema requires this field');
    }
  }

  #checkList(items: readonly unknown[], list: ListType, cursor: Cursor): Json {
    if (isEmptySpread(items)) return emptySpread;
    const seen = new Set<string>();
    const result: Json[] = [];
    // By index: a sparse list has holes that iteration methods would skip.
    for (let index = 0; index < items.length; index++) {
      const item = items[index];
      const at = below(cursor, index, list.relation, list);
      if (item === undefined) this.#report(at, 'a list item is undefined');
      else if (list.relation === 'atomic') push(result, this.#check(item, list.element, at));
      else if (list.keys.length > 0) push(result, this.#checkKeyed(item, list, at, seen));
      else push(result, this.#checkMember(item, list, at, seen));
    }
    return result;
  }

  #checkKeyed(item: unknown, list: ListType, at: Cursor, seen: Set<string>): Json | undefined {
    if (openBuilder(item) === undefined && !isPlainObject(item)) {
      return this.#report(at, `an item of a list keyed by ${list.keys.join(', ')} must be an object`);
    }
    const key = itemKey(this.#schema, list, item);
    const cursor = key.text === undefined ? at : { ...at, step: { keys: key.text } };
    if (key.missing.length > 0)
      this.#report(cursor, `the list map key ${key.missing.map((name) => JSON.stringify(name)).join(', ')} is missing`, 'without-key');
    else if (seen.has(key.identity)) this.#report(cursor, 'two items of the list have the same key', 'repeated');
    seen.add(key.identity);
    return this.#check(item, list.element, cursor);
  }

  #checkMember(item: unknown, list: ListType, at: Cursor, seen: Set<string>): Json | undefined {
    if (item === null || typeof item === 'object') return this.#report(at, 'an item of a set must be a string, a number or a boolean');
    const identity = JSON.stringify(item);
    if (seen.has(identity)) return this.#report(at, `the set has ${identity} twice`, 'repeated');
    seen.add(identity);
    return this.#check(item, list.element, at);
  }

  #mismatch(type: Type, found: string, cursor: Cursor): undefined {
    return this.#report(cursor, `expected ${describeType(type)}, got ${found}`);
  }

  #isHidden(path: string): boolean {
    const { apiVersion, kind } = this.#options.root ?? {};
    return apiVersion === 'v1' && kind === 'Secret' && /^\.(data|stringData)(?![\w$-])/.test(path);
  }

  #report(where: Cursor | string, what: string, reason?: DiagnosticReason): undefined {
    const path = (typeof where === 'string' ? where : pathOf(where)) || '.';
    const showsValue = reason !== 'null' && reason !== 'undefined';
    const message = showsValue && this.#isHidden(path) ? 'the value does not fit its type; values of Secrets are not shown' : what;
    this.diagnostics.push(reason === undefined ? { path, message } : { path, message, reason });
    return undefined;
  }
}

const undefinedKey = 'undefined, but a key of a map has a value: leave the key out, or give it one';

/**
 * Returns true for a name that the program chose and the schema does not have: a key of labels or data, or a member within content without a
 * schema, such as below `x-kubernetes-preserve-unknown-fields`. Only a declared field may be undefined: it is then not declared.
 */
function isFreeKey(name: string, { fields, element, pruned }: MapType): boolean {
  return element !== undefined && !pruned && !fields.has(name);
}

function nullEffect(byDefault: Json | undefined, apiVersion: string | undefined): string {
  if (byDefault !== undefined) return `the server sets the default ${describeValue(byDefault)} instead`;
  if (apiVersion === undefined) return 'the server rejects it or sets an empty value instead';
  return isBuiltIn(apiVersion) ? 'the server sets an empty value or a default instead' : 'the server rejects it here';
}

/** Returns the position of a member or an item. */
function below(above: Cursor, step: string | number, relation: 'granular' | 'associative' | 'atomic', field: Cursor['field']): Cursor {
  return { above, step, depth: above.depth + 1, complete: above.complete || relation === 'atomic', field };
}

function pathOf({ above, step }: Cursor): string {
  if (above === undefined) return '';
  if (typeof step === 'object') return pathOf(above) + step.keys;
  return pathOf(above) + (typeof step === 'number' ? `[${step}]` : pathStep(step));
}

function nameOf(ref: TypeRef): string | undefined {
  return 'name' in ref ? ref.name : undefined;
}

function push(list: Json[], value: Json | undefined): void {
  if (value !== undefined) list.push(value);
}

function define(target: Record<string, Json>, name: string, value: Json | undefined): void {
  if (value !== undefined) setMember(target, name, value);
}
