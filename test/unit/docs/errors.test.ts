import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const registry = 'src/util/error-codes.ts';

// The compiler refuses a code that the registry does not have; it does not see one that nothing uses any more.
test('every code of the registry occurs in the sources', () => {
  const codes = [...readFileSync(path.join(root, registry), 'utf8').matchAll(/^ {2}readonly '?([a-z-]+)'?: /gm)].map(
    ([, code]) => code as string,
  );
  expect(codes.length).toBeGreaterThan(100);
  const sources = ['src', 'codegen']
    .flatMap((top) => readdirSync(path.join(root, top), { recursive: true, encoding: 'utf8' }).map((file) => `${top}/${file}`))
    .filter((file) => /\.c?[jt]s$/.test(file) && file !== registry)
    .map((file) => readFileSync(path.join(root, file), 'utf8'))
    .join('\n');
  expect(codes.filter((code) => !sources.includes(`'${code}'`) && !sources.includes(`'[${code}]'`))).toEqual([]);
});
