import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

// What a reader takes for a part of the language, although no global has the name.
const words = ['boolean', 'keys', 'number', 'object', 'string', 'symbol', 'type', 'values'];

/**
 * Returns names that a generated function should not have, because it would hide them in a user's file: globals of this Node.js and of
 * browsers (as TypeScript's library declares them: `window`, `status`, `name`), and words that read as parts of the language (`object`).
 */
export function javascriptGlobals(): ReadonlySet<string> {
  const names = new Set([...Object.getOwnPropertyNames(globalThis), ...words]);
  const library = join(dirname(ts.getDefaultLibFilePath({})), 'lib.dom.d.ts');
  if (!existsSync(library)) throw new Error(`TypeScript ${ts.version} has no ${library}`);
  for (const [, name] of readFileSync(library, 'utf8').matchAll(/^declare (?:var|const|let|function) (\w+)/gm)) names.add(name as string);
  return names;
}
