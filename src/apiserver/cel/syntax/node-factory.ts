import type { CelValue } from '../values/value.js';
import type { Comprehension, Expression } from './expression.js';
import { accumulatorName } from './expression.js';

/** Makes the nodes of one expression, each with its own id. */
export class NodeFactory {
  #next = 1;

  id(): number {
    return this.#next++;
  }

  literal(offset: number, value: CelValue): Expression {
    return { kind: 'literal', id: this.id(), offset, value };
  }

  identifier(offset: number, name: string): Expression {
    return { kind: 'identifier', id: this.id(), offset, name };
  }

  /** A name or a call with a dot before it. */
  rooted(node: Expression, isRooted: boolean): Expression {
    return isRooted && (node.kind === 'identifier' || node.kind === 'call') ? { ...node, isRooted } : node;
  }

  select(offset: number, operand: Expression, field: string, testOnly = false): Expression {
    return { kind: 'select', id: this.id(), offset, operand, field, testOnly };
  }

  call(offset: number, name: string, args: readonly Expression[], target?: Expression): Expression {
    return { kind: 'call', id: this.id(), offset, target, name, args };
  }

  list(offset: number, items: readonly Expression[], optional: ReadonlySet<number> = new Set()): Expression {
    return { kind: 'list', id: this.id(), offset, items, optional };
  }

  /** The accumulator of the innermost macro. */
  accumulator(offset: number): Expression {
    return this.identifier(offset, accumulatorName);
  }

  comprehension(offset: number, parts: Omit<Comprehension, 'kind' | 'id' | 'offset'>): Expression {
    return { kind: 'comprehension', id: this.id(), offset, ...parts };
  }

  /** Binds a variable to a value inside of an expression: a loop over nothing whose accumulator is the variable. */
  bind(offset: number, variable: string, value: Expression, result: Expression): Expression {
    return this.comprehension(offset, {
      range: this.list(offset, []),
      variable: '#unused',
      variable2: undefined,
      accumulator: variable,
      init: value,
      condition: this.literal(offset, false),
      step: this.identifier(offset, variable),
      result,
    });
  }
}
