import { expect, test } from 'vitest';
import { ApiCallError } from '../harness/api-client.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment, waitForNextSecond } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('references');

const password = 'a-password-nobody-may-see';
const key = 'the-content-of-a-file-nobody-may-see';
const environment = { DB_PASSWORD: password };
const program = (name: string) => `import { App, fromEnv, fromFile, Stack } from 'fieldwise';
const stack = new Stack(new App(), 'main');
stack.own({ apiVersion: 'v1', kind: 'Secret', metadata: { name: '${name}' }, stringData: { password: fromEnv('DB_PASSWORD') }, data: { key: fromFile('secrets/key') } });
`;
const secretRef = (name: string) => testEnvironment.ref('v1', 'Secret', name);

function project(name: string, files: Record<string, string> = { 'secrets/key': key }): Project {
  const made = testEnvironment.program({});
  made.write({ 'main.ts': program(name), ...files });
  return made;
}

const encoded = (text: string) => Buffer.from(text).toString('base64');
const forms = [password, key].flatMap((value) => [value, encoded(value)]);

function expectNothingShown(...texts: string[]): void {
  for (const text of texts) for (const form of forms) expect(text).not.toContain(form);
}

test('values are read at diff and deploy, and stand in the cluster only', async () => {
  const it = project('filled');
  const diff = await it.run(['diff'], { environment });
  expect(diff.exitCode, diff.stderr).toBe(0);
  const report = await it.deploy([], { environment });
  expect(report.exitCode, String(report)).toBe(0);
  const live = await testEnvironment.cluster.get(secretRef('filled'));
  expect(live.data).toEqual({ password: encoded(password), key: encoded(key) });
  const files = it.files('dist').map((path) => it.read(`dist/${path}`));
  const changed = await it.run(['diff'], { environment: { DB_PASSWORD: `${password}-2` } });
  const json = await it.run(['diff', '-o', 'json'], { environment: { DB_PASSWORD: `${password}-2` } });
  const printed = [diff, report.result, changed, json].flatMap(({ stdout, stderr }) => [stdout, stderr]);
  expectNothingShown(...files, ...printed);
  expect(changed.stdout).toContain('.data.password');
  expect(changed.stdout).not.toContain('.data.key');
});

test('the value changes, the assembly does not', async () => {
  const it = project('changing');
  expect((await it.deploy([], { environment })).exitCode).toBe(0);
  const before = it.read('dist/manifest.json');
  await waitForNextSecond();
  const report = await it.deploy([], { environment: { DB_PASSWORD: 'another' } });
  expect(report.results).toMatchObject({ [`Secret ${testEnvironment.namespace}/changing`]: 'updated' });
  expect(it.read('dist/manifest.json')).toBe(before);
  expect((await testEnvironment.cluster.get(secretRef('changing'))).data.password).toBe(encoded('another'));
});

test('a missing variable or file ends deploy and diff before any request, with object, key and construct', async () => {
  const it = project('absent', {});
  for (const command of [['deploy'], ['diff']]) {
    const { exitCode, stderr } = await it.run(command, { kubeconfig: testEnvironment.kubeconfig });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`key password of Secret ${testEnvironment.namespace}/absent declared by`);
    expect(stderr).toMatch(/main\.ts:3.*the environment variable DB_PASSWORD is not set/);
    expect(stderr).toContain('the file secrets/key does not exist');
    expect(stderr).toContain('[reference-missing]');
  }
  expect(await testEnvironment.cluster.find(secretRef('absent'))).toBeUndefined();
});

test('a server refuses the assembly applied as it is', async () => {
  const it = project('raw');
  await it.run(['synth']);
  const path = it.files('dist').find((name) => /(?<!manifest)\.json$/.test(name));
  const [object] = JSON.parse(it.read(`dist/${path}`));
  const url = `/api/v1/namespaces/${testEnvironment.namespace}/secrets/raw`;
  const applied = testEnvironment.cluster.client.call('PATCH', url, {
    body: object,
    contentType: 'application/apply-patch+yaml',
    query: { fieldManager: 'raw', force: 'true' },
  });
  const failure = await applied.catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ApiCallError);
  expect((failure as ApiCallError).status).toBeGreaterThanOrEqual(400);
  expect((failure as ApiCallError).status).toBeLessThan(600);
  expect(await testEnvironment.cluster.find(secretRef('raw'))).toBeUndefined();
});
