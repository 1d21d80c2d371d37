import { FieldwiseError } from './error.js';
import { isJsonObject } from './json.js';
import { maxJsonDepth } from './max-json-depth.js';

/** The maximum length of a path in a message. */
const maxPathLength = 80; // characters

/**
 * Checks that an argument is a JSON object. Its members may be `undefined`, and its integers `bigint`.
 *
 * @param name such as ``The option `live` ``
 * @throws FieldwiseError `option-invalid` with the path of a value that JSON does not have.
 */
export function requireJsonObject(name: string, value: unknown): void {
  if (!isJsonObject(value)) throw invalid(`${name} is ${valueText(value)}`, '');
  const problem = problemIn(value, 0);
  if (problem === undefined) return;
  const path = problem.steps.reverse().join('');
  throw invalid(`${name} contains ${problem.what}`, path.length > maxPathLength ? `${path.slice(0, maxPathLength)}…` : path);
}

function invalid(what: string, field: string): FieldwiseError {
  return new FieldwiseError('option-invalid', 'usage', what, {
    ...(field === '' ? {} : { location: { field } }),
    next: 'Pass a JSON object.',
  });
}

interface Problem {
  readonly what: string;
  /** The path, innermost step first. */
  readonly steps: string[];
}

function problemIn(value: unknown, depth: number): Problem | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : { what: valueText(value), steps: [] };
    case 'object':
      if (value === null) return undefined;
      return Array.isArray(value) ? problemInItems(value, depth) : problemInMembers(value, depth);
    default:
      return { what: valueText(value), steps: [] };
  }
}

function problemInItems(items: readonly unknown[], depth: number): Problem | undefined {
  if (depth > maxJsonDepth) return tooDeep();
  for (let index = 0; index < items.length; index++) {
    const problem = problemIn(items[index], depth + 1);
    if (problem) return below(`[${index}]`, problem);
  }
  return undefined;
}

function problemInMembers(object: object, depth: number): Problem | undefined {
  if (depth > maxJsonDepth) return tooDeep();
  if (!isPlain(object)) return { what: valueText(object), steps: [] };
  for (const name of Object.keys(object)) {
    const member: unknown = object[name as keyof object];
    const problem = member === undefined ? undefined : problemIn(member, depth + 1);
    if (problem) return below(`.${name}`, problem);
  }
  return undefined;
}

function below(step: string, problem: Problem): Problem {
  problem.steps.push(step);
  return problem;
}

function tooDeep(): Problem {
  return { what: `a value that contains itself, or nests deeper than ${maxJsonDepth} levels`, steps: [] };
}

/** Returns true for objects made by a literal, in any realm. */
function isPlain(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function valueText(value: unknown): string {
  if (value === null || value === undefined || typeof value === 'number') return String(value);
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return `an object of class ${value.constructor?.name ?? 'Object'}`;
  return `a ${typeof value}`;
}
