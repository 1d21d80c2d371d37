import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { RepositoryPositions } from '../../../../../src/cli/render/formats/repository-positions.js';

const root = mkdtempSync(join(tmpdir(), 'fieldwise-positions-'));
afterAll(() => rmSync(root, { recursive: true }));
const project = join(root, 'checkout', 'infra', 'shop');
mkdirSync(project, { recursive: true });
// A worktree of Git has a file in place of the directory.
writeFileSync(join(root, 'checkout', '.git'), 'gitdir: elsewhere\n');

test.each<{ source: string | undefined; position: object | undefined }>([
  { source: 'main.ts:12:9', position: { file: 'infra/shop/main.ts', line: 12, column: 9 } },
  { source: 'main.ts:12', position: { file: 'infra/shop/main.ts', line: 12 } },
  { source: '../lib/web.ts:1:1', position: { file: 'infra/lib/web.ts', line: 1, column: 1 } },
  { source: 'a:1:b.ts:3:4', position: { file: 'infra/shop/a:1:b.ts', line: 3, column: 4 } },
  { source: 'main.ts:0:0', position: { file: 'infra/shop/main.ts', line: 1, column: 1 } },
  { source: '../../../outside.ts:1:1', position: undefined },
  { source: '/etc/passwd:1:1', position: undefined },
  { source: 'stdin:4', position: undefined },
  { source: 'main.ts', position: undefined },
  { source: '', position: undefined },
  { source: undefined, position: undefined },
])('$source is $position in the repository', ({ source, position }) => {
  expect(new RepositoryPositions(project).find(source)).toEqual(position);
});

test('findings without a declaration are on the first line of the program', () => {
  expect(new RepositoryPositions(project, 'main.ts').fallback).toEqual({ file: 'infra/shop/main.ts', line: 1 });
  expect(new RepositoryPositions(project).fallback).toBeUndefined();
  expect(new RepositoryPositions(project, '/elsewhere/main.ts').fallback).toBeUndefined();
});
