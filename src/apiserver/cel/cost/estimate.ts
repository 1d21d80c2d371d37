import type { CheckedExpression } from '../check/check.js';
import { isReserved } from '../schema/escape-name.js';
import type { SchemaType } from '../schema/schema-type.js';
import { accumulatorName, type Call, type Comprehension, type Expression } from '../syntax/expression.js';
import { type CelType, dynType, unwrapOptional } from '../types/cel-type.js';
import { sizeOf } from '../values/type-name.js';
import { estimateCall } from './estimate-call.js';
import { add, fixed, multiply, type Range, union, unknownSize } from './range.js';

/** Estimates the most that an evaluation of an expression about values of a type costs, as the real server does before it accepts a rule. */
export function estimateCost(checked: CheckedExpression, root: SchemaType): number {
  return new Estimator(checked, root).cost(checked.expression).max;
}

/** The place of a value in `self`: fields, `@items`, `@values` and `@keys`. */
type Path = readonly string[];

/** The sizes of the keys and values of a list or map. */
interface Entries {
  readonly isList: boolean;
  readonly key: Range;
  readonly value: Range;
}

interface Local {
  readonly path: Path;
  readonly size: Range | undefined;
  readonly entries?: Entries | undefined;
}

const createdList = fixed(10);
const createdMap = fixed(30);
const one = fixed(1);

class Estimator {
  readonly #checked: CheckedExpression;
  readonly #root: SchemaType;
  readonly #paths = new Map<number, Path>();
  readonly #sizes = new Map<number, Range>();
  readonly #entries = new Map<number, Entries>();
  readonly #locals = new Map<string, Local[]>();

  constructor(checked: CheckedExpression, root: SchemaType) {
    this.#checked = checked;
    this.#root = root;
  }

  cost(node: Expression): Range {
    switch (node.kind) {
      case 'literal':
        return fixed(0);
      case 'identifier':
        return this.#variable(node.id, node.name);
      case 'select': {
        const name = this.#checked.names.get(node.id);
        if (name !== undefined) return this.#variable(node.id, name);
        return this.#select(node.id, node.operand, node.field, node.testOnly);
      }
      case 'call':
        return this.#call(node);
      case 'list':
        return this.#list(node.id, node.items);
      case 'map':
        return this.#map(node.id, node.entries);
      case 'comprehension':
        return this.#comprehension(node);
      case 'struct':
        return fixed(40);
    }
  }

  #variable(id: number, name: string): Range {
    this.#paths.set(id, this.#local(name)?.path ?? [name]);
    return one;
  }

  #typeOf({ id }: Expression): CelType {
    return this.#checked.types.get(id) ?? dynType;
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #within<T>(name: string, local: Local, run: () => T): T {
    const stack = this.#locals.get(name) ?? [];
    this.#locals.set(name, stack);
    stack.push(local);
    const result = run();
    stack.pop();
    return result;
  }

  #pathOf(node: Expression): Path {
    const local = node.kind === 'identifier' ? this.#local(node.name) : undefined;
    return local?.path ?? this.#paths.get(node.id) ?? [];
  }

  #select(id: number, operand: Expression, field: string, testOnly: boolean): Range {
    const cost = this.cost(operand);
    if (testOnly) return cost;
    this.#paths.set(id, [...this.#pathOf(operand), field]);
    const { kind } = this.#typeOf(operand);
    return kind === 'map' || kind === 'object' || kind === 'param' ? add(cost, one) : cost;
  }

  #list(id: number, items: readonly Expression[]): Range {
    const costs = items.map((item) => this.cost(item));
    this.#entries.set(id, { isList: true, key: one, value: this.#widest(items) });
    return add(...costs, createdList);
  }

  #map(id: number, entries: readonly { readonly key: Expression; readonly value: Expression }[]): Range {
    const costs = entries.flatMap(({ key, value }) => [this.cost(key), this.cost(value)]);
    const [keys, values] = [entries.map(({ key }) => key), entries.map(({ value }) => value)];
    this.#entries.set(id, { isList: false, key: this.#widest(keys), value: this.#widest(values) });
    return add(...costs, createdMap);
  }

  /** Returns the size that holds those of all parts. */
  #widest(parts: readonly Expression[]): Range {
    return parts.length === 0 ? fixed(0) : parts.map((part) => this.#sizeOf(part) ?? unknownSize).reduce(union);
  }

  #entriesOf(node: Expression): Entries | undefined {
    return this.#entries.get(node.id) ?? (node.kind === 'identifier' ? this.#local(node.name)?.entries : undefined);
  }

  /** Returns what is known of the size of a value. */
  #sizeOf(node: Expression): Range | undefined {
    const known = this.#sizes.get(node.id) ?? literalSize(node);
    if (known !== undefined) return known;
    const declared = this.#declaredSize(this.#pathOf(node));
    if (declared !== undefined) return declared;
    if (isScalar(this.#typeOf(node))) return one;
    return node.kind === 'identifier' ? this.#local(node.name)?.size : undefined;
  }

  /** Returns the size that a schema allows at a place. The first step is not looked at: also items of a created list begin at `self`. Source: observed. */
  #declaredSize(path: Path): Range | undefined {
    if (path.length === 0) return undefined;
    let type: SchemaType | undefined = this.#root;
    for (const step of path.slice(1)) {
      if (step === '@items' || step === '@values') type = type?.element;
      else if (step === '@keys') return type?.type.kind === 'map' ? { min: 0, max: 0 } : undefined;
      // The estimate does not know a field by a reserved word. Source: observed.
      else type = isReserved(step) ? undefined : type?.fields?.get(step);
      if (type === undefined) return undefined;
    }
    return { min: 0, max: type.maxElements };
  }

  /** Returns what a schema tells of the items of a list: those of a created list are unknown, even where they are literals. Source: observed. */
  #itemSizeOf(node: Expression): Range {
    const path = this.#pathOf(node);
    return (path.length > 0 ? this.#declaredSize([...path, '@items']) : undefined) ?? unknownSize;
  }

  #call(node: Call): Range {
    const { name, args } = node;
    if (name === '_?._') return this.#select(node.id, args[0] as Expression, '', false);
    const isNamespaced = this.#checked.namespaced.has(node.id);
    const costs = args.map((argument) => this.cost(argument));
    const target = node.target === undefined || isNamespaced ? [] : [node.target];
    const targetCost = target.map((each) => this.cost(each));
    if (name === 'dyn' && target.length === 0) {
      this.#copySizes(node.id, args[0] as Expression);
      return add(one, ...costs);
    }
    if (name === '_&&_' || name === '_||_') return { min: (costs[0] as Range).min, max: add(...costs).max };
    if (name === '_?_:_') return this.#conditional(node, costs as [Range, Range, Range]);
    const all = [...target, ...args];
    const called = isNamespaced && node.target?.kind === 'identifier' ? `${node.target.name}.${name}` : name;
    const costed = all.map((each) => ({
      type: this.#typeOf(each),
      size: this.#sizeOf(each) ?? unknownSize,
      itemSize: this.#itemSizeOf(each),
      constant: each.kind === 'literal' && typeof each.value === 'bigint' ? Number(each.value) : undefined,
    }));
    const estimates = (this.#checked.overloads.get(node.id) ?? []).map(({ id }) => estimateCall(called, id, costed));
    this.#keepResult(
      node,
      all,
      estimates.flatMap(({ size }) => size ?? []),
    );
    const own = estimates.length === 0 ? fixed(0) : estimates.map(({ cost }) => cost).reduce(union);
    return add(...targetCost, ...costs, own);
  }

  #copySizes(id: number, from: Expression): void {
    const size = this.#sizeOf(from);
    const entries = this.#entriesOf(from);
    if (size !== undefined) this.#sizes.set(id, size);
    if (entries !== undefined) this.#entries.set(id, entries);
  }

  #conditional(node: Call, [condition, yes, no]: readonly [Range, Range, Range]): Range {
    const [, left, right] = node.args as readonly [Expression, Expression, Expression];
    this.#sizes.set(node.id, union(this.#sizeOf(left) ?? unknownSize, this.#sizeOf(right) ?? unknownSize));
    this.#keepBoth(node.id, left, right);
    return add(condition, union(yes, no));
  }

  /** Keeps the size and the place of the result of a call. */
  #keepResult(node: Call, all: readonly Expression[], sizes: readonly Range[]): void {
    if (sizes.length > 0) this.#sizes.set(node.id, sizes.reduce(union));
    const [first, second] = all;
    if (first === undefined) return;
    if (node.name === '_[_]') {
      const { kind } = unwrapOptional(this.#typeOf(first));
      this.#paths.set(node.id, [...this.#pathOf(first), kind === 'map' ? '@values' : '@items']);
      const entries = this.#entriesOf(first);
      if (entries !== undefined) this.#sizes.set(node.id, entries.value);
    } else if (node.name === '_+_' && second !== undefined) this.#keepBoth(node.id, first, second);
  }

  /** Keeps the entries of a value that is one of two, or both. */
  #keepBoth(id: number, first: Expression, second: Expression): void {
    const [left, right] = [this.#entriesOf(first), this.#entriesOf(second)];
    if (left === undefined || right === undefined) return;
    this.#entries.set(id, { isList: left.isList, key: union(left.key, right.key), value: union(left.value, right.value) });
  }

  #comprehension(node: Comprehension): Range {
    const isBound = node.range.kind === 'list' && node.range.items.length === 0 && node.accumulator !== accumulatorName;
    const range = add(this.cost(node.range), this.cost(node.init));
    const accumulator = { path: this.#accumulatorPath(node), size: this.#sizeOf(node.init), entries: this.#entriesOf(node.init) };
    return this.#within(node.accumulator, accumulator, () => {
      if (isBound) {
        const result = add(range, this.cost(node.result));
        this.#copySizes(node.id, node.result);
        return result;
      }
      const loop = this.#loop(node, () => add(this.cost(node.condition), this.cost(node.step)));
      const result = this.cost(node.result);
      const count = this.#sizeOf(node.range) ?? unknownSize;
      if (node.init.kind === 'literal') this.#sizes.set(node.id, this.#sizeOf(node.init) ?? unknownSize);
      else this.#sizes.set(node.id, count);
      const entries = node.init.kind === 'literal' ? undefined : this.#entriesOf(node.step);
      if (entries !== undefined) this.#entries.set(node.id, entries);
      return add(range, result, multiply(count, loop));
    });
  }

  #accumulatorPath({ accumulator, init }: Comprehension): Path {
    return accumulator === accumulatorName ? [] : this.#pathOf(init);
  }

  /** Runs with the variables of a loop. */
  #loop(node: Comprehension, run: () => Range): Range {
    const path = this.#pathOf(node.range);
    const entries = this.#entriesOf(node.range);
    const isMap = entries === undefined ? this.#typeOf(node.range).kind === 'map' : !entries.isList;
    const at = (step: string, size: Range | undefined): Local => ({ path: [...path, step], size });
    const [first, second] = isMap ? ['@keys', '@values'] : ['@indices', '@items'];
    const { variable2 } = node;
    if (variable2 === undefined)
      return this.#within(node.variable, isMap ? at(first as string, entries?.key) : at(second as string, entries?.value), run);
    const firstStep = (isOverwritten(path) ? second : first) as string;
    return this.#within(node.variable, at(firstStep, entries?.key), () =>
      this.#within(variable2, at(second as string, entries?.value), run),
    );
  }
}

/**
 * Returns true for a path whose memory has room for one more step: of two paths that continue it, the real server knows the second one only.
 * Source: observed.
 */
function isOverwritten({ length }: Path): boolean {
  return !Number.isInteger(Math.log2(Math.max(1, length)));
}

function literalSize(node: Expression): Range | undefined {
  if (node.kind === 'literal') return fixed(sizeOf(node.value) ?? 1);
  if (node.kind === 'list') return fixed(node.items.length);
  return node.kind === 'map' ? fixed(node.entries.length) : undefined;
}

function isScalar(type: CelType): boolean {
  return ['bool', 'double', 'duration', 'int', 'timestamp', 'uint'].includes(unwrapOptional(type).kind);
}
