import { fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Draft, openDraft, readAssembly } from '../../../src/assembly/index.js';

let parent: string;
let directory: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'fieldwise-side-'));
  directory = join(parent, 'dist');
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

/** A process that writes its own assembly to the same directory again and again: of `count` stacks with its own name. */
const writer = `
  import { App, Stack } from ${JSON.stringify(new URL('../../../lib/src/entry/index.js', import.meta.url))};
  const [name, count, rounds, outdir] = process.argv.slice(2);
  for (let round = 0; round < Number(rounds); round++) {
    const app = new App({ name, outdir });
    for (let index = 0; index < Number(count); index++) {
      const stack = new Stack(app, 'stack' + index);
      stack.own({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: name + index }, data: { round: String(round) } });
    }
    app.synth();
  }
`;

function write(name: string, stacks: number, rounds: number): Promise<number | null> {
  const file = join(parent, `${name}.mjs`);
  writeFileSync(file, writer);
  const child = fork(file, [name, String(stacks), String(rounds), directory], { execArgv: [] });
  return new Promise((resolve, reject) => child.on('error', reject).on('exit', resolve));
}

it('whoever reads beside three writers sees one whole assembly each time', async () => {
  expect(await write('first', 1, 1)).toBe(0);
  let running = true;
  const writers = Promise.all([write('one', 1, 60), write('two', 2, 60), write('three', 3, 60)]).finally(() => {
    running = false;
  });
  const counts: Record<string, number> = { first: 1, one: 1, two: 2, three: 3 };
  const seen = new Set<string>();
  while (running) {
    const { manifest, objects } = await readAssembly(directory);
    seen.add(manifest.app);
    expect(objects.flat().map(({ metadata }) => metadata.name)).toEqual(
      Array.from({ length: counts[manifest.app] as number }, (_, index) => `${manifest.app}${index}`),
    );
  }
  expect(await writers).toEqual([0, 0, 0]);
  expect(seen.size).toBeGreaterThan(1);
  expect(readdirSync(parent).sort()).toEqual(['dist', 'first.mjs', 'one.mjs', 'three.mjs', 'two.mjs']);
});

/** Opens a draft with something in it; `discard` is not called, as in a process that is killed. */
function begun(): Draft {
  const draft = openDraft(directory);
  draft.write(new Map([['half', 'x']]));
  return draft;
}

const litter = () => readdirSync(parent).filter((name) => name.startsWith('.dist.synth-'));

it('what a killed process left is removed by the next, what a running one has is not', async () => {
  const child = fork(join(import.meta.dirname, 'none.mjs'), { stdio: 'ignore', execArgv: ['-e', ''] });
  await new Promise((resolve) => child.on('exit', resolve));
  const running = begun();
  const [name = ''] = litter();
  const [, host] = /synth-(.*?)-/.exec(name) as RegExpExecArray;
  const made = (owner: string, pid: number, hours: number) => {
    const path = join(parent, `.dist.synth-${owner}-${pid}-00000000`);
    mkdirSync(join(path, 'assembly'), { recursive: true });
    const time = Date.now() / 1000 - hours * 3600;
    utimesSync(path, time, time);
    return path.slice(parent.length + 1);
  };
  const dead = made(host as string, child.pid as number, 0);
  const elsewhere = made('01234567', child.pid as number, 1);
  const longAgo = made('01234567', (child.pid as number) + 1, 30);
  const ofAnother = '.other.synth-x';
  mkdirSync(join(parent, ofAnother));

  const next = openDraft(directory);
  const left = readdirSync(parent);
  expect([dead, longAgo].filter((each) => left.includes(each))).toEqual([]);
  expect([name, elsewhere, ofAnother].filter((each) => !left.includes(each))).toEqual([]);
  next.discard();
  running.discard();
  expect(litter()).toEqual([elsewhere]);
});

it('is published whole over another, by whoever comes last', () => {
  const drafts = ['a', 'b', 'c'].map((name) => {
    const draft = openDraft(directory);
    draft.write(
      new Map([
        ['manifest.json', JSON.stringify({ fieldwise: 1, stacks: [{ json: { path: name } }] })],
        [name, name],
      ]),
    );
    return draft;
  });
  for (const draft of drafts) draft.publish();
  expect(readdirSync(directory).sort()).toEqual(['c', 'manifest.json']);
  for (const draft of drafts) draft.discard();
  expect(readdirSync(parent)).toEqual(['dist']);
});
