import { accumulatorName, type Expression, sortedName } from './expression.js';
import type { NodeFactory } from './node-factory.js';
import type { SourceError } from './source-error.js';

/** The call that a macro stands in for. */
interface MacroCall {
  readonly nodes: NodeFactory;
  readonly offset: number;
  readonly target: Expression;
  readonly args: readonly Expression[];
}

/** Thrown for a macro with arguments that it cannot have. */
export class MacroError extends Error implements SourceError {
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

type Macro = (call: MacroCall) => Expression;

/**
 * The macros by name and number of arguments. Source: the language definition of CEL, "Macros"; the documentation of its extensions for
 * two-variable comprehensions, optionals and lists.
 */
const macros: Readonly<Record<string, Macro>> = {
  'all/2': (call) => quantifier(call, true, '_&&_'),
  'all/3': (call) => quantifier(call, true, '_&&_'),
  'exists/2': (call) => quantifier(call, false, '_||_'),
  'exists/3': (call) => quantifier(call, false, '_||_'),
  'exists_one/2': existsOne,
  'exists_one/3': existsOne,
  'existsOne/3': existsOne,
  'filter/2': filter,
  'map/2': (call) => transform(call, 1, [1]),
  'map/3': (call) => transform(call, 1, [1, 2]),
  'transformList/3': (call) => transform(call, 2, [2]),
  'transformList/4': (call) => transform(call, 2, [2, 3]),
  'transformMap/3': (call) => transformMap(call, (variable, value) => [variable, value]),
  'transformMap/4': (call) => transformMap(call, (variable, value) => [variable, value]),
  'transformMapEntry/3': (call) => transformMap(call, (_, value) => [value]),
  'transformMapEntry/4': (call) => transformMap(call, (_, value) => [value]),
  'optMap/2': (call) => optional(call, 'optMap', (result) => call.nodes.call(call.offset, 'optional.of', [result])),
  'optFlatMap/2': (call) => optional(call, 'optFlatMap', (result) => result),
  'sortBy/2': sortBy,
};

/** Expands a macro; undefined for another call. @throws MacroError */
export function expandMacro(
  nodes: NodeFactory,
  offset: number,
  target: Expression | undefined,
  name: string,
  args: readonly Expression[],
): Expression | undefined {
  if (target === undefined) return name === 'has' && args.length === 1 ? has(nodes, offset, args[0] as Expression) : undefined;
  const key = `${name}/${args.length}`;
  return Object.hasOwn(macros, key) ? macros[key]?.({ nodes, offset, target, args }) : undefined;
}

function has(nodes: NodeFactory, offset: number, argument: Expression): Expression {
  if (argument.kind !== 'select' || argument.testOnly) throw new MacroError(argument.offset, 'invalid argument to has() macro');
  return nodes.select(offset, argument.operand, argument.field, true);
}

/** Returns the names of the variables of a macro: one, or two. */
function variables({ args }: MacroCall, count: 1 | 2, problem = 'argument must be a simple name'): readonly [string, string | undefined] {
  const names = args.slice(0, count).map((argument) => {
    if (argument.kind !== 'identifier') throw new MacroError(argument.offset, problem);
    if (argument.name === accumulatorName || argument.name === '__result__')
      throw new MacroError(argument.offset, 'iteration variable overwrites accumulator variable');
    // A dot before it makes it another name, which nothing can refer to. Source: observed.
    return `${argument.isRooted === true ? '.' : ''}${argument.name}`;
  });
  const [first = '', second] = names;
  if (second !== undefined && first === second) throw new MacroError((args[1] as Expression).offset, `duplicate variable name: ${first}`);
  return [first, second];
}

function quantifier(call: MacroCall, start: boolean, operator: '_&&_' | '_||_'): Expression {
  const { nodes, offset, target, args } = call;
  const [variable, variable2] = variables(call, args.length === 3 ? 2 : 1);
  const accumulator = () => nodes.accumulator(offset);
  const undecided = start ? accumulator() : nodes.call(offset, '!_', [accumulator()]);
  return nodes.comprehension(offset, {
    range: target,
    variable,
    variable2,
    accumulator: accumulatorName,
    init: nodes.literal(offset, start),
    condition: nodes.call(offset, '@not_strictly_false', [undecided]),
    step: nodes.call(offset, operator, [accumulator(), args.at(-1) as Expression]),
    result: accumulator(),
  });
}

function existsOne(call: MacroCall): Expression {
  const { nodes, offset, target, args } = call;
  const [variable, variable2] = variables(call, args.length === 3 ? 2 : 1);
  const accumulator = () => nodes.accumulator(offset);
  const increment = nodes.call(offset, '_+_', [accumulator(), nodes.literal(offset, 1n)]);
  return nodes.comprehension(offset, {
    range: target,
    variable,
    variable2,
    accumulator: accumulatorName,
    init: nodes.literal(offset, 0n),
    condition: nodes.literal(offset, true),
    step: nodes.call(offset, '_?_:_', [args.at(-1) as Expression, increment, accumulator()]),
    result: nodes.call(offset, '_==_', [accumulator(), nodes.literal(offset, 1n)]),
  });
}

/** A loop that collects values: `extend` returns the accumulator with one more. */
function collect(call: MacroCall, names: readonly [string, string | undefined], init: Expression, step: Expression, filterBy?: Expression) {
  const { nodes, offset, target } = call;
  return nodes.comprehension(offset, {
    range: target,
    variable: names[0],
    variable2: names[1],
    accumulator: accumulatorName,
    init,
    condition: nodes.literal(offset, true),
    step: filterBy === undefined ? step : nodes.call(offset, '_?_:_', [filterBy, step, nodes.accumulator(offset)]),
    result: nodes.accumulator(offset),
  });
}

function transform(call: MacroCall, count: 1 | 2, places: readonly number[]): Expression {
  const { nodes, offset, args } = call;
  const names = variables(call, count, count === 1 ? 'argument is not an identifier' : undefined);
  const [filterBy, value] =
    places.length === 2 ? [args[places[0] as number], args[places[1] as number]] : [undefined, args[places[0] as number]];
  const step = nodes.call(offset, '_+_', [nodes.accumulator(offset), nodes.list(offset, [value as Expression])]);
  return collect(call, names, nodes.list(offset, []), step, filterBy);
}

function filter(call: MacroCall): Expression {
  const { nodes, offset, args } = call;
  const names = variables(call, 1, 'argument is not an identifier');
  const item = nodes.list(offset, [args[0] as Expression]);
  const step = nodes.call(offset, '_+_', [nodes.accumulator(offset), item]);
  return collect(call, names, nodes.list(offset, []), step, args[1]);
}

function transformMap(call: MacroCall, added: (variable: Expression, value: Expression) => readonly Expression[]): Expression {
  const { nodes, offset, args } = call;
  const names = variables(call, 2);
  const value = args.at(-1) as Expression;
  const step = nodes.call(offset, 'cel.@mapInsert', [nodes.accumulator(offset), ...added(args[0] as Expression, value)]);
  const init: Expression = { kind: 'map', id: nodes.id(), offset, entries: [] };
  return collect(call, names, init, step, args.length === 4 ? args[2] : undefined);
}

function optional(call: MacroCall, name: string, wrap: (result: Expression) => Expression): Expression {
  const { nodes, offset, target, args } = call;
  const [variable, value] = args as readonly [Expression, Expression];
  if (variable.kind !== 'identifier') throw new MacroError(variable.offset, `${name}() variable name must be a simple identifier`);
  const bound = nodes.bind(offset, variable.name, nodes.call(offset, 'value', [], target), value);
  const isSet = nodes.call(offset, 'hasValue', [], target);
  return nodes.call(offset, '_?_:_', [isSet, wrap(bound), nodes.call(offset, 'optional.none', [])]);
}

function sortBy(call: MacroCall): Expression {
  const { nodes, offset, target } = call;
  if (target.kind === 'literal' || target.kind === 'map' || target.kind === 'struct') {
    const detail = 'sortBy can only be applied to a list, identifier, comprehension, call or select expression';
    throw new MacroError(target.offset, detail);
  }
  const list = () => nodes.identifier(offset, sortedName);
  const keys = transform({ ...call, target: list() }, 1, [1]);
  return nodes.bind(offset, sortedName, target, nodes.call(offset, '@sortByAssociatedKeys', [keys], list()));
}
