import { describe, expect, test } from 'vitest';
import { configMapHelpers, deployed } from '../harness/config-map-helpers.js';
import type { ProxiedRequest } from '../harness/interception-proxy.js';
import { own, share } from '../harness/program-text.js';
import { Report } from '../harness/project.js';
import { TestEnvironment, waitForNextSecond } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('repeated');
const { config, ref, edit, live } = configMapHelpers(testEnvironment);

/** A proxy that has the server do the first write of an object twice, as something on the way may; the answer is the second one, a conflict. */
async function repeating(isIt: (request: ProxiedRequest) => boolean) {
  const proxy = await testEnvironment.proxy();
  let done = false;
  proxy.onRequest = (request) => {
    if (done || request.method === 'GET' || !isIt(request)) return undefined;
    done = true;
    return 'duplicate';
  };
  return {
    kubeconfig: proxy.kubeconfig,
    statusOf: () => proxy.requests.find((request) => request.method !== 'GET' && isIt(request))?.status,
  };
}

const writesOf = (name: string) => (request: ProxiedRequest) => request.path.endsWith(`/${name}`);

describe('a request that something on the way repeats is in the report as if it had been sent once', () => {
  test.each([
    { values: 'that stay', keep: '1' },
    { values: 'that change', keep: '2' },
  ])('a release beside values $values', async ({ keep }) => {
    const name = `release-${keep}`;
    const project = testEnvironment.program({ main: [own(config(name, { gone: 'precious', keep: '1' }))] });
    await deployed(project);
    edit(project, { main: [own(config(name, { keep }))] });
    await waitForNextSecond();
    const { kubeconfig, statusOf } = await repeating(writesOf(name));
    const report = await project.deploy(['--yes'], { kubeconfig });
    expect([report.exitCode, statusOf()], String(report)).toEqual([0, 409]);
    expect(report.only()).toMatchObject({
      result: 'updated',
      released: [{ field: '.data.gone', change: 'removed', oldValue: 'precious' }],
    });
    expect((await live(name)).data).toEqual({ keep });
  });

  test('a list item that takes a field of somebody else along', async () => {
    const ports = (...numbers: number[]) => numbers.map((port) => ({ name: `p${port}`, port, protocol: 'TCP' }));
    const service = (...numbers: number[]) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'item' },
      spec: { ports: ports(...numbers) },
    });
    const project = testEnvironment.program({ main: [own(service(80, 81))] });
    await deployed(project);
    const address = testEnvironment.ref('v1', 'Service', 'item');
    await testEnvironment.cluster.client.call('PATCH', `/api/v1/namespaces/${testEnvironment.namespace}/services/item`, {
      contentType: 'application/json-patch+json',
      query: { fieldManager: 'human' },
      body: [{ op: 'add', path: '/spec/ports/1/appProtocol', value: 'http' }],
    });
    edit(project, { main: [own(service(80))] });
    await waitForNextSecond();
    const { kubeconfig, statusOf } = await repeating(writesOf('item'));
    const report = await project.deploy(['--yes'], { kubeconfig });
    expect([report.exitCode, statusOf()], String(report)).toEqual([0, 409]);
    const { spec } = await testEnvironment.cluster.get(address);
    const { result, collateral = [] } = report.only() as { result: string; collateral?: readonly { from: string; field: string }[] };
    expect([result, spec.ports.length, collateral.map(({ from, field }) => `${from} ${field}`)]).toEqual([
      'updated',
      1,
      ['human .spec.ports[port=81,protocol="TCP"].appProtocol'],
    ]);
  });

  test('a share that is no longer declared', async () => {
    await testEnvironment.cluster.apply('owner', { ...ref('shared'), data: { theirs: '1' } });
    const project = testEnvironment.program({ main: [share(config('shared', { ours: 'x' }))] });
    await deployed(project);
    const { kubeconfig } = await repeating(writesOf('shared'));
    const report = await project.destroy([], { kubeconfig });
    expect(report.only(), String(report)).toMatchObject({
      result: 'released',
      released: [{ field: '.data.ours', change: 'removed', oldValue: 'x' }],
    });
  });

  test('a transfer', async () => {
    const forced = { force: true };
    await testEnvironment.cluster.apply('other', { ...ref('moved'), data: { x: '1', rest: '2' } }, forced as never);
    const project = testEnvironment.program({ main: [share(config('moved', { x: '1' }), { transferFrom: { from: 'other' } })] });
    const { kubeconfig, statusOf } = await repeating(({ path, body }) => path.endsWith('/moved') && Array.isArray(body));
    const report = new Report(await project.run(['deploy', '-o', 'json', '--yes'], { kubeconfig }));
    expect([report.exitCode, statusOf()], String(report)).toEqual([0, 409]);
    expect(report.only()).toMatchObject({ transferred: { from: 'other', fields: ['.data.x'] } });
  });

  test('the first revision of the history', async () => {
    const project = testEnvironment.program(
      { main: [own(config('recorded'))] },
      { environment: { FIELDWISE_APP_NAME: `${testEnvironment.app}-h` } },
    );
    const proxy = await testEnvironment.proxy();
    proxy.onRequest = ({ method, path }) => (method === 'PATCH' && path.includes('/secrets/fieldwise-') ? 'duplicate' : undefined);
    const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
    expect(report.result.events.filter(({ event }) => event === 'warning')).toEqual([]);
    expect(report.exitCode, String(report)).toBe(0);
  });
});

test.each([
  { as: 'that nobody confirmed', flags: [] },
  { as: 'that its plan does not have', flags: ['--plan', 'plan.json'] },
])('applied, its answer lost, then a conflict $as: perhaps changed, never "not changed"', async ({ flags }) => {
  const name = `unconfirmed-${flags.length}`;
  await testEnvironment.cluster.create('kubectl-create', { ...ref(name), data: { other: 'x' } });
  const project = testEnvironment.program({ main: [share(config(name, { color: 'red', size: 'small' }))] });
  if (flags.length > 0) await project.run(['diff', '--output-file', 'plan=plan.json']);
  const proxy = await testEnvironment.proxy();
  let isLost = false;
  proxy.onResponse = async ({ method, path, query }) => {
    if (isLost || method !== 'PATCH' || !path.endsWith(`/${name}`) || query.has('dryRun')) return undefined;
    isLost = true;
    await testEnvironment.cluster.patch('bob', ref(name), { data: { color: 'pink' } });
    return 'lose';
  };
  const report = await project.deploy(flags, { kubeconfig: proxy.kubeconfig });
  const text = String(report);
  expect([isLost, report.exitCode, text.includes('not changed')], text).toEqual([true, 4, false]);
  expect(report.only().error, text).toMatchObject({ code: 'outcome-unknown', message: expect.stringContaining('perhaps changed') });
  expect((await live(name)).data).toEqual({ other: 'x', color: 'pink', size: 'small' });
});
