import { compileRegex } from '../functions/regex.js';
import type { Call } from '../syntax/expression.js';
import type { SourceError } from '../syntax/source-error.js';
import { visit } from '../syntax/visit.js';
import { parseDuration, parseTimestamp } from '../values/cel-time.js';
import type { CheckedExpression } from './check.js';

/** Returns errors for constants that a function cannot read: durations, timestamps and regular expressions. */
export function astErrors({ expression }: CheckedExpression): readonly SourceError[] {
  const errors: SourceError[] = [];
  visit(expression, (node) => {
    if (node.kind === 'call') errors.push(...callErrors(node));
  });
  return errors;
}

function callErrors({ name, args, target }: Call): readonly SourceError[] {
  const text = args.at(-1);
  if (text?.kind !== 'literal' || typeof text.value !== 'string') return [];
  const { value, offset } = text;
  const invalid = (argument: string) => [{ offset, message: `invalid ${argument} argument` }];
  if (name === 'duration' && args.length === 1 && target === undefined && parseDuration(value) === undefined) return invalid('duration');
  if (name === 'timestamp' && args.length === 1 && target === undefined && parseTimestamp(value) === undefined) return invalid('timestamp');
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
