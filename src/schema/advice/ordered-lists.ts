import type { ItemFields } from './item-fields.js';
import { isPluralOf, wordsOf } from './words.js';

/** Singular last words of lists whose order carries meaning: the first match wins, or one item is processed after the other. */
const sequences = [
  ...['rule', 'match', 'matcher', 'filter', 'route', 'redirect', 'rewrite', 'mirror', 'fallback', 'failover', 'priority', 'preference'],
  ...[
    'step',
    'stage',
    'phase',
    'hook',
    'action',
    'task',
    'command',
    'operation',
    'transform',
    'transformation',
    'transformer',
    'processor',
  ],
  ...['pipeline', 'chain', 'middleware', 'interceptor', 'mutation', 'patch', 'relabeling', 'sequence', 'order', 'attempt'],
  ...['generator', 'merge', 'retry', 'context', 'path', 'history', 'template', 'try'],
];

/** Of lists whose items are one expression together: conditions, selectors and what they consist of. */
const expressions = [
  ...['expression', 'condition', 'precondition', 'predicate', 'term', 'selector', 'requirement', 'criterion', 'validation', 'assertion'],
  ...['constraint', 'check', 'pattern', 'query', 'claim', 'when', 'if', 'all', 'any', 'not', 'or', 'and', 'of', 'include', 'exclude'],
  ...['allow', 'deny', 'ignore', 'exception', 'toleration'],
];

/** Of lists in which an item may occur twice. */
const repeatable = ['arg', 'argument', 'flag', 'option', 'cookie', 'event', 'info', 'result', 'example'];

/** Names of fields that hold an expression: items with them refer to each other, or are evaluated in their order. */
const expressionFields =
  /^(expression|expr|cel|jmesPath|jsonPath|jqPathExpressions|regex|exact|invert|pattern|script|query|variable|when|if)$/;

/** Returns the reason why the order or the repetition of items may carry meaning; undefined if nothing in the names says so. */
export function orderReason(list: string, fields: ItemFields): string | undefined {
  const words = wordsOf(list);
  const last = words.at(-1) ?? '';
  const isOneOf = (singulars: readonly string[]) => singulars.some((word) => isPluralOf(last, word));
  if (isOneOf(sequences)) return `the order of ${list} may carry meaning`;
  if (isOneOf(expressions)) return `the items of ${list} may be parts of one expression`;
  if (isOneOf(repeatable) || words.some((word) => /^(headers?|query)$/.test(word))) return `an item may occur twice in ${list}`;
  const field = [...fields.kinds.keys()].find((name) => expressionFields.test(name));
  return field === undefined ? undefined : `its items hold an expression (${field})`;
}
