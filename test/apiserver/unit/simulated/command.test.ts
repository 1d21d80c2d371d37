import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { fieldwise } from '../../../harness/fieldwise.js';

const cwd = mkdtempSync(join(tmpdir(), 'fieldwise-simulated-'));
const run = (command: string) => fieldwise(command.split(' '), { cwd });
afterAll(async () => {
  await run('cluster stop');
  rmSync(cwd, { recursive: true });
});

const deployment = (how: string) => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web }, annotations: { ${how} } }
    spec: { containers: [{ name: web, image: 'web:1' }] }
`;

test('a deploy waits on a server that simulates workloads, and only there', { timeout: 240_000 }, async () => {
  const file = join(cwd, 'web.yaml');
  writeFileSync(file, deployment(''));
  const deploy = () => run('deploy -f web.yaml --name shop --stack web --cluster embedded --yes');
  const unwatched = await deploy();
  expect(unwatched.exitCode, unwatched.stderr).toBe(0);
  expect((await run('cluster start --pod-ready 1')).stderr).toContain('has no effect without `--simulate`');
  expect((await run('cluster start --simulate --pod-ready soon')).stderr).toContain('is not a number of seconds');
  await run('cluster start');
  const refused = await run('cluster start --simulate');
  expect([refused.exitCode, refused.stderr]).toEqual([
    2,
    expect.stringMatching(/To let it simulate workloads, run `fieldwise cluster stop`/),
  ]);
  expect((await run('cluster status')).stdout).toMatch(/^workloads {3}not simulated$/m);
  await run('cluster stop');
  const started = await run('cluster start --simulate --pod-ready 0.05');
  expect(started.exitCode, started.stderr).toBe(0);
  expect((await run('cluster status')).stdout).toMatch(/^workloads {3}simulated, ready after 0\.05 s$/m);
  expect((await run('cluster start --simulate --pod-ready 0.05')).exitCode).toBe(0);
  expect((await run('cluster start --simulate --pod-ready 3')).stderr).toMatch(/To change `--pod-ready`, run `fieldwise cluster stop`/);
  const ready = await deploy();
  expect(ready.exitCode, `${ready.stdout}${ready.stderr}`).toBe(0);
  writeFileSync(file, deployment('fieldwise.dev/simulate: crash-loop'));
  const failed = await deploy();
  expect([failed.exitCode, `${failed.stdout}${failed.stderr}`]).toEqual([
    4,
    expect.stringContaining('container web ends with exit code 1'),
  ]);
});
