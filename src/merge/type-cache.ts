import type { Schema, Type } from '../schema/index.js';

/**
 * A schema that remembers what it was asked for: looking up a type in a generated table takes several steps, and a walk over an object
 * asks for the same few types again and again.
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
