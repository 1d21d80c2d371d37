import { expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import { configMapHelpers } from '../harness/config-map-helpers.js';
import { own, share } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('old');

/** A server from before server-side apply: no such patch, no record of owners, no OpenAPI v3. */
const proxy = await testEnvironment.proxy();
const applies: string[] = [];
proxy.onRequest = ({ method, path, query }) => {
  if (path === '/version') return { status: 200, body: { major: '1', minor: '21', gitVersion: 'v1.21.14' } };
  if (path.startsWith('/openapi/v3')) return { status: 404, body: { kind: 'Status', code: 404, reason: 'NotFound' } };
  if (method !== 'PATCH' || !query.has('force')) return undefined;
  applies.push(path);
  return {
    status: 415,
    body: { kind: 'Status', code: 415, reason: 'UnsupportedMediaType', message: 'the body of the request was in an unknown format' },
  };
};
proxy.onResponse = (_, { body }) => (typeof body === 'object' && body !== null ? { body: withoutOwners(body) } : undefined);

function withoutOwners(value: ResponseBody): ResponseBody {
  if (Array.isArray(value)) return value.map(withoutOwners);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => (name === 'managedFields' ? [] : [[name, withoutOwners(member)]])),
  );
}

const deployment = (name: string, image: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'api', image, ports: [{ containerPort: 80 }] }] } },
  },
});
const { config } = configMapHelpers(testEnvironment);
const options = { kubeconfig: proxy.kubeconfig };

test('a program is planned, deployed, changed and destroyed, and nothing of others is lost', async () => {
  const app = { ...options, environment: { FIELDWISE_APP_NAME: `${testEnvironment.app}-whole` } };
  const at = testEnvironment.ref('apps/v1', 'Deployment', 'web');
  const project = testEnvironment.program(
    { main: [own(deployment('web', 'example.com/api:1')), own(config('conf', { a: '1', b: '1' }))] },
    app,
  );
  const other = testEnvironment.program({ other: [share(config('conf', { b: '1', c: '1' }))] }, app);

  const plan = await project.run(['diff']);
  expect(plan.exitCode, plan.stderr).toBe(0);
  expect(plan.stderr + plan.stdout).toContain('1.21');
  const first = await project.deploy();
  expect(first.exitCode, String(first)).toBe(0);
  expect(first.only('Deployment')).toMatchObject({ result: 'created' });
  expect((await other.deploy()).only()).toMatchObject({ result: 'updated', forcedConflicts: [] });
  const sidecar = { name: 'proxy', image: 'example.com/proxy:1' };
  await testEnvironment.cluster.patch(
    'injector',
    at,
    { spec: { replicas: 3, template: { spec: { containers: [sidecar] } } } },
    'strategic',
  );
  const again = await project.deploy();
  expect(again.only('Deployment')).toMatchObject({ result: 'unchanged' });
  expect(again.only('ConfigMap')).toMatchObject({ result: 'unchanged' });

  project.write({
    'main.ts': testEnvironment.text({ main: [own(deployment('web', 'example.com/api:2')), own(config('conf', { a: '1' }))] }),
  });
  const changed = await project.run(['diff', '-o', 'json']);
  expect(changed.stdout).toContain('"source":"server"');
  expect((await project.deploy()).only('Deployment')).toMatchObject({ result: 'updated', forcedConflicts: [] });
  const live = await testEnvironment.cluster.get(at);
  expect(live.spec.replicas).toBe(3);
  expect(live.spec.template.spec.containers.map(({ image }: ResponseBody) => image).sort()).toEqual([
    'example.com/api:2',
    'example.com/proxy:1',
  ]);
  expect((await testEnvironment.cluster.get(testEnvironment.ref('v1', 'ConfigMap', 'conf'))).data).toEqual({ a: '1', b: '1', c: '1' });

  const gone = await project.run(['destroy', '-o', 'json', '--yes']);
  expect(gone.exitCode, gone.stderr + gone.stdout).toBe(0);
  expect(await testEnvironment.cluster.find(at)).toBeUndefined();
  expect((await testEnvironment.cluster.get(testEnvironment.ref('v1', 'ConfigMap', 'conf'))).data).toEqual({ b: '1', c: '1' });
  expect((await other.run(['destroy', '-o', 'json', '--yes'])).exitCode).toBe(0);
  // Each process learns from one record that the server has no apply.
  expect(applies.length).toBeGreaterThan(0);
  expect(applies.filter((path) => !/leases|configmaps\/old-|secrets\/fieldwise-/.test(path))).toEqual([]);
});

test('a value that somebody changed is taken from another writer, or yielded', async () => {
  const at = testEnvironment.ref('v1', 'ConfigMap', 'contested');
  const project = testEnvironment.program({ main: [own(config('contested', { a: '1' }))] }, options);
  await project.deploy();
  await testEnvironment.cluster.patch('them', at, { data: { a: '9' } });
  expect((await project.deploy()).only()).toMatchObject({
    result: 'updated',
    forcedConflicts: [{ field: '.data.a', oldValue: '9', newValue: '1', from: 'another writer' }],
  });
  await testEnvironment.cluster.patch('them', at, { data: { a: '8' } });
  project.write({ 'main.ts': testEnvironment.text({ main: [own(config('contested', { a: '1' }), { conflicts: 'yield' })] }) });
  expect((await project.deploy()).only()).toMatchObject({ forcedConflicts: [], yielded: [{ field: '.data.a', from: 'another writer' }] });
  expect((await testEnvironment.cluster.get(at)).data).toEqual({ a: '8' });
});

test('preexisting fields stay when two stacks have dropped them, introduced ones are removed', async () => {
  const at = testEnvironment.ref('v1', 'ConfigMap', 'alike');
  await testEnvironment.cluster.create('them', { ...at, data: { theirs: '1' } });
  const both = { theirs: '1', introduced: '1' };
  const text = (data: object) => testEnvironment.text({ main: [share(config('alike', data))] });
  const projects = [1, 2].map((number) => {
    const app = { ...options, environment: { FIELDWISE_APP_NAME: `${testEnvironment.app}-alike-${number}` } };
    return testEnvironment.program({ main: [share(config('alike', { ...both, [`own-${number}`]: '1' }))] }, app);
  });
  for (const project of projects) expect((await project.deploy()).exitCode).toBe(0);
  for (const [index, project] of projects.entries()) {
    project.write({ 'main.ts': text({ [`own-${index + 1}`]: '1' }) });
    await project.deploy();
    const left = index === 0 ? both : { theirs: '1' };
    expect((await testEnvironment.cluster.get(at)).data).toEqual({ ...left, 'own-1': '1', 'own-2': '1' });
  }
});

test('an answer that is lost to a creation is found out', async () => {
  const project = testEnvironment.program({ main: [own(config('unheard', { a: '1' }))] }, options);
  let lost = 0;
  const before = proxy.onResponse;
  proxy.onResponse = (request, answer) => {
    if (
      lost === 0 &&
      request.method === 'POST' &&
      JSON.stringify(request.body).includes('"unheard"') &&
      request.path.endsWith('/configmaps')
    ) {
      if (!(request.body as ResponseBody).metadata.name.startsWith('unheard')) return before(request, answer);
      lost += 1;
      return 'lose';
    }
    return before(request, answer);
  };
  const report = await project.deploy();
  proxy.onResponse = before;
  expect(lost).toBe(1);
  expect(report.only(), String(report)).toMatchObject({ result: 'created' });
  expect((await project.run(['destroy', '-o', 'json', '--yes'])).exitCode).toBe(0);
  expect(await testEnvironment.cluster.find(testEnvironment.ref('v1', 'ConfigMap', 'unheard'))).toBeUndefined();
});
