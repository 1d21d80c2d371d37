import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import { ownModule } from '../../../util/own-module.js';
import { remembered } from '../../../util/remembered.js';
import { intType, listOf, stringType } from '../types/cel-type.js';
import { CelList, EvaluationError } from '../values/value.js';
import { type Library, method } from './overload.js';

/** Compiles an expression of RE2, which is matched in linear time. @throws Error */
export const compileRegex: (pattern: string) => RE2JS = remembered(
  (pattern) => {
    // Loaded lazily: few rules have a pattern.
    const { RE2JS } = createRequire(ownModule)('re2js') as typeof import('re2js');
    return RE2JS.compile(pattern);
  },
  1_000,
  Number.POSITIVE_INFINITY,
);

function regexOf(pattern: string, problem: string): RE2JS {
  try {
    return compileRegex(pattern);
  } catch (error) {
    throw new EvaluationError(`${problem}${shown(error as Error)}`);
  }
}

/** Returns the words of the real server, which shows the wrong part always. */
function shown({ message }: Error): string {
  return message.endsWith('trailing backslash at end of expression') ? `${message}: \`\`` : message;
}

/** Returns true if a text contains a match. @throws EvaluationError */
export function matchRegex(text: string, pattern: string): boolean {
  return regexOf(pattern, '').test(text);
}

function find(text: string, pattern: string): string {
  const matcher = regexOf(pattern, 'Illegal regex: ').matcher(text);
  return matcher.find() ? (matcher.group() ?? '') : '';
}

function findAll(text: string, pattern: string, limit = -1n): CelList {
  const matcher = regexOf(pattern, 'Illegal regex: ').matcher(text);
  const found: string[] = [];
  let end = -1;
  while ((limit < 0n || BigInt(found.length) < limit) && matcher.find()) {
    const isEmptyBehindMatch = matcher.start() === matcher.end() && matcher.start() === end;
    end = matcher.end();
    if (!isEmptyBehindMatch) found.push(matcher.group() ?? '');
  }
  return new CelList(found);
}

/** Source: Kubernetes documentation "Common Expression Language in Kubernetes", "Kubernetes regex library". */
export const regex: Library = {
  find: [method('string_find_string', [stringType, stringType], stringType, find)],
  findAll: [
    method('string_find_all_string', [stringType, stringType], listOf(stringType), findAll),
    method('string_find_all_string_int', [stringType, stringType, intType], listOf(stringType), findAll),
  ],
};
