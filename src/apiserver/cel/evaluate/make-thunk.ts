import type { CheckedExpression } from '../check/check.js';
import { namedType, namedTypes } from '../check/environment.js';
import { callCost, costBefore } from '../cost/call-cost.js';
import type { Overload } from '../functions/overload.js';
import {
  accumulatorName,
  type Call,
  type Comprehension,
  type Expression,
  isEmptyList,
  type ListLiteral,
  type MapLiteral,
  sortedName,
} from '../syntax/expression.js';
import { CelList, CelOptional, type CelValue, CreatedMap, EvaluationError, GrowingList, InternalError } from '../values/value.js';
import { iterate } from './iterate.js';
import { matchesType } from './matches-type.js';
import { hasField, index, indexOptional, select, selectOptional } from './members.js';
import type { Frame, Thunk } from './thunk.js';

/** The costs of literals of lists and maps. Source: observed, as all costs are. */
const listCost = 10;
const mapCost = 30;

type Scope = ReadonlyMap<string, number>;

/** Makes a function of an expression, once for all of its evaluations. */
export function makeThunk(checked: CheckedExpression): Thunk {
  return new ThunkMaker(checked).thunk(checked.expression, new Map());
}

class ThunkMaker {
  readonly #checked: CheckedExpression;
  #slots = 0;

  constructor(checked: CheckedExpression) {
    this.#checked = checked;
  }

  thunk(node: Expression, scope: Scope): Thunk {
    switch (node.kind) {
      case 'literal': {
        const { value } = node;
        return () => value;
      }
      case 'identifier':
        return this.#variable(node.name, scope);
      case 'select': {
        const name = this.#checked.names.get(node.id);
        if (name !== undefined) return this.#variable(name, scope);
        return this.#select(this.thunk(node.operand, scope), node.field, node.testOnly);
      }
      case 'call':
        return this.#call(node, scope);
      case 'list':
        return this.#list(node, scope);
      case 'map':
        return this.#map(node, scope);
      case 'comprehension':
        return this.#comprehension(node, scope);
      case 'struct':
        return () => fail(`unknown type '${node.name}'`);
    }
  }

  #variable(name: string, scope: Scope): Thunk {
    const slot = scope.get(name);
    if (slot !== undefined) {
      return ({ slots, budget }) => {
        budget.charge(1);
        const value = slots[slot] as CelValue | EvaluationError;
        if (value instanceof EvaluationError) throw value;
        return value;
      };
    }
    const type = namedTypes.has(name) ? namedType(name) : undefined;
    return ({ variables, budget }) => {
      budget.charge(1);
      const value = variables.get(name) ?? (variables.has(name) ? null : (type ?? fail(`no such attribute(s): ${name}`)));
      if (value instanceof EvaluationError) throw value;
      return value;
    };
  }

  #select(operand: Thunk, field: string, testOnly: boolean): Thunk {
    if (testOnly) return (frame) => hasField(operand(frame), field);
    return (frame) => {
      frame.budget.charge(1);
      return select(operand(frame), field);
    };
  }

  #call(node: Call, scope: Scope): Thunk {
    const target = node.target === undefined || this.#checked.namespaced.has(node.id) ? [] : [node.target];
    const args = [...target, ...node.args].map((argument) => this.thunk(argument, scope));
    // A look into nothing asks for no value. Source: observed.
    if (node.name === '@in' && isEmptyList(node.args[1])) return () => false;
    const special = specialCalls[node.name];
    if (special !== undefined && (target.length === 0 || isOptionalMethod(node))) return special(args);
    const grown = this.#growth(node, scope);
    if (grown !== undefined) return grown;
    return this.#dispatch(node, sorting.has(node.name) ? args.map(ofSorted) : args);
  }

  /** The item that a macro adds to its own list. */
  #growth(node: Call, scope: Scope): Thunk | undefined {
    const [list, added] = node.args;
    if (node.name !== '_+_' || list?.kind !== 'identifier' || list.name !== accumulatorName) return undefined;
    if (added?.kind !== 'list' || added.items.length !== 1 || added.optional.size > 0) return undefined;
    const accumulator = this.#variable(accumulatorName, scope);
    const item = this.thunk(added.items[0] as Expression, scope);
    return (frame) => {
      const grown = accumulator(frame) as GrowingList;
      const value = item(frame);
      frame.budget.charge(listCost + 1);
      return grown.add(value);
    };
  }

  #dispatch(node: Call, args: readonly Thunk[]): Thunk {
    const overloads = this.#checked.overloads.get(node.id) ?? [];
    const [only] = overloads;
    const { name } = node;
    const prefix = this.#checked.namespaced.has(node.id) ? qualified(node) : name;
    const isCertain = overloads.length === 1 && this.#hasCertainTypes(node, only as Overload);
    const computed = args.length === 2 ? pair(args) : (frame: Frame) => args.map((arg) => arg(frame));
    return (frame) => {
      const values = computed(frame);
      frame.budget.charge(costBefore(prefix, values));
      // A value of any type may be null, where its schema allows that.
      const overload = isCertain && !values.includes(null) ? (only as Overload) : chosen(overloads, values, name);
      const result = overload.call(values);
      frame.budget.charge(callCost(prefix, values, result));
      return result;
    };
  }

  /** Returns true if the arguments of a call need no look at their types when it is made. */
  #hasCertainTypes(node: Call, overload: Overload): boolean {
    const isMethod = overload.isMethod && node.target !== undefined;
    const nodes = isMethod ? [node.target as Expression, ...node.args] : node.args;
    return nodes.every(({ id }, place) => {
      const kind = this.#checked.types.get(id)?.kind;
      const wanted = overload.params[place]?.kind;
      return wanted === 'param' || wanted === 'dyn' || (kind !== 'dyn' && kind !== 'null' && kind !== undefined);
    });
  }

  #list(node: ListLiteral, scope: Scope): Thunk {
    const items = node.items.map((item) => this.thunk(item, scope));
    const { optional } = node;
    return (frame) => {
      frame.budget.charge(listCost);
      if (optional.size === 0) return new CelList(items.map((item) => item(frame)));
      return new CelList(
        items.flatMap((item, place) => {
          const value = item(frame);
          if (!optional.has(place) || !(value instanceof CelOptional)) return [value];
          return value.value === undefined ? [] : [value.value];
        }),
      );
    };
  }

  #map(node: MapLiteral, scope: Scope): Thunk {
    const entries = node.entries.map(({ key, value, optional }) => ({
      key: this.thunk(key, scope),
      value: this.thunk(value, scope),
      optional,
    }));
    return (frame) => {
      frame.budget.charge(mapCost);
      const map = new CreatedMap();
      for (const entry of entries) {
        const key = entry.key(frame);
        const found = entry.value(frame);
        const value = entry.optional && found instanceof CelOptional ? found.value : found;
        if (key instanceof Uint8Array) throw new InternalError('runtime error: hash of unhashable type types.Bytes');
        if (value !== undefined) map.set(key, value);
      }
      return map;
    };
  }

  #comprehension(node: Comprehension, scope: Scope): Thunk {
    const [accumulator, variable, variable2] = [this.#slots++, this.#slots++, this.#slots++];
    const range = this.thunk(node.range, scope);
    const isGrowing = node.init.kind === 'list' && node.accumulator === accumulatorName;
    const init = isGrowing ? grow : this.thunk(node.init, scope);
    const inner = new Map(scope).set(node.accumulator, accumulator);
    const body = new Map(inner).set(node.variable, variable);
    if (node.variable2 !== undefined) body.set(node.variable2, variable2);
    const condition = node.condition.kind === 'literal' && node.condition.value === true ? undefined : this.thunk(node.condition, body);
    const step = this.thunk(node.step, body);
    const result = this.thunk(node.result, inner);
    // A bound variable: a loop over nothing.
    if (node.range.kind === 'list' && node.range.items.length === 0 && node.accumulator !== accumulatorName) {
      const bound = node.accumulator === sortedName ? ofSorted(init) : init;
      return (frame) => {
        frame.slots[accumulator] = bound(frame);
        return result(frame);
      };
    }
    const loop = { range, init, condition, step, accumulator, variable, variable2: node.variable2 === undefined ? undefined : variable2 };
    return (frame) => {
      iterate(loop, frame);
      return result(frame);
    };
  }
}

const grow: Thunk = ({ budget }) => {
  budget.charge(listCost);
  return new GrowingList();
};

const sorting: ReadonlySet<string> = new Set(['@sortByAssociatedKeys', 'distinct', 'sort']);

/** The real server goes on with the error of a list that it sorts, or of a key, as if it were a list. Source: observed. */
function ofSorted(thunk: Thunk): Thunk {
  return (frame) => {
    const value = attempt(thunk, frame);
    if (value instanceof EvaluationError)
      throw new InternalError('interface conversion: *types.Err is not traits.Lister: missing method Add');
    return value;
  };
}

/** Computes two arguments, the second one even if the first one fails: it counts towards the cost, and may end the evaluation. Source: observed. */
function pair([left, right]: readonly Thunk[]): (frame: Frame) => readonly CelValue[] {
  return (frame) => {
    const first = attempt(left as Thunk, frame);
    if (!(first instanceof EvaluationError)) return [first, (right as Thunk)(frame)];
    attempt(right as Thunk, frame);
    throw first;
  };
}

function fail(message: string): never {
  throw new EvaluationError(message);
}

function isOptionalMethod({ name }: Call): boolean {
  return name === 'or' || name === 'orValue';
}

function qualified({ target, name }: Call): string {
  return target?.kind === 'identifier' ? `${target.name}.${name}` : name;
}

/** Methods whose errors name no function, like those of operators. Source: observed. */
const textPredicates: ReadonlySet<string> = new Set(['contains', 'endsWith', 'matches', 'startsWith']);

/** Returns the overload for the values at hand. @throws EvaluationError */
function chosen(overloads: readonly Overload[], values: readonly CelValue[], name: string): Overload {
  const found = overloads.find(({ params }) => params.every((type, place) => matchesType(values[place] as CelValue, type)));
  if (found !== undefined) return found;
  const isOperator = name.includes('_') || name === '@in' || textPredicates.has(name);
  return fail(isOperator ? 'no such overload' : `no such overload: ${name}`);
}

/** Returns the value of an operand, or the error that another operand may make irrelevant. */
function attempt(thunk: Thunk, frame: Frame): CelValue | EvaluationError {
  try {
    return thunk(frame);
  } catch (error) {
    if (error instanceof EvaluationError) return error;
    throw error;
  }
}

/** An operator that one operand may decide, even if the other one fails. */
function logical(decisive: boolean): (args: readonly Thunk[]) => Thunk {
  return ([left, right]) =>
    (frame) => {
      const first = attempt(left as Thunk, frame);
      if (first === decisive) return decisive;
      const second = attempt(right as Thunk, frame);
      if (second === decisive) return decisive;
      if (first instanceof EvaluationError) throw first;
      if (second instanceof EvaluationError) throw second;
      return typeof first === 'boolean' && typeof second === 'boolean' ? !decisive : fail('no such overload');
    };
}

/** Calls that do not compute all of their arguments, or that are cheap. */
const specialCalls: Readonly<Record<string, ((args: readonly Thunk[]) => Thunk) | undefined>> = {
  '_&&_': logical(false),
  '_||_': logical(true),
  '_?_:_':
    ([condition, yes, no]) =>
    (frame) => {
      const value = (condition as Thunk)(frame);
      if (typeof value !== 'boolean') fail('no such overload');
      return ((value ? yes : no) as Thunk)(frame);
    },
  '@not_strictly_false':
    ([value]) =>
    (frame) => {
      frame.budget.charge(1);
      return attempt(value as Thunk, frame) !== false;
    },
  '_?._': ([operand, field]) => charged((frame) => selectOptional((operand as Thunk)(frame), String((field as Thunk)(frame)))),
  '_[_]': ([operand, key]) => charged((frame) => index((operand as Thunk)(frame), (key as Thunk)(frame))),
  '_[?_]': ([operand, key]) => charged((frame) => indexOptional((operand as Thunk)(frame), (key as Thunk)(frame))),
  or: ([left, right]) => charged((frame) => alternative(frame, left as Thunk, right as Thunk, (value) => value)),
  orValue: ([left, right]) => charged((frame) => alternative(frame, left as Thunk, right as Thunk, ({ value }) => value as CelValue)),
};

function charged(thunk: Thunk): Thunk {
  return (frame) => {
    frame.budget.charge(1);
    return thunk(frame);
  };
}

function alternative(frame: Frame, left: Thunk, right: Thunk, take: (optional: CelOptional) => CelValue): CelValue {
  const value = left(frame);
  if (!(value instanceof CelOptional)) return fail('no such overload');
  return value.value === undefined ? right(frame) : take(value);
}
