import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Codes as they stand in the sources: the first argument of an error or warning, or a member named `code`. */
function codesInSources(): Set<string> {
  const patterns = [
    /new FieldwiseError\(\s*'([a-z-]+)'/g,
    /\bcode: '([a-z-]+)'/g,
    /\b(?:lintDiagnostic|notEstablished|damaged|invalid|fail|contendedError)\(\s*'([a-z]+(?:-[a-z]+)+)'/g,
  ];
  const codes = new Set<string>();
  for (const room of ['src', 'codegen']) {
    for (const file of readdirSync(path.join(root, room), { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts')) continue;
      const text = readFileSync(path.join(root, room, file), 'utf8');
      for (const pattern of patterns) for (const match of text.matchAll(pattern)) codes.add(match[1] as string);
    }
  }
  return codes;
}

test('docs/errors.md lists every code of the sources, and no other', () => {
  const listed = [...readFileSync(path.join(root, 'docs/errors.md'), 'utf8').matchAll(/^\| `([a-z-]+)`/gm)].map(
    (match) => match[1] as string,
  );
  expect(new Set(listed).size).toBe(listed.length);
  const inSources = codesInSources();
  expect([...inSources].filter((code) => !listed.includes(code))).toEqual([]);
  expect(listed.filter((code) => !inSources.has(code))).toEqual([]);
});
