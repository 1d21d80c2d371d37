import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

// Where a file of a thread is not found, the work is done without the thread, and nothing else tells of it.
const named = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .flatMap((name) => [...readFileSync(join('src', name), 'utf8').matchAll(/\bownFile\('([^']+)'\)/g)].map(([, file = '']) => file));

test.each(named)('the build has %s, relative to src/util', (file) => {
  expect(existsSync(join('lib/src/util', file))).toBe(true);
});

test('files of threads are among them', () => {
  expect(named.filter((file) => file.endsWith('-worker.js'))).toHaveLength(2);
});
