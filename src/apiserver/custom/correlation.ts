import { isJsonObject, isList, type Json, jsonEqual } from '../../util/json.js';
import { onceFor } from '../../util/once-for.js';
import { additionalOf, itemsOf, propertiesOf, type StructuralSchema } from './structural-schema.js';

/**
 * A value beside the one that it replaces. An item of a map list is compared with the item of the same keys; items of other lists with
 * none. Source: Kubernetes documentation "CustomResourceDefinitions", "Validation ratcheting".
 */
export class Correlation {
  readonly value: Json;
  readonly old: Json;
  readonly #schema: StructuralSchema;
  readonly #children = new Map<string | number, Correlation | undefined>();
  #isEqual: boolean | undefined;

  constructor(value: Json, old: Json, schema: StructuralSchema) {
    this.value = value;
    this.old = old;
    this.#schema = schema;
  }

  /** Returns the member of an object with the one that it replaces; undefined if there is none. */
  key(name: string): Correlation | undefined {
    return this.#child(name, () => {
      if (!isJsonObject(this.value) || !isJsonObject(this.old)) return undefined;
      const [value, old] = [this.value[name], this.old[name]];
      const properties = propertiesOf(this.#schema);
      const additional = additionalOf(this.#schema);
      const schema = Object.hasOwn(properties, name) ? properties[name] : additional === true ? undefined : additional;
      return value === undefined || old === undefined || schema === undefined ? undefined : new Correlation(value, old, schema);
    });
  }

  /** Returns the item of a map list with the one that it replaces; undefined if there is none. */
  index(at: number): Correlation | undefined {
    return this.#child(at, () => {
      const schema = itemsOf(this.#schema);
      const item = isList(this.value) ? this.value[at] : undefined;
      const old = item === undefined ? undefined : correlatedItem(item, this.old, this.#schema);
      return item === undefined || old === undefined || old === null || schema === undefined
        ? undefined
        : new Correlation(item, old, schema);
    });
  }

  #child(key: string | number, find: () => Correlation | undefined): Correlation | undefined {
    if (!this.#children.has(key)) this.#children.set(key, find());
    return this.#children.get(key);
  }

  /** True if the value is equal to the old one; the order of a map list does not count. */
  get isEqual(): boolean {
    this.#isEqual ??= this.#compare();
    return this.#isEqual;
  }

  #compare(): boolean {
    const { value, old } = this;
    if (isList(value) && isList(old)) {
      if (value.length !== old.length) return false;
      if (!isMapList(this.#schema)) return jsonEqual(value, old);
      return value.every((_, at) => this.index(at)?.isEqual === true);
    }
    if (!isJsonObject(value) || !isJsonObject(old)) return jsonEqual(value, old);
    const names = Object.keys(value);
    return names.length === Object.keys(old).length && names.every((name) => this.key(name)?.isEqual === true);
  }
}

function isMapList(schema: StructuralSchema): boolean {
  return schema['x-kubernetes-list-type'] === 'map' && Array.isArray(schema['x-kubernetes-list-map-keys']);
}

/** Returns the item of an old map list that has the keys of an item; undefined if there is none. */
export function correlatedItem(item: Json, old: Json | undefined, schema: StructuralSchema): Json | undefined {
  if (!isMapList(schema) || !isList(old)) return undefined;
  const id = keysOf(item, mapKeysOf(schema));
  return id === undefined ? undefined : itemsByKeys(schema)(old).get(id);
}

function mapKeysOf(schema: StructuralSchema): readonly string[] {
  return schema['x-kubernetes-list-map-keys'] as readonly string[];
}

/** The items of map lists by their keys, once for each schema and list. */
const itemsByKeys = onceFor((schema: StructuralSchema) =>
  onceFor((list: readonly Json[]): ReadonlyMap<string, Json> => {
    const byKeys = new Map<string, Json>();
    for (const item of list) {
      const id = keysOf(item, mapKeysOf(schema));
      if (id !== undefined && !byKeys.has(id)) byKeys.set(id, item);
    }
    return byKeys;
  }),
);

/** Returns undefined for an item that lacks a key: nothing is compared with it. Source: observed. */
function keysOf(item: Json, keys: readonly string[]): string | undefined {
  if (!isJsonObject(item) || keys.some((key) => item[key] === undefined)) return undefined;
  return JSON.stringify(keys.map((key) => [typeof item[key], String(item[key])]));
}
