import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const table = 'src/util/environment-variables.ts';

test('the table has every variable that the sources name, and no other', () => {
  const listed = [...readFileSync(path.join(root, table), 'utf8').matchAll(/^ {2}readonly (FIELDWISE_\w+)\?: string;/gm)].map(
    ([, name]) => name,
  );
  const named = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((file) => path.join('src', file))
    .filter((file) => file.endsWith('.ts') && file !== table)
    // Comments may name families, such as `FIELDWISE_*`.
    .flatMap((file) => [...readFileSync(path.join(root, file), 'utf8').matchAll(/\bFIELDWISE_[A-Z]\w*/g)].map(([name]) => name));
  expect([...new Set(named)].sort()).toEqual(listed.toSorted());
  expect(listed.length).toBeGreaterThan(15);
});
