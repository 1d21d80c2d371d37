import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import { ownModule } from '../util/own-module.js';
import { remembered } from '../util/remembered.js';

type Compiled = { readonly expression: RE2JS } | { readonly error: string };

/**
 * Returns true if a text contains a match of a schema's pattern, as the API server evaluates it: RE2, not anchored, in linear time.
 * Undefined if the pattern cannot be read. Source: Go's package regexp/syntax, which evaluates the patterns of CustomResourceDefinitions.
 */
export function matchesPattern(pattern: string, text: string): boolean | undefined {
  const known = compile(pattern);
  return 'expression' in known ? known.expression.test(text) : undefined;
}

/** Returns the API server's reason to reject a pattern; undefined if it accepts the pattern. */
export function patternError(pattern: string): string | undefined {
  const known = compile(pattern);
  // Go allows groups of one pattern to share a name.
  return 'error' in known && !known.error.includes('duplicate capture group name') ? known.error : undefined;
}

/** Compiled once: patterns recur with every object of their kind. */
const compile = remembered(compileFresh, 1_000, Number.POSITIVE_INFINITY);

function compileFresh(pattern: string): Compiled {
  // Loaded lazily: few programs evaluate a pattern.
  const { RE2JS } = createRequire(ownModule)('re2js') as typeof import('re2js');
  try {
    return { expression: RE2JS.compile(pattern) };
  } catch (error) {
    const { message } = error as Error;
    if (message.includes('`')) return { error: message };
    return { error: `${message}: \`${message.includes('trailing backslash') ? '' : pattern}\`` };
  }
}
