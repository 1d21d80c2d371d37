import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { TestCluster } from '../../harness/cluster.js';
import { fieldwise } from '../../harness/fieldwise.js';

const cwd = mkdtempSync(join(tmpdir(), 'fieldwise-alone-'));
const run = (command: string) => fieldwise(command.split(' '), { cwd });
afterAll(async () => {
  await run('cluster stop');
  rmSync(cwd, { recursive: true });
});

test('`cluster start --no-controllers` is a kube-apiserver alone', { timeout: 240_000 }, async () => {
  const contrary = await run('cluster start --no-controllers --simulate');
  expect([contrary.exitCode, contrary.stderr]).toEqual([2, expect.stringContaining('`--simulate` runs controllers')]);
  await run('cluster start');
  expect((await run('cluster status')).stdout).not.toContain('controllers');
  const refused = await run('cluster start --no-controllers');
  expect([refused.exitCode, refused.stderr]).toEqual([
    2,
    expect.stringMatching(/To run it without controllers, run `fieldwise cluster stop`/),
  ]);
  await run('cluster stop');
  const started = await run('cluster start --no-controllers');
  expect(started.exitCode, started.stderr).toBe(0);
  expect((await run('cluster status')).stdout).toMatch(/^controllers none$/m);
  expect((await run('cluster start --no-controllers')).exitCode).toBe(0);

  const cluster = new TestCluster(started.stdout.trim());
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'left' } };
  const metadata = { name: 'pod', namespace: 'left' };
  await cluster.create('test', namespace);
  await cluster.create('test', { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  await cluster.create('test', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: { nodeName: 'n', containers: [{ name: 'c', image: 'x' }] },
  });
  for (const kind of ['Namespace', 'Pod'])
    await cluster.remove({ apiVersion: 'v1', kind, metadata: kind === 'Pod' ? metadata : namespace.metadata });
  expect((await cluster.get(namespace)).status.phase).toBe('Terminating');
  expect(await cluster.find({ apiVersion: 'v1', kind: 'ConfigMap', metadata })).toBeDefined();
  const pod = await cluster.get({ apiVersion: 'v1', kind: 'Pod', metadata });
  expect(pod.metadata).toMatchObject({ deletionGracePeriodSeconds: 30, deletionTimestamp: expect.any(String) });
});
