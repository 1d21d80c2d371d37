import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { EmbeddedApiServer } from '../../../src/apiserver/index.js';
import { fieldwise } from '../../harness/fieldwise.js';

const cwd = mkdtempSync(join(tmpdir(), 'fieldwise-command-'));
const run = (command: string) => fieldwise(command.split(' '), { cwd });
afterAll(async () => {
  await run('cluster stop --data state');
  rmSync(cwd, { recursive: true });
});

test('start, kubeconfig and stop: a directory has one server, which later commands find', { timeout: 120_000 }, async () => {
  const absent = await run('cluster kubeconfig --data state');
  expect([absent.exitCode, absent.stderr]).toEqual([2, expect.stringContaining('No embedded API server runs on this data directory')]);
  const started = await run('cluster start --data state');
  expect([started.exitCode, started.stdout]).toEqual([0, `${join(cwd, 'state', 'kubeconfig')}\n`]);
  const { clusters } = JSON.parse((await run('cluster kubeconfig --data state')).stdout);
  expect(started.stderr).toContain(clusters[0].cluster.server);
  expect((await run('cluster start --data state')).stderr).toContain(clusters[0].cluster.server);
  await expect(EmbeddedApiServer.start({ data: join(cwd, 'state') })).rejects.toMatchObject({ code: 'cluster-data-locked' });
  const otherPort = await run('cluster start --data state --port 1');
  expect([otherPort.exitCode, otherPort.stderr]).toEqual([2, expect.stringMatching(/runs already, on https.*cluster stop --data state/s)]);
  const { port } = new URL(clusters[0].cluster.server);
  const taken = await run(`cluster start --data other --port ${port}`);
  expect([taken.exitCode, taken.stderr]).toEqual([
    2,
    expect.stringMatching(/^error: Port \d+ of .* cannot be opened .*Choose another port/),
  ]);
  const status = await run('cluster status --data state');
  expect([status.exitCode, status.stdout]).toEqual([0, expect.stringContaining(clusters[0].cluster.server)]);
  const stopped = await run('cluster stop --data state');
  expect([stopped.exitCode, stopped.stderr]).toEqual([0, 'The embedded API server has stopped. Its data is kept.\n']);
  expect((await run('cluster kubeconfig --data state')).exitCode).toBe(2);
});

test('servers have contexts of different names, and of the chosen one', { timeout: 120_000 }, async () => {
  const contextOf = async (data: string) => JSON.parse((await run(`cluster kubeconfig --data ${data}`)).stdout)['current-context'];
  try {
    expect((await run('cluster start --data one')).exitCode).toBe(0);
    expect(await contextOf('one')).toMatch(/^fieldwise-one-[0-9a-f]{6}$/);
    expect((await run('cluster start --data two --name shop-dev')).exitCode).toBe(0);
    expect(await contextOf('two')).toBe('shop-dev');
    expect(JSON.parse(readFileSync(join(cwd, 'two', 'kubeconfig'), 'utf8')).contexts).toMatchObject([{ name: 'shop-dev' }]);
    const other = await run('cluster start --data two --name other');
    expect([other.exitCode, other.stderr]).toEqual([
      2,
      expect.stringMatching(/To give it another name, run `fieldwise cluster stop --data two`/),
    ]);
    const invalid = await run('cluster start --data three --name a/b');
    expect([invalid.exitCode, invalid.stderr]).toEqual([2, expect.stringContaining('`--name a/b` is not a name for a context')]);
  } finally {
    for (const data of ['one', 'two']) await run(`cluster stop --data ${data}`);
  }
});

test('a data directory that cannot be created, and a wrong port, are errors of usage', { timeout: 120_000 }, async () => {
  writeFileSync(join(cwd, 'file'), '');
  for (const data of ['file', 'file/data', '/proc/fieldwise/data']) {
    const { exitCode, stderr } = await run(`cluster start --data ${data}`);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/cannot be created or written.*Choose a directory.*\[cluster-data-unwritable\]/),
    ]);
    const start = EmbeddedApiServer.start({ data: resolve(cwd, data), port: false });
    await expect(start).rejects.toMatchObject({ code: 'cluster-data-unwritable', kind: 'usage' });
  }
  expect((await run('cluster start --data=')).stderr).toContain('`--data` is empty');
  for (const wrong of [{ dat: 'x' }, { data: '' }, { fsync: 'no' }, { now: 5 }, { prunedContainers: 'x' }])
    await expect(EmbeddedApiServer.start(wrong as never)).rejects.toMatchObject({ code: 'option-invalid', kind: 'usage' });
  await expect(EmbeddedApiServer.start({ port: 70_000 })).rejects.toMatchObject({ code: 'option-invalid', kind: 'usage' });
});

test.each<[what: string, link: string, target: (outside: string) => string]>([
  ['.fieldwise leads out of the project', '.fieldwise', (outside) => outside],
  ['.fieldwise leads nowhere', '.fieldwise', (outside) => join(outside, 'nowhere')],
  ['.fieldwise/cluster leads out of the project', '.fieldwise/cluster', (outside) => outside],
  ['.fieldwise leads to a directory of the project', '.fieldwise', () => 'src'],
  ['a file of the data leads out of the project', '.fieldwise/cluster/log', (outside) => join(outside, 'file')],
])('nothing is written where %s', async (_, link, target) => {
  const project = mkdtempSync(join(cwd, 'project-'));
  const outside = mkdtempSync(join(cwd, 'outside-'));
  writeFileSync(join(outside, 'file'), 'theirs');
  mkdirSync(join(project, 'src'));
  mkdirSync(resolve(project, link, '..'), { recursive: true });
  symlinkSync(target(outside), join(project, link));
  for (const words of [
    ['cluster', 'start'],
    ['list', '--cluster', 'embedded'],
  ]) {
    const { exitCode, stderr } = await fieldwise(words, { cwd: project });
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/is not written through a link\. Where: .*\[cluster-data-unwritable\]/)]);
    expect(stderr).toContain(join(project, link));
  }
  expect([readdirSync(outside), readFileSync(join(outside, 'file'), 'utf8'), readdirSync(join(project, 'src'))]).toEqual([
    ['file'],
    'theirs',
    [],
  ]);
});
