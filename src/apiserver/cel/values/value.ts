/** A value of an expression: `bigint` is an int, `number` a double. */
export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | CelUint
  | CelList
  | CelMap
  | CelTypeValue
  | CelOptional
  | CelOpaque;

export const maxInt = 2n ** 63n - 1n;
export const minInt = -(2n ** 63n);
export const maxUint = 2n ** 64n - 1n;

export class CelUint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** A type as a value, such as `int` in `type(x) == int`. */
export class CelTypeValue {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

export class CelOptional {
  /** Undefined if it has no value. */
  readonly value: CelValue | undefined;

  constructor(value: CelValue | undefined) {
    this.value = value;
  }
}

export const emptyOptional = new CelOptional(undefined);

/** A value of a library's type, such as a quantity; timestamps and durations too. */
export abstract class CelOpaque {
  abstract readonly typeName: string;

  abstract equals(other: CelOpaque): boolean;

  /** The size by which costs are counted. */
  get costSize(): number {
    return 1;
  }
}

/** The evaluation of an expression failed: the message has the words of the real server. */
export class EvaluationError extends Error {}

/** The evaluation used more than it may, and was stopped. Unlike other errors, no operator ignores it. */
export class CostExceededError extends Error {}

/** The real server failed by a defect of its own. No operator ignores it; the evaluation ends with an EvaluationError. */
export class InternalError extends Error {}

/**
 * How the items of a list are told apart: lists of Kubernetes may be sets or maps, whose order does not count.
 */
export type ListSemantics = { readonly kind: 'set' } | { readonly kind: 'map'; readonly keys: readonly string[] };

/** A list. Its items may be computed when they are first asked for: those of JSON are converted, those of a sum copied. */
export class CelList {
  readonly semantics: ListSemantics | undefined;
  /** Of a list that is a set: the items that the server finds in it, see set-items.ts. */
  itemIds: Set<string> | undefined;
  readonly #size: number | undefined;
  #items: readonly CelValue[] | (() => readonly CelValue[]);

  /** @param size the number of items, where a function returns them. */
  constructor(items: readonly CelValue[] | (() => readonly CelValue[]), semantics?: ListSemantics, size?: number) {
    this.#items = items;
    this.#size = size;
    this.semantics = semantics;
  }

  get items(): readonly CelValue[] {
    if (typeof this.#items === 'function') this.#items = this.#items();
    return this.#items;
  }

  get size(): number {
    return this.#size ?? this.items.length;
  }

  /** Returns an item, undefined behind the last. */
  at(index: number): CelValue | undefined {
    return this.items[index];
  }
}

/** A list under construction by a macro, which owns it: items are added in place. */
export class GrowingList extends CelList {
  readonly #grown: CelValue[];

  constructor() {
    const grown: CelValue[] = [];
    super(grown);
    this.#grown = grown;
  }

  add(item: CelValue): this {
    this.#grown.push(item);
    return this;
  }
}

/** A map, or an object with declared fields. */
export abstract class CelMap {
  /** The name of an object's type; undefined for a map. */
  abstract readonly objectName: string | undefined;

  abstract get(key: CelValue): CelValue | undefined;

  abstract keys(): readonly CelValue[];

  abstract readonly size: number;

  has(key: CelValue): boolean {
    return this.get(key) !== undefined;
  }
}

/** A map that an expression creates. */
export class CreatedMap extends CelMap {
  readonly objectName = undefined;
  readonly #entries: Map<string, readonly [key: CelValue, value: CelValue]>;
  #others = 0;

  constructor(entries: Map<string, readonly [key: CelValue, value: CelValue]> = new Map()) {
    super();
    this.#entries = entries;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: CelValue): CelValue | undefined {
    const id = mapKey(key);
    return id === undefined ? undefined : this.#entries.get(id)?.[1];
  }

  keys(): readonly CelValue[] {
    return [...this.#entries.values()].map(([key]) => key);
  }

  /** Sets the value of a key in place. A key that is not a scalar is equal to none but itself. Source: observed. */
  set(key: CelValue, value: CelValue): void {
    this.#entries.set(mapKey(key) ?? `o${this.#others++}`, [key, value]);
  }
}

/** Returns a text that is equal for equal keys; undefined for a value that cannot be a key. Numbers of all types are equal by value. */
export function mapKey(key: CelValue): string | undefined {
  if (typeof key === 'string') return `s${key}`;
  if (typeof key === 'bigint') return `n${key}`;
  if (typeof key === 'number') return `n${key}`;
  if (typeof key === 'boolean') return `b${key}`;
  return key instanceof CelUint ? `n${key.value}` : undefined;
}
