import { execSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './command.js';
import { refusedFiles } from './packed.js';

test.each([
  { path: 'lib/src/a.js', text: 'export {};\n', refused: undefined },
  { path: 'lib/src/a.js', text: 'export {};\n//# sourceMappingURL=a.js.map\n', refused: 'names a source map' },
  { path: 'lib/src/a.cjs', text: '//# sourceMappingURL=data:application/json;base64,e30=', refused: 'names a source map' },
  { path: 'lib/src/a.js.map', text: '{}', refused: 'no source maps' },
  { path: 'lib/src/a.d.ts.map', text: '{}', refused: 'no source maps' },
  { path: 'lib/.tsbuildinfo', text: '{}', refused: 'no build info' },
  { path: 'docs/a.map.md', text: '//# sourceMappingURL=a', refused: undefined },
])('$path $text', ({ path, text, refused }) => {
  const found = refusedFiles([path], () => text);
  if (refused === undefined) expect(found).toEqual([]);
  else expect(found).toEqual([expect.stringContaining(refused)]);
});

test('the scripts that npm runs in a directory which it installs need no file that the package has not got', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
  const run = Object.entries(scripts).filter(([name]) => ['preinstall', 'install', 'postinstall', 'prepare'].includes(name));
  expect(run.map(([name]) => name)).toEqual(['prepare']);
  for (const [, command] of run) execSync(command, { cwd: mkdtempSync(join(tmpdir(), 'fieldwise-scripts-')), stdio: 'pipe' });
});
