import type { CelType } from '../types/cel-type.js';
import type { CelValue } from '../values/value.js';

/** One signature of a function. Its arguments include the target of a method. */
export interface Overload {
  /** Identifies the overload, by which costs are counted. */
  readonly id: string;
  readonly isMethod: boolean;
  readonly params: readonly CelType[];
  readonly result: CelType;
  /** @throws EvaluationError */
  readonly call: (args: readonly CelValue[]) => CelValue;
}

/** Functions by name, as expressions call them. */
export type Library = Readonly<Record<string, readonly Overload[]>>;

type Implementation = (...args: never[]) => CelValue;

/** Describes a function. The checker and the evaluator see to it that the arguments are of the types of the parameters. */
export function overload(id: string, params: readonly CelType[], result: CelType, implementation: Implementation): Overload {
  return { id, isMethod: false, params, result, call: (args) => implementation(...(args as never[])) };
}

/** Describes a method, whose first parameter is its target. */
export function method(id: string, params: readonly CelType[], result: CelType, implementation: Implementation): Overload {
  return { ...overload(id, params, result, implementation), isMethod: true };
}
