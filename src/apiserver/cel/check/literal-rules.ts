import { matchesType } from '../evaluate/matches-type.js';
import { checkKey } from '../evaluate/members.js';
import { conversions } from '../functions/conversions.js';
import { clauseError } from '../functions/format-text.js';
import { compileRegex, matchRegex } from '../functions/regex.js';
import { type Call, type Expression, isEmptyList, type ListLiteral, type MapLiteral } from '../syntax/expression.js';
import type { SourceError } from '../syntax/source-error.js';
import { visit } from '../syntax/visit.js';
import { type CelType, dynType, formatType, sameType, unwrapOptional } from '../types/cel-type.js';
import { parseDuration, parseTimestamp, timestampOf } from '../values/cel-time.js';
import { typeName } from '../values/type-name.js';
import { CelList, type CelValue, CreatedMap, EvaluationError } from '../values/value.js';
import type { CheckedExpression } from './check.js';
import { namedType, namedTypes, typesWithoutValue } from './environment.js';

/**
 * Returns errors for constants that a function cannot read (durations, timestamps, regular expressions, formats), and for lists and maps
 * whose items differ in type.
 */
export function astErrors(checked: CheckedExpression): readonly SourceError[] {
  const formatted = argumentsOfFormat(checked.expression);
  const errors: SourceError[] = [];
  visit(checked.expression, (node) => {
    if (node.kind === 'call') errors.push(...callErrors(node, checked));
    else if (node.kind === 'list' && !formatted.has(node)) errors.push(...listErrors(node, checked));
    else if (node.kind === 'map' && !formatted.has(node)) errors.push(...mapErrors(node, checked));
  });
  return errors;
}

/** The nodes inside of calls of `format`, whose list may hold any values. */
function argumentsOfFormat(expression: Expression): ReadonlySet<Expression> {
  const found = new Set<Expression>();
  visit(expression, (node) => {
    if (node.kind !== 'call' || node.name !== 'format') return;
    for (const argument of node.args) visit(argument, (inner) => found.add(inner));
  });
  return found;
}

function typeOf({ types }: CheckedExpression, node: Expression, optional: boolean): CelType {
  const type = types.get(node.id) ?? dynType;
  return optional ? unwrapOptional(type) : type;
}

function listErrors(node: ListLiteral, checked: CheckedExpression): readonly SourceError[] {
  return mixed(node.items.map((item, index) => [item, typeOf(checked, item, node.optional.has(index))]));
}

function mapErrors(node: MapLiteral, checked: CheckedExpression): readonly SourceError[] {
  const [error] = [
    ...mixed(node.entries.map(({ key }) => [key, typeOf(checked, key, false)])),
    ...mixed(node.entries.map(({ value, optional }) => [value, typeOf(checked, value, optional)])),
  ];
  return error === undefined ? [] : [error];
}

/** Returns an error for the first item that is not of the type of the first one. */
function mixed(items: readonly (readonly [Expression, CelType])[]): readonly SourceError[] {
  const [, first] = items[0] ?? [];
  const other = items.find(([, type]) => first !== undefined && !sameType(first, type));
  if (first === undefined || other === undefined) return [];
  return [{ offset: other[0].offset, message: `expected type '${formatType(first)}' but found '${formatType(other[1])}'` }];
}

function callErrors({ name, args, target, offset }: Call, checked: CheckedExpression): readonly SourceError[] {
  if (name === 'format' && target?.kind === 'literal') return formatErrors(String(target.value), args[0], offset, checked);
  const text = args.at(-1);
  if (text?.kind !== 'literal') return [];
  const isTime = name === 'timestamp' && args.length === 1 && target === undefined;
  if (isTime && typeof text.value === 'bigint' && timestampOf(text.value * 1_000_000_000n) === undefined)
    return [{ offset: text.offset, message: 'invalid timestamp argument' }];
  const { value } = text;
  const invalid = (argument: string) => [{ offset: text.offset, message: `invalid ${argument} argument` }];
  const isDuration = name === 'duration' && args.length === 1 && target === undefined;
  // This check refuses a number of nanoseconds. Source: observed.
  if (isDuration && typeof value === 'bigint') return invalid('duration');
  if (typeof value !== 'string') return [];
  if (isDuration && parseDuration(value) === undefined) return invalid('duration');
  if (isTime) {
    const time = parseTimestamp(value);
    if (time === undefined || timestampOf(time.nanoseconds) === undefined) return invalid('timestamp');
  }
  return name === 'matches' && !isRegex(value) ? invalid('matches') : [];
}

function isRegex(pattern: string): boolean {
  try {
    compileRegex(pattern);
    return true;
  } catch {
    return false;
  }
}

function formatErrors(text: string, list: Expression | undefined, offset: number, checked: CheckedExpression): readonly SourceError[] {
  if (list?.kind !== 'list') return [];
  const problem = clauseError(text, list.items, (item) => typeOf(checked, item, false));
  return problem === undefined ? [] : [{ offset: problem.at?.offset ?? offset, message: problem.message }];
}

/** Returns the error of a type without a value, of a conversion of a constant, or of a pattern by one: the server computes them before it accepts a rule. */
export function constantError(checked: CheckedExpression): string | undefined {
  let problem: string | undefined;
  visit(checked.expression, (node) => {
    const name = checked.names.get(node.id);
    if (name !== undefined && typesWithoutValue.has(name)) problem ??= `reference to undefined type: ${name}`;
    if (problem === undefined && node.kind === 'call') problem = problemOf(() => computeConstant(node, checked));
  });
  return problem;
}

function problemOf(compute: () => unknown): string | undefined {
  try {
    compute();
    return undefined;
  } catch (error) {
    if (error instanceof EvaluationError) return error.message;
    throw error;
  }
}

const patternMethods: ReadonlySet<string> = new Set(['find', 'findAll', 'matches']);

function computeConstant(node: Call, checked: CheckedExpression): void {
  const last = node.args.at(-1);
  if (node.name === '_[_]' || node.name === '_[?_]') {
    const key = constantOf(last as Expression, checked);
    if (key !== undefined) checkKey(key);
  } else if (patternMethods.has(node.name) && node.args.length > 0) {
    // The pattern of `matches` is checked before, if it is a literal.
    const pattern = constantOf((node.name === 'matches' ? last : node.args[0]) as Expression, checked);
    if (typeof pattern === 'string') matchRegex('', pattern);
  } else constantOf(node, checked);
}

/** Returns the value of a constant: of literals and conversions of them; undefined for anything else. @throws EvaluationError */
function constantOf(node: Expression, checked: CheckedExpression): CelValue | undefined {
  const name = checked.names.get(node.id);
  if (name !== undefined && namedTypes.has(name)) return namedType(name);
  switch (node.kind) {
    case 'literal':
      return node.value;
    case 'list':
      return node.optional.size === 0 ? constantList(node, checked) : undefined;
    case 'map':
      return constantMap(node, checked);
    case 'call':
      return constantCall(node, checked);
    default:
      return undefined;
  }
}

function constantList({ items }: ListLiteral, checked: CheckedExpression): CelValue | undefined {
  const values = items.map((item) => constantOf(item, checked));
  return values.includes(undefined) ? undefined : new CelList(values as CelValue[]);
}

function constantMap({ entries }: MapLiteral, checked: CheckedExpression): CelValue | undefined {
  const map = new CreatedMap();
  for (const { key, value, optional } of entries) {
    const [name, member] = [constantOf(key, checked), constantOf(value, checked)];
    if (optional || name === undefined || member === undefined) return undefined;
    map.set(name, member);
  }
  return map;
}

function constantCall({ name, target, args }: Call, checked: CheckedExpression): CelValue | undefined {
  const [argument] = args;
  // A look into nothing finds nothing.
  if (name === '@in' && isEmptyList(args[1])) return false;
  if (target !== undefined || argument === undefined || !Object.hasOwn(conversions, name)) return undefined;
  const value = constantOf(argument, checked);
  if (value === undefined) return undefined;
  const found = conversions[name]?.find(({ params }) => matchesType(value, params[0] as CelType));
  if (found === undefined) throw new EvaluationError(`no such overload: ${name}(${typeName(value)})`);
  return found.call([value]);
}
