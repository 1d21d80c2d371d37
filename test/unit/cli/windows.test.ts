import { spawn } from 'node:child_process';
import { win32 } from 'node:path';
import { expect, test } from 'vitest';
import { endingOf, endProcessGroup } from '../../../src/cli/process/end-process-group.js';
import { slashPath } from '../../../src/util/slash-path.js';

// What Windows does differently, as far as another system can tell. A job of .github/workflows/ci.yml runs there.

test.each([
  ['C:\\work\\shop', 'C:\\work\\shop\\src\\main.ts', 'src/main.ts'],
  ['C:\\work\\shop', 'c:\\Work\\shop\\main.ts', 'main.ts'],
  ['C:\\work\\shop', 'C:\\work\\other\\main.ts', '../other/main.ts'],
  ['C:\\work\\shop', 'C:/work/shop/src/main.ts', 'src/main.ts'],
  ['C:\\work\\shop', 'C:\\work\\shop', ''],
  ['C:\\work\\shop', 'D:\\main.ts', 'D:/main.ts'],
  ['\\\\server\\share\\shop', '\\\\server\\share\\shop\\a b\\main.ts', 'a b/main.ts'],
])('from %s to %s', (directory, file, expected) => {
  expect(slashPath(directory, file, win32)).toBe(expected);
});

test('a backslash in the name of a file of another system stays', () => {
  if (process.platform !== 'win32') expect(slashPath('/work', '/work/a\\b.ts')).toBe('a\\b.ts');
});

test('a process tree ends by a command on Windows, and by a signal to its group elsewhere', () => {
  expect(endingOf(12, 'SIGTERM', 'win32')).toEqual({ command: ['taskkill', '/pid', '12', '/t', '/f'] });
  expect(endingOf(12, 'SIGTERM', 'linux')).toEqual({ group: 12, signal: 'SIGTERM' });
});

test('a shell and its children end', async () => {
  const child = spawn('sleep 60 & sleep 60', { shell: true, detached: process.platform !== 'win32', stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = new Promise((resolve) => child.on('close', resolve)); // when no child holds the pipe any more
  endProcessGroup(child.pid, 'SIGTERM');
  await ended;
  endProcessGroup(child.pid, 'SIGTERM'); // nothing is left, and nothing is thrown
});
