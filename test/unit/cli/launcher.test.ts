import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';

const launcher = readFileSync(fileURLToPath(new URL('../../../lib/src/cli/main.cjs', import.meta.url)), 'utf8').replace(/^#!.*/, '');

/** Runs the launcher in a process of a version of Node; `npm run campaign -- projects` runs it by an old Node. */
function runBy(node: string): readonly string[] {
  const done: string[] = [];
  const write = (text: string) => void done.push(text);
  const exit = (code: number) => {
    throw new Error(`exit ${code}`);
  };
  const process = { versions: { node }, execPath: '/usr/bin/node', stderr: { write }, exit };
  try {
    runInNewContext(launcher, { process, require: (name: string) => done.push(`require ${name}`) });
  } catch (error) {
    done.push((error as Error).message);
  }
  return done;
}

test.each(['0.12.18', '12.22.12', '18.20.8', '19.9.0'])('Node %s is refused before anything else is loaded', (version) => {
  const [first, ...rest] = runBy(version);
  expect(first).toBe(`error: Fieldwise needs Node 20 or newer, and this is ${version}: /usr/bin/node [node-too-old]\n`);
  expect(rest).toEqual(['exit 2']);
});

test.each(['20.0.0', '24.21.0', '100.0.0'])('Node %s starts the command', (version) => {
  expect(runBy(version)).toEqual(['require ./main-command.cjs']);
});

test('the launcher has no syntax that an old Node does not parse', () => {
  expect(launcher).not.toMatch(/=>|`|\b(?:const|let|class|async|import)\b|\?\.|\?\?|\.\.\.\w/);
});
