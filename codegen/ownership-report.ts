import type { MapType, RootType, Schema, Type, TypeRef } from '../src/schema/index.js';
import { deducedName, hiddenFields, objectMetaName, pathStep, resolve, suggestKeys, untypedName } from '../src/schema/index.js';

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

/** A list whose items would have owners of their own if its type said so. */
export interface ShareableList {
  readonly path: string;
  /** The suggested keys; empty if no field is suitable. */
  readonly keys: readonly string[];
  /** True if the API server would accept these keys: each is required, or has a default. */
  readonly accepted: boolean;
  /** The surrounding atomic list or map, which has to become granular first. */
  readonly inside?: string;
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

/** Reports the sharing rules of kinds. Status, metadata and similar members are omitted, because stacks do not declare them. */
export function ownershipReport(roots: readonly RootType[]): readonly KindReport[] {
  return roots.filter(({ subresource }) => subresource === undefined).map((root) => new OwnershipReporter(root).report());
}

interface Cursor {
  readonly path: string;
  /** Path of the outermost surrounding atomic list or map. */
  readonly inside?: string;
  /** Names of the types on the path, to detect cycles. */
  readonly names: readonly string[];
  /** Keys of the list whose item this is. */
  readonly keys?: readonly string[];
}

class OwnershipReporter {
  readonly #root: RootType;
  readonly #schema: Schema;
  readonly #positions: Position[] = [];
  readonly #shareable: ShareableList[] = [];
  readonly #weakKeys: WeakKey[] = [];
  readonly #blockedReleases: BlockedRelease[] = [];

  constructor(root: RootType) {
    this.#root = root;
    this.#schema = root.schema;
  }

  report(): KindReport {
    const map = resolve(this.#schema, this.#root.type).map;
    const without = new Set(['apiVersion', 'kind', 'metadata', ...hiddenFields(this.#root).keys()]);
    for (const [name, field] of map?.fields ?? []) {
      if (!without.has(name)) this.#visit(field.type, { path: pathStep(name), names: [] });
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
    // A type with several parts is any JSON, an int-or-string or similar: it has no sharing rule.
    if (type.scalar !== undefined || (type.list !== undefined && type.map !== undefined)) return;
    if (type.list !== undefined) this.#visitList(type.list, cursor);
    if (type.map !== undefined) this.#visitMap(type.map, cursor);
  }

  #visitList({ relation, keys, element }: NonNullable<Type['list']>, cursor: Cursor): void {
    const atomic = relation === 'atomic';
    const name = atomic ? 'atomic' : keys.length > 0 ? 'keyed' : 'set';
    if (cursor.inside === undefined) {
      this.#positions.push({ path: cursor.path, what: 'list', relation: name, keys, of: this.#describe(element) });
      for (const key of keys) this.#checkKey(key, element, cursor.path);
    }
    if (atomic && this.#isStruct(element)) this.#suggest(element, cursor);
    const inside = cursor.inside ?? (atomic ? cursor.path : undefined);
    this.#visit(element, { path: `${cursor.path}[]`, names: cursor.names, keys, ...(inside === undefined ? {} : { inside }) });
  }

  #visitMap(map: MapType, cursor: Cursor): void {
    const atomic = map.relation === 'atomic';
    const free = map.fields.size === 0;
    if (cursor.inside === undefined && (free || atomic)) {
      const of = map.element === undefined || !free ? 'object' : this.#describe(map.element);
      this.#positions.push({ path: cursor.path, what: 'map', relation: map.relation, keys: [], of });
    }
    const inside = cursor.inside ?? (atomic ? cursor.path : undefined);
    if (inside === undefined) this.#checkRelease(map, cursor);
    const { names } = cursor;
    const below = inside === undefined ? { names } : { names, inside };
    for (const [name, field] of map.fields) this.#visit(field.type, { ...below, path: `${cursor.path}${pathStep(name)}` });
    if (map.element !== undefined) this.#visit(map.element, { ...below, path: `${cursor.path}.*` });
  }

  #checkKey(key: string, element: TypeRef, path: string): void {
    const map = resolve(this.#schema, element).map;
    const value = map?.fields.get(key)?.default;
    if (map === undefined || map.required.includes(key)) return;
    this.#weakKeys.push({ path, key, ...(value === undefined ? {} : { default: JSON.stringify(value) }) });
  }

  #suggest(element: TypeRef, { path, inside }: Cursor): void {
    const map = resolve(this.#schema, element).map;
    const keys = suggestKeys(this.#schema, element);
    const accepted = keys.length > 0 && keys.every((key) => map?.required.includes(key) || map?.fields.get(key)?.default !== undefined);
    this.#shareable.push({ path, keys, accepted, ...(inside === undefined ? {} : { inside }) });
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

function isAny(ref: TypeRef): boolean {
  return 'name' in ref && (ref.name === deducedName || ref.name === untypedName);
}
