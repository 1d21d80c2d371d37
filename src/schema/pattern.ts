import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';

type Compiled = { readonly expression: RE2JS } | { readonly error: string };

/** Patterns come again with every object of their kind. */
const compiled = new Map<string, Compiled>();
const maxCompiled = 1000;

/**
 * Whether a pattern of a schema is in a text, as the API server finds it: RE2, not anchored, in time that is linear in the text.
 * Undefined where the pattern is not one that can be read.
 * Source: Go's package regexp/syntax, which evaluates the patterns of CustomResourceDefinitions.
 */
export function matchesPattern(pattern: string, text: string): boolean | undefined {
  const known = compile(pattern);
  return 'expression' in known ? known.expression.test(text) : undefined;
}

/** Why the API server refuses a pattern, in its words; undefined where it takes it. */
export function patternError(pattern: string): string | undefined {
  const known = compile(pattern);
  // Go lets groups of one pattern have the same name.
  return 'error' in known && !known.error.includes('duplicate capture group name') ? known.error : undefined;
}

function compile(pattern: string): Compiled {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const fresh = compileFresh(pattern);
  if (compiled.size >= maxCompiled) compiled.clear();
  compiled.set(pattern, fresh);
  return fresh;
}

function compileFresh(pattern: string): Compiled {
  // Few programs meet a pattern: what evaluates them is not loaded before.
  const { RE2JS } = createRequire(import.meta.url)('re2js') as typeof import('re2js');
  try {
    return { expression: RE2JS.compile(pattern) };
  } catch (error) {
    const { message } = error as Error;
    if (message.includes('`')) return { error: message };
    return { error: `${message}: \`${message.includes('trailing backslash') ? '' : pattern}\`` };
  }
}
