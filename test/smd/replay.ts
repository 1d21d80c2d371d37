import { isDeepStrictEqual } from 'node:util';
import { canonicalElement } from '../../src/fields/element.js';
import {
  compareValues,
  difference,
  emptyFieldSet,
  type FieldSet,
  intersection,
  leaves,
  readFieldsV1,
  recursiveDifference,
  union,
  writeFieldsV1,
} from '../../src/fields/index.js';
import {
  type ApplyInput,
  compare,
  computeApply,
  extract,
  fieldSetOf,
  type Managers,
  merge,
  reconcile,
  remove,
  updateManagers,
  validate,
} from '../../src/merge/index.js';
import { ConversionError, type VersionedKind } from '../../src/merge/versioned-kind.js';
import { type Field, type RootType, resolve, type Schema, type Type, type TypeRef } from '../../src/schema/index.js';
import { parseExactJson } from '../../src/util/exact-json.js';
import { isJsonObject, type Json, type JsonObject } from '../../src/util/json.js';
import { readRef, readSchema } from './read-schema.js';

/** A recorded call: its operation, the test file that made it, its arguments and its result. */
export interface Call {
  readonly op: string;
  readonly test: string;
  readonly error?: string | null;
  readonly schema?: number;
  readonly type?: string;
  readonly value?: Json;
  readonly [argument: string]: unknown;
}

interface Entry {
  readonly version: string;
  readonly applied: boolean;
  readonly fields: JsonObject;
}

interface Conversion {
  readonly value: Json;
  readonly version: string;
  readonly result?: Json;
  readonly error?: string | null;
  readonly schema?: number;
  readonly type?: string;
  readonly missing?: boolean;
}

/** Replays calls against our merge. */
export class Replay {
  readonly #texts: readonly string[];
  readonly #types = new Map<string, { readonly schema: Schema; readonly ref: TypeRef }>();

  constructor(schemas: readonly string[]) {
    this.#texts = schemas;
  }

  /** Returns what our code answers, and what was recorded; equal if all is well. */
  run(call: Call): { readonly actual: unknown; readonly expected: unknown } {
    switch (call.op) {
      case 'union':
      case 'intersection':
      case 'difference':
      case 'recursiveDifference':
      case 'leaves':
        return setCall(call);
      case 'element':
        return elementCall(call);
      case 'order':
        return { actual: Math.sign(compareValues(call.left as Json, call.right as Json)), expected: call.result };
      case 'apply':
      case 'update':
        return this.#step(call);
      default:
        return this.#value(call);
    }
  }

  #typeOf(call: Pick<Call, 'schema' | 'type'>): { readonly schema: Schema; readonly ref: TypeRef } {
    const key = `${call.schema} ${call.type}`;
    const known = this.#types.get(key);
    if (known !== undefined) return known;
    const text = this.#texts[call.schema as number] as string;
    const read = { schema: readSchema(text), ref: readRef(call.type as string, text) };
    this.#types.set(key, read);
    return read;
  }

  #value(call: Call): { readonly actual: unknown; readonly expected: unknown } {
    const { schema, ref } = this.#typeOf(call);
    const value = call.value as Json;
    const other = call.other as Json;
    const failed = typeof call.error === 'string';
    const items = () => readFieldsV1(call.items as Json);
    switch (call.op) {
      case 'validate':
        return { actual: validate(schema, ref, value, { allowDuplicates: call.allowDuplicates === true }).length > 0, expected: failed };
      case 'fieldSet':
        return { actual: writeFieldsV1(fieldSetOf(schema, ref, value)), expected: normalized(call.result) };
      case 'merge':
        return { actual: merge(schema, ref, value, other), expected: call.result };
      case 'compare': {
        const { added, removed, modified } = compare(schema, ref, value, other);
        const actual = { added: writeFieldsV1(added), removed: writeFieldsV1(removed), modified: writeFieldsV1(modified) };
        return {
          actual,
          expected: { added: normalized(call.added), removed: normalized(call.removed), modified: normalized(call.modified) },
        };
      }
      case 'remove':
        return { actual: remove(schema, ref, value, items(), 'null'), expected: call.result };
      case 'extract':
        return { actual: withoutEmpty(extract(schema, ref, value, items())), expected: withoutEmpty(call.result as Json) };
      case 'reconcile':
        return { actual: writeFieldsV1(reconcile(schema, ref, items())), expected: normalized(call.result ?? call.items) };
      default:
        throw new Error(`There is no operation ${call.op}.`);
    }
  }

  #step(call: Call): { readonly actual: unknown; readonly expected: unknown } {
    const input = this.#input(call);
    const conflicts = call.conflicts as readonly { manager: string; fields: JsonObject }[] | undefined;
    try {
      if (call.op === 'update') {
        const { managers, acquired } = updateManagers({ ...input, object: input.intent });
        const own = managers.get(call.manager as string);
        const set = union(own?.applied === false && own.apiVersion === input.apiVersion ? own.set : emptyFieldSet, acquired);
        const after = new Map(managers).set(call.manager as string, { set, apiVersion: input.apiVersion, applied: false });
        if (set.members.size + set.children.size === 0) after.delete(call.manager as string);
        return { actual: entriesOf(after), expected: ownersOf(call) };
      }
      const result = computeApply(input);
      if ('conflicts' in result) {
        const list = result.conflicts.flatMap(({ manager, fields }) => singles(fields.set).map((path) => `${manager} ${path}`));
        const expected = conflicts?.map(({ manager, fields }) => `${manager} ${JSON.stringify(fields)}`).toSorted();
        return { actual: list.toSorted(), expected: expected ?? call.error };
      }
      const object = withoutApiVersion(result.object);
      return {
        actual: { object, owners: entriesOf(result.managers) },
        expected: { object: ('result' in call ? call.result : call.value) ?? {}, owners: ownersOf(call) },
      };
    } catch (error) {
      return {
        actual: typeof call.error === 'string' && conflicts === undefined ? 'an error' : String((error as Error).stack),
        expected: 'an error',
      };
    }
  }

  #input(call: Call): ApplyInput {
    const { schema, ref } = this.#typeOf(call);
    const conversions = call.conversions as readonly Conversion[];
    const managers = call.managers as Readonly<Record<string, Entry>>;
    const roots = new Map<string, RootType>();
    const addRoot = (version: string, of: { readonly schema: Schema; readonly ref: TypeRef }) => {
      const type = withApiVersion(resolve(of.schema, of.ref));
      roots.set(version, { apiVersion: version, kind: 'Recorded', scope: 'Namespaced', schema: of.schema, type });
    };
    for (const { version } of Object.values(managers)) addRoot(version, { schema, ref });
    addRoot(String(call.version), { schema, ref });
    for (const each of conversions) if (each.type !== undefined) addRoot(each.version, this.#typeOf(each));
    const missing = new Set(conversions.filter((each) => each.missing === true).map(({ version }) => version));
    for (const version of missing) roots.delete(version);
    const names = renamedFields(conversions);
    const kind: VersionedKind = {
      versions: roots,
      convert(object, apiVersion) {
        if (missing.has(apiVersion)) return undefined;
        const found = conversions.find(
          (each) => each.version === apiVersion && isDeepStrictEqual(each.value ?? {}, withoutApiVersion(object)),
        );
        if (typeof found?.error === 'string') throw new ConversionError('recorded');
        return { ...(renamed(object, apiVersion, names.get(apiVersion)) as JsonObject), apiVersion };
      },
    };
    const ignored = call.ignored as Readonly<Record<string, JsonObject>>;
    return {
      kind,
      apiVersion: call.version as string,
      requester: call.manager as string,
      live: { ...(call.value as JsonObject | null), apiVersion: call.version as string },
      intent: { ...(call.object as JsonObject | null), apiVersion: call.version as string },
      managers: managersOf(managers),
      force: call.force === true,
      prunedContainers: 'null',
      ignored: (apiVersion) => readFieldsV1({ ...ignored[apiVersion], 'f:apiVersion': {} }),
    };
  }
}

function setCall(call: Call): { readonly actual: unknown; readonly expected: unknown } {
  const [left, right] = [readFieldsV1(call.left as Json), readFieldsV1(call.right as Json)];
  const operations = { union, intersection, difference, recursiveDifference, leaves: (set: FieldSet) => leaves(set) };
  const operation = operations[call.op as keyof typeof operations];
  return { actual: writeFieldsV1(operation(left, right)), expected: normalized(call.result) };
}

function elementCall(call: Call): { readonly actual: unknown; readonly expected: unknown } {
  const expected = typeof call.error === 'string' ? undefined : call.result;
  try {
    return { actual: canonicalElement(call.text as string), expected };
  } catch (error) {
    return { actual: error instanceof SyntaxError ? undefined : error, expected };
  }
}

/** Removes null and empty members, and containers without others: structured-merge-diff prints null for a container without members. */
function withoutEmpty(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).map(withoutEmpty).filter((item): item is Json => item !== undefined);
    return items.length > 0 ? items : undefined;
  }
  if (!isJsonObject(value)) return value ?? undefined;
  const members = Object.entries(value).map(([name, member]) => [name, withoutEmpty(member)] as const);
  const kept = members.filter(([, member]) => member !== undefined);
  return kept.length > 0 ? (Object.fromEntries(kept) as JsonObject) : undefined;
}

function managersOf(entries: Readonly<Record<string, Entry>>): Managers {
  return new Map(
    Object.entries(entries).map(([name, { version, applied, fields }]) => [
      name,
      { apiVersion: version, applied, set: readFieldsV1(fields) },
    ]),
  );
}

function entriesOf(managers: Managers): unknown {
  return Object.fromEntries(
    [...managers].map(([name, { apiVersion, applied, set }]) => [name, { version: apiVersion, applied, fields: writeFieldsV1(set) }]),
  );
}

function ownersOf(call: Call): unknown {
  if (typeof call.error === 'string') return call.error;
  return entriesOf(managersOf(call.owners as Readonly<Record<string, Entry>>));
}

/** Returns each member of a set as FieldsV1 of its own. */
function singles(set: FieldSet): string[] {
  const found: string[] = [];
  for (const element of set.members) found.push(JSON.stringify(writeFieldsV1({ members: new Set([element]), children: new Map() })));
  for (const [element, child] of set.children) {
    for (const text of singles(child)) found.push(JSON.stringify({ [element]: JSON.parse(text) as Json }));
  }
  return found;
}

function normalized(fields: unknown): JsonObject {
  return writeFieldsV1(readFieldsV1((fields ?? {}) as Json));
}

/** Returns, by version, the names that the recorded conversions give to fields: those that are not in both objects, in their order. */
function renamedFields(conversions: readonly Conversion[]): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const names = new Map<string, Map<string, string>>();
  const learn = (from: Json | undefined, to: Json | undefined, into: Map<string, string>): void => {
    if (!isJsonObject(from) || !isJsonObject(to)) return;
    const gone = Object.keys(from).filter((name) => to[name] === undefined);
    const added = Object.keys(to).filter((name) => from[name] === undefined);
    for (const [index, name] of gone.entries()) into.set(name, added[index] ?? name);
    for (const name of Object.keys(from)) learn(from[name], to[into.get(name) ?? name], into);
  };
  for (const { value, version, result } of conversions) {
    const into = names.get(version) ?? new Map<string, string>();
    names.set(version, into);
    learn(value, result, into);
  }
  return names;
}

/** Converts a value as the converters of the tests do: by the recorded names, a suffix `_v2`, or a letter that is repeated `v2` times. */
function renamed(value: Json, version: string, names: ReadonlyMap<string, string> = new Map()): Json {
  if (!isJsonObject(value)) return value;
  const isRenaming = [...names].some(([from, to]) => from !== to);
  const nameOf = (name: string) => {
    const known = names.get(name) ?? name.replace(/_v\d$/, `_${version}`);
    return known === name && isRenaming && /^(.)\1*$/.test(name) ? name.charAt(0).repeat(Number(version.slice(1))) : known;
  };
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [nameOf(name), renamed(member as Json, version, names)]));
}

/** Adds `apiVersion` to the fields of a root type: objects of our merge say their version themselves. */
function withApiVersion(type: Type): TypeRef {
  if (type.map === undefined) return { inline: type };
  const text: Field = { type: { inline: { scalar: { kind: 'string' } } } };
  return { inline: { ...type, map: { ...type.map, fields: new Map([...type.map.fields, ['apiVersion', text]]) } } };
}

function withoutApiVersion({ apiVersion: _, ...object }: JsonObject): JsonObject {
  return object;
}

/** Reads a line of the recorded calls. */
export function readCall(line: string): Call {
  return parseExactJson(line) as unknown as Call;
}
