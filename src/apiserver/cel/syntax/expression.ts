import type { CelValue } from '../values/value.js';

/** A node of an expression. Macros are expanded: a `comprehension` is the only loop. */
export type Expression = Literal | Identifier | Select | Call | ListLiteral | MapLiteral | StructLiteral | Comprehension;

interface Node {
  /** Identifies the node within its expression. */
  readonly id: number;
  /** Position in the text, in code points. */
  readonly offset: number;
}

export interface Literal extends Node {
  readonly kind: 'literal';
  readonly value: CelValue;
}

export interface Identifier extends Node {
  readonly kind: 'identifier';
  readonly name: string;
  /** True for a name with a dot before it. */
  readonly isRooted?: boolean;
}

export interface Select extends Node {
  readonly kind: 'select';
  readonly operand: Expression;
  readonly field: string;
  /** True inside of `has(…)`: the result says whether the field is set. */
  readonly testOnly: boolean;
}

export interface Call extends Node {
  readonly kind: 'call';
  readonly target: Expression | undefined;
  /** The name as written, or that of the operator such as `_+_`. */
  readonly name: string;
  readonly args: readonly Expression[];
  /** True for a function with a dot before its name. */
  readonly isRooted?: boolean;
}

export interface ListLiteral extends Node {
  readonly kind: 'list';
  readonly items: readonly Expression[];
  /** Indices of items that are added only if their optional has a value. */
  readonly optional: ReadonlySet<number>;
}

export interface MapEntry {
  readonly key: Expression;
  readonly value: Expression;
  readonly optional: boolean;
}

export interface MapLiteral extends Node {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
}

/** The creation of a message, which has no use in Kubernetes: the checker refuses it. */
export interface StructLiteral extends Node {
  readonly kind: 'struct';
  readonly name: string;
}

/** A loop over a list or a map with an accumulator. Source: the language definition of CEL, "Comprehensions" (as macros expand to). */
export interface Comprehension extends Node {
  readonly kind: 'comprehension';
  readonly range: Expression;
  readonly variable: string;
  /** The variable of values, where the first one has the keys or indices. */
  readonly variable2: string | undefined;
  readonly accumulator: string;
  readonly init: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly result: Expression;
}

/** The name of the accumulator of macros, which no expression can write. */
export const accumulatorName = '@result';

/** The variable that holds the list of the macro `sortBy`. Source: observed. */
export const sortedName = '@__sortBy_input__';

/** Returns a dotted name for a chain of fields that begins with an identifier; undefined for other expressions. */
export function qualifiedName(expression: Expression): string | undefined {
  if (expression.kind === 'identifier') return expression.name;
  if (expression.kind !== 'select' || expression.testOnly) return undefined;
  const operand = qualifiedName(expression.operand);
  return operand === undefined ? undefined : `${operand}.${expression.field}`;
}

/** Returns true for `[]`. */
export function isEmptyList(node: Expression | undefined): boolean {
  return node?.kind === 'list' && node.items.length === 0;
}
