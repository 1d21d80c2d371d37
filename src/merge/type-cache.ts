import type { Schema, Type } from '../schema/index.js';

/**
 * Returns a schema that caches its types: finding a type in a generated table takes several steps, and walking an object needs the same few
 * types repeatedly.
 */
export function withTypeCache(schema: Schema): Schema {
  if (schema.types instanceof TypeCache) return schema;
  return { types: new TypeCache(schema.types) };
}

class TypeCache extends Map<string, Type> {
  readonly #all: ReadonlyMap<string, Type>;

  constructor(all: ReadonlyMap<string, Type>) {
    super();
    this.#all = all;
  }

  override get(name: string): Type | undefined {
    const known = super.get(name);
    if (known !== undefined) return known;
    const type = this.#all.get(name);
    if (type !== undefined) super.set(name, type);
    return type;
  }

  override has(name: string): boolean {
    return this.#all.has(name);
  }

  override get size(): number {
    return this.#all.size;
  }

  override keys(): MapIterator<string> {
    return this.#all.keys();
  }

  override values(): MapIterator<Type> {
    return this.#all.values();
  }

  override entries(): MapIterator<[string, Type]> {
    return this.#all.entries();
  }

  override forEach(visit: (type: Type, name: string, map: Map<string, Type>) => void): void {
    for (const [name, type] of this.#all) visit(type, name, this);
  }

  override [Symbol.iterator](): MapIterator<[string, Type]> {
    return this.#all.entries();
  }
}
