import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, type Diagnostics } from 'recheck';
import ts from 'typescript';
import { forEachConcurrent } from '../../src/engine/run/for-each-concurrent.js';

/** A regular expression in a source, or a call that makes one of what is known only when it runs. */
export interface FoundExpression {
  readonly location: string;
  /** Absent where the source does not say it. */
  readonly expression?: { readonly source: string; readonly flags: string };
}

/**
 * A busy machine must not change a verdict, so nothing but the whole check of an expression has a time limit: long enough for the slow
 * build of recheck, which stands in where there is no program of it for the system.
 */
const limits = { timeout: 300_000, attackTimeout: null, incubationTimeout: null, seedingTimeout: null } as const;

const concurrency = 2;

/**
 * Names every regular expression of `src` and `codegen` that takes more than linear time on some text, as a sentence with its place.
 * An expression that is put together while the program runs is refused, because nobody can check it.
 */
export async function regularExpressionErrors(root: string): Promise<string[]> {
  const found = ['src', 'codegen'].flatMap((top) => sourceFiles(root, top)).flatMap((file) => expressionsOf(root, file));
  const problems: string[] = [];
  const places = new Map<string | undefined, FoundExpression[]>();
  for (const one of found) {
    const text = JSON.stringify(one.expression);
    places.set(text, [...(places.get(text) ?? []), one]);
  }
  // Each check is a process: all at once would take the whole machine, and time out.
  await forEachConcurrent([...places.values()], concurrency, async (same) => {
    const problem = await errorOf(same[0]?.expression);
    if (problem !== undefined) problems.push(...same.map(({ location }) => `${location} ${problem}`));
  });
  return problems.sort();
}

/** The expressions of one file: literals, and calls of `RegExp` with texts. */
export function expressionsOf(root: string, file: string): FoundExpression[] {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
  const found: FoundExpression[] = [];
  const visit = (node: ts.Node): void => {
    const place = () => `${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      found.push({ location: place(), expression: { source: node.text.slice(1, end), flags: node.text.slice(end + 1) } });
    } else if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && /(?:^|\.)RegExp$/.test(node.expression.getText())) {
      found.push({ location: place(), ...known(node.arguments ?? []) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function known([source, flags]: readonly ts.Expression[]): Pick<FoundExpression, 'expression'> {
  if (source === undefined || !ts.isStringLiteralLike(source)) return {};
  if (flags !== undefined && !ts.isStringLiteralLike(flags)) return {};
  return { expression: { source: source.text, flags: flags?.text ?? '' } };
}

async function errorOf(expression: FoundExpression['expression']): Promise<string | undefined> {
  if (expression === undefined) return 'makes a regular expression of what is known only at run time: nobody can check it';
  if (isBounded(expression)) return undefined;
  const shown = `/${expression.source}/${expression.flags}`;
  const result = await check(expression.source, expression.flags, limits);
  if (result.status === 'safe') return undefined;
  return `${shown} ${result.status === 'vulnerable' ? `takes ${result.complexity.summary} time on ${result.attack.pattern}` : unknown(result)}`;
}

/** Reports whether a valid expression repeats nothing: then it reads a bounded part of the text from each place. */
function isBounded({ source, flags }: { readonly source: string; readonly flags: string }): boolean {
  if (/[*+{]/.test(source)) return false;
  try {
    new RegExp(source, flags);
    return true;
  } catch {
    return false;
  }
}

function unknown({ error }: Extract<Diagnostics, { status: 'unknown' }>): string {
  return `cannot be checked: ${error.kind}`;
}

function sourceFiles(root: string, top: string): string[] {
  return readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${top}/${name}`)
    .sort();
}
