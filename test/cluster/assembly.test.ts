import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { configMapHelpers } from '../harness/config-map-helpers.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('assembly');

const { config, ref } = configMapHelpers(testEnvironment);
const service = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { selector: { app: name }, ports: [{ name: 'http', port: 80, targetPort: 'web' }] },
});

test('synthesized in one place, deployed in another: the program is not needed any more', async () => {
  const project = testEnvironment.program({ main: [own(config('carried'))] });
  expect((await project.run(['synth', '--outdir', 'built'])).exitCode).toBe(0);
  project.write({ 'main.ts': 'throw new Error("not needed");\n' });
  const report = await project.deploy(['-a', 'built']);
  expect(report.exitCode, String(report)).toBe(0);
  expect((await testEnvironment.cluster.get(ref('carried'))).data).toEqual({ a: '1' });
});

test.each([
  {
    what: 'an object',
    file: (files: string[]) => files.find((path) => /(?<!manifest)\.json$/.test(path)),
    change: (text: string) => text.replace('"1"', '"2"'),
  },
  { what: 'the manifest', file: () => 'manifest.json', change: (text: string) => text.slice(0, -20) },
])('$what was changed after synth: exit code 2, nothing is applied', async ({ what, file, change }) => {
  const name = `changed-${what.replaceAll(' ', '-')}`;
  const project = testEnvironment.program({ main: [own(config(name))] });
  await project.run(['synth']);
  const path = `dist/${file(project.files('dist'))}`;
  const before = project.read(path);
  project.write({ [path]: change(before) });
  expect(project.read(path)).not.toBe(before);
  const { exitCode, stderr } = await project.run(['deploy', '-a', 'dist']);
  expect(exitCode, stderr).toBe(2);
  expect(stderr).toMatch(/^error: .*\[[a-z-]+\]$/m);
  expect(await testEnvironment.cluster.find(ref(name))).toBeUndefined();
});

test.runIf(testEnvironment.kubectl)('its YAML applied by kubectl under the same manager gives the same owners and values', async () => {
  const project = testEnvironment.program({ main: [own(config('by-kubectl')), own(service('by-kubectl'))] });
  await project.run(['synth']);
  const yaml = project.files('dist').find((path) => path.endsWith('.yaml'))!;
  const flags = ['apply', '--server-side', '--field-manager', project.manager('main'), '-f', `${project.directory}/dist/${yaml}`];
  await promisify(execFile)(testEnvironment.kubectl!, [
    '--kubeconfig',
    testEnvironment.kubeconfig,
    '-n',
    testEnvironment.namespace,
    ...flags,
  ]);
  const objects = [ref('by-kubectl'), testEnvironment.ref('v1', 'Service', 'by-kubectl')];
  const state = () => Promise.all(objects.map(async (object) => (await testEnvironment.cluster.get(object)).metadata.resourceVersion));
  const before = await state();
  const report = await project.deploy();
  expect(report.exitCode, String(report)).toBe(0);
  expect(await state()).toEqual(before);
});

test('names of any length and script: the server takes the field manager, and each stack has one of its own', async () => {
  const long = 'a-rather-long-name-of-an-application-that-somebody-really-gave-it-in-a-large-organisation';
  const app = { environment: { FIELDWISE_APP_NAME: `${testEnvironment.app} ${long}` } };
  const stacks = [`${long}-one`, `${long}-two`, 'größe/ü', 'größe%2F'].map((name) => name.replace('/', '-'));
  const project = testEnvironment.program(Object.fromEntries(stacks.map((name, index) => [name, [own(config(`long-${index}`))]])), app);
  const report = await project.deploy();
  expect(report.exitCode, String(report)).toBe(0);
  const managers = await Promise.all(
    stacks.map(async (_, index) => Object.keys(await testEnvironment.cluster.owners(ref(`long-${index}`)))),
  );
  expect(new Set(managers.flat()).size).toBe(stacks.length);
  for (const [index, [manager]] of managers.entries()) {
    expect(manager).toBe(project.manager(stacks[index]!));
    expect(Buffer.byteLength(manager!)).toBeLessThanOrEqual(128);
  }
  expect((await project.destroy()).objects.map(({ result }) => result)).toEqual(stacks.map(() => 'deleted'));
});
