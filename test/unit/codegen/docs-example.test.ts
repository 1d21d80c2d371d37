import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test, vi } from 'vitest';

const root = new URL('../../../', import.meta.url);
let directory: string | undefined;
afterAll(() => (directory === undefined ? undefined : rm(directory, { recursive: true, force: true })));

test('the example of docs/codegen.md runs and prints what it says', async () => {
  const text = await readFile(new URL('docs/codegen.md', root), 'utf8');
  const example = /```ts\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
  directory = await mkdtemp(fileURLToPath(new URL('./docs-example-', import.meta.url)));
  await writeFile(join(directory, 'example.ts'), example);
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  await import(/* @vite-ignore */ join(directory, 'example.ts'));
  const printed = log.mock.calls;
  log.mockRestore();
  expect(printed).toEqual([
    [['.spec.listeners', 'high', 'Gateway:.spec.listeners=map[port]']],
    ['edge.example.com/v1.ts', expect.any(Number)],
  ]);
});
