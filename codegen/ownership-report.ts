import type { MapType, RootType, SampleObject, Schema, Type, TypeRef } from '../src/schema/index.js';
import {
  acceptsAny,
  builtInShapes,
  deducedName,
  hiddenFields,
  objectMetaName,
  pathStep,
  resolve,
  untypedName,
} from '../src/schema/index.js';
import { KeyAdvisor, type ShareableList, withListTypes } from './shareable-lists.js';

/** The sharing rules of the lists and maps of a kind, and the problems they cause. */
export interface KindReport {
  /** Kind and group-version, such as `Gateway edge.example.com/v1`. */
  readonly subject: string;
  /** Lists, maps of free keys and atomic objects, except those inside atomic ones, which have one owner as a whole. */
  readonly positions: readonly Position[];
  /** Atomic lists of objects: two stacks that both declare one overwrite each other. */
  readonly shareable: readonly ShareableList[];
  /** Keys that identify items of a list although an item may omit them. */
  readonly weakKeys: readonly WeakKey[];
  /** Fields that must exist as long as any sibling does, so that their owner cannot release them. */
  readonly blockedReleases: readonly BlockedRelease[];
}

/** A list or map of a kind, and its relation of ownership. */
export interface Position {
  /** Such as `.spec.ports`. */
  readonly path: string;
  readonly what: 'list' | 'map';
  readonly relation: 'keyed' | 'set' | 'atomic' | 'granular';
  readonly keys: readonly string[];
  /** The type of its content, such as `object` or `string`. */
  readonly of: string;
}

/** A list key that an item may omit. */
export interface WeakKey {
  readonly path: string;
  readonly key: string;
  /** The default, as JSON; without one an item may lack the key. */
  readonly default?: string;
}

/** A place whose fields cannot be released alone, because the schema requires them. */
export interface BlockedRelease {
  /** The object that requires them. */
  readonly path: string;
  readonly required: readonly string[];
  /** Sibling lists and maps, which others may own. */
  readonly beside: readonly string[];
}

/** Knowledge that makes the suggested keys of a report better. */
export interface OwnershipReportOptions {
  /** The kinds of the built-in API, as `readOpenApi` returns them: lists of the same structure get the same keys. */
  readonly builtIn?: readonly RootType[];
  /** Objects of the reported kinds: two items of one list with the same keys refute a suggestion. */
  readonly samples?: readonly SampleObject[];
}

/** Reports the sharing rules of kinds. Status, metadata and similar members are omitted, because stacks do not declare them. */
export function ownershipReport(
  roots: readonly RootType[],
  { builtIn = [], samples = [] }: OwnershipReportOptions = {},
): readonly KindReport[] {
  const shapes = builtInShapes(builtIn);
  const reported = roots.filter(({ subresource }) => subresource === undefined);
  const reports = reported.map((root) => new OwnershipReporter(root, new KeyAdvisor(root, shapes, samples)).report());
  const kinds = reports.map(({ shareable, positions }, index) => ({
    root: reported[index] as RootType,
    lists: shareable,
    associative: new Set(positions.filter(({ relation }) => relation === 'keyed' || relation === 'set').map(({ path }) => path)),
  }));
  const shareable = withListTypes(kinds);
  return reports.map((report, index) => ({ ...report, shareable: shareable[index] ?? [] }));
}

interface Cursor {
  readonly path: string;
  /** Path of the outermost surrounding atomic list or map. */
  readonly inside?: string;
  /** Path of the outermost surrounding list or map that has to stay atomic. */
  readonly staysAtomic?: string;
  /** Name of the innermost field. */
  readonly field: string;
  /** Names of the types on the path, to detect cycles. */
  readonly names: readonly string[];
  /** Keys of the list whose item this is. */
  readonly keys?: readonly string[];
}

class OwnershipReporter {
  readonly #root: RootType;
  readonly #schema: Schema;
  readonly #advisor: KeyAdvisor;
  readonly #positions: Position[] = [];
  readonly #shareable: ShareableList[] = [];
  readonly #weakKeys: WeakKey[] = [];
  readonly #blockedReleases: BlockedRelease[] = [];

  constructor(root: RootType, advisor: KeyAdvisor) {
    this.#root = root;
    this.#schema = root.schema;
    this.#advisor = advisor;
  }

  report(): KindReport {
    const map = resolve(this.#schema, this.#root.type).map;
    const without = new Set(['apiVersion', 'kind', 'metadata', ...hiddenFields(this.#root).keys()]);
    for (const [name, field] of map?.fields ?? []) {
      if (!without.has(name)) this.#visit(field.type, { path: pathStep(name), field: name, names: [] });
    }
    return {
      subject: `${this.#root.kind} ${this.#root.apiVersion}`,
      positions: this.#positions,
      shareable: this.#shareable,
      weakKeys: this.#weakKeys,
      blockedReleases: this.#blockedReleases,
    };
  }

  #visit(ref: TypeRef, cursor: Cursor): void {
    if ('name' in ref) {
      if (ref.name === objectMetaName || isAny(ref) || cursor.names.includes(ref.name)) return;
      this.#visitType(resolve(this.#schema, ref), { ...cursor, names: [...cursor.names, ref.name] });
    } else this.#visitType(ref.inline, cursor);
  }

  #visitType(type: Type, cursor: Cursor): void {
    // A type with several parts is any JSON, an int-or-string or similar: it has no sharing rule, but an object in its place may have fields.
    const { scalar, list, map } = type;
    if (acceptsAny(type) && map !== undefined && describesMembers(map)) this.#visitMap(map, cursor);
    if (scalar !== undefined || (list !== undefined && map !== undefined)) return;
    if (list !== undefined) this.#visitList(list, cursor, type.description);
    if (map !== undefined) this.#visitMap(map, cursor);
  }

  #visitList(list: NonNullable<Type['list']>, cursor: Cursor, description: string | undefined): void {
    const { relation, keys, element } = list;
    const atomic = relation === 'atomic';
    const name = atomic ? 'atomic' : keys.length > 0 ? 'keyed' : 'set';
    if (cursor.inside === undefined) {
      this.#positions.push({ path: cursor.path, what: 'list', relation: name, keys, of: this.#describe(element) });
      for (const key of keys) this.#checkKey(key, element, cursor.path);
    }
    const advice = atomic && this.#isStruct(element) ? this.#advisor.advise(list, { ...cursor, description }) : undefined;
    if (advice !== undefined) this.#shareable.push(advice);
    const staysAtomic = atomic && !(advice?.confidence === 'high' && advice.accepted);
    this.#visit(element, { ...surrounding(cursor, atomic, staysAtomic), path: `${cursor.path}[]`, keys });
  }

  #visitMap(map: MapType, cursor: Cursor): void {
    const atomic = map.relation === 'atomic';
    const free = map.fields.size === 0;
    if (cursor.inside === undefined && (free || atomic)) {
      const of = map.element === undefined || !free ? 'object' : this.#describe(map.element);
      this.#positions.push({ path: cursor.path, what: 'map', relation: map.relation, keys: [], of });
    }
    const below = surrounding(cursor, atomic, atomic);
    if (below.inside === undefined) this.#checkRelease(map, cursor);
    for (const [name, field] of map.fields) this.#visit(field.type, { ...below, path: `${cursor.path}${pathStep(name)}`, field: name });
    if (map.element !== undefined) this.#visit(map.element, { ...below, path: `${cursor.path}.*` });
  }

  #checkKey(key: string, element: TypeRef, path: string): void {
    const map = resolve(this.#schema, element).map;
    const value = map?.fields.get(key)?.default;
    if (map === undefined || map.required.includes(key)) return;
    this.#weakKeys.push({ path, key, ...(value === undefined ? {} : { default: JSON.stringify(value) }) });
  }

  // The owner may leave while others still own siblings: the object stays, and lacks a required field.
  #checkRelease(map: MapType, { path, keys }: Cursor): void {
    const required = map.required.filter((name) => !keys?.includes(name) && map.fields.get(name)?.default === undefined);
    const beside = [...map.fields].filter(([, field]) => this.#isShared(field.type)).map(([name]) => name);
    const blocking = required.filter((name) => !(beside.length === 1 && beside[0] === name));
    if (blocking.length > 0 && beside.length > 0) this.#blockedReleases.push({ path, required: blocking, beside });
  }

  /** Returns true if several owners can own parts of it, such as free keys and items. */
  #isShared(ref: TypeRef): boolean {
    if (isAny(ref)) return false;
    const { scalar, list, map } = resolve(this.#schema, ref);
    if (scalar !== undefined) return false;
    return list?.relation === 'associative' || (map?.relation === 'granular' && map.fields.size === 0 && map.element !== undefined);
  }

  #isStruct(ref: TypeRef): boolean {
    const { scalar, list, map } = resolve(this.#schema, ref);
    return scalar === undefined && list === undefined && map !== undefined && map.fields.size > 0;
  }

  #describe(ref: TypeRef): string {
    if (isAny(ref)) return 'any';
    const { scalar, list, map } = resolve(this.#schema, ref);
    if (scalar !== undefined) return list !== undefined || map !== undefined ? 'any' : scalar.integer === true ? 'integer' : scalar.kind;
    return list !== undefined ? 'list' : 'object';
  }
}

/** Returns the cursor for the content of a list or map, without its keys. */
function surrounding({ keys: _, ...cursor }: Cursor, atomic: boolean, staysAtomic: boolean): Cursor {
  return {
    ...cursor,
    ...(atomic && cursor.inside === undefined ? { inside: cursor.path } : {}),
    ...(staysAtomic && cursor.staysAtomic === undefined ? { staysAtomic: cursor.path } : {}),
  };
}

function describesMembers({ fields, element }: MapType): boolean {
  return fields.size > 0 || (element !== undefined && !isAny(element));
}

function isAny(ref: TypeRef): boolean {
  return 'name' in ref && (ref.name === deducedName || ref.name === untypedName);
}
