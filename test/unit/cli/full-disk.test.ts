import { spawnSync } from 'node:child_process';
import { openSync, rmSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { commandLine } from '../../harness/fieldwise.js';
import { Project } from '../../harness/project.js';

const program = "import { App, Stack } from 'fieldwise';\nnew Stack(new App({ name: 'shop' }), 'web');\n";
const project = new Project({ 'package.json': '{"type":"module"}', 'main.ts': program }, {});
afterAll(() => rmSync(project.directory, { recursive: true, force: true }));

// Linux: each write to this device fails as on a full disk.
test.each([
  { what: 'before a program has run', args: ['completion', 'bash'] },
  { what: 'after a program has run', args: ['synth', '-p', '-a', 'main.ts'] },
])('a command whose output does not fit on the disk fails, and says so: $what', ({ args }) => {
  const { status, stderr } = spawnSync(process.execPath, [commandLine, ...args], {
    cwd: project.directory,
    env: { PATH: process.env.PATH ?? '', HOME: project.directory },
    stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
    encoding: 'utf8',
  });
  expect(stderr).toMatch(/^error: Standard output cannot be written: ENOSPC.*\[output-unwritable\]\n$/);
  expect(status).toBe(2);
});
