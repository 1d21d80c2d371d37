import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/util/json.js';
import { crdOf } from '../harness/crd.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

/** Deploys while the server does not serve a kind, so that nobody knows whether its objects have a namespace, and after that. */
const testEnvironment = await TestEnvironment.create('unknown-scope');
const { cluster, namespace } = testEnvironment;

test.each([
  ['without a namespace, of a kind without', 'Cluster', false],
  ['with a namespace, of a kind without', 'Cluster', true],
  ['without a namespace, of a kind with', 'Namespaced', false],
  ['with a namespace, of a kind with', 'Namespaced', true],
])('an object declared %s', async (title, scope, isNamed) => {
  const short = title.replaceAll(/\W+/g, '').slice(-14).toLowerCase() + String(isNamed);
  const group = `${short}.${namespace}.example.com`;
  const kind = 'Unknown';
  const name = `${namespace}-w`;
  const metadata = isNamed ? { name, namespace } : { name };
  const object = { apiVersion: `${group}/v1`, kind, metadata, spec: { a: '1' } };
  const definition = crdOf(group, kind, { spec: { type: 'object', properties: { a: { type: 'string' } } } });
  const crd = { ...definition, spec: { ...definition.spec, scope } };
  const project = testEnvironment.program({ main: [own(object)] });
  expect((await project.run(['deploy', '--yes'])).stdout).toContain('[kind-unknown]');
  await testEnvironment.crd(crd as typeof definition);
  const live = { apiVersion: `${group}/v1`, kind, metadata: scope === 'Cluster' ? { name } : { name, namespace } };
  const plan = await project.run(['diff']);
  expect(plan.stdout).toMatch(/plan: 1 create\b/);
  expect(plan.stdout).not.toMatch(/absent|delete/);
  const first = await project.run(['deploy']);
  expect([first.exitCode, first.stdout]).toEqual([0, expect.not.stringMatching(/deleted|absent|released/)]);
  const { uid } = (await cluster.get(live)).metadata as JsonObject;

  // The version is not served for a while, and another deploy fails.
  const [version] = crd.spec.versions;
  const versions = (served: boolean) => ({
    spec: {
      versions: [
        { ...version, served },
        { ...version, name: 'v2', storage: false },
      ],
    },
  });
  await cluster.patch('them', crd as never, versions(false) as never);
  await expect
    .poll(async () => (await project.run(['deploy', '--yes'])).stdout, { timeout: 20_000, interval: 300 })
    .toContain('[kind-unknown]');
  await cluster.patch('them', crd as never, versions(true) as never);
  await expect
    .poll(async () => (await project.run(['deploy', '--yes'])).stdout, { timeout: 20_000, interval: 300 })
    .toMatch(/done: 1 (unchanged|updated|applied)/);
  expect(((await cluster.get(live)).metadata as JsonObject).uid).toBe(uid);
  expect((await project.run(['list', '-o', 'json'])).stdout.split(`"${name}"`).length).toBeLessThanOrEqual(3);
  const end = await project.run(['destroy', '--yes']);
  expect([end.exitCode, end.stdout]).toEqual([0, expect.stringContaining('deleted')]);
});
