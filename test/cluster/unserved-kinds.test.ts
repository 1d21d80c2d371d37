import { expect, test } from 'vitest';
import { crdOf } from '../harness/crd.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

// A kind that the server does not serve is a question before the first write.

const testEnvironment = await TestEnvironment.create('unserved-kinds');
const { cluster, namespace } = testEnvironment;
const group = `unserved.${namespace}.example.com`;

const config = (name: string) => ({ ...testEnvironment.ref('v1', 'ConfigMap', name), data: { a: '1' } });
const monitor = (name: string) => ({ ...testEnvironment.ref(`${group}/v1`, 'Monitor', name), spec: { a: '1' } });

test('without --yes: refused with the object, and nothing is changed; with it: the others are applied, and it fails last, by name', async () => {
  const project = testEnvironment.program({ main: [own(monitor('m')), own(config('one'))], other: [own(config('two'))] });
  const refused = await project.deploy();
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain(
    `1 object cannot be applied, because the server does not serve its kind (Monitor of ${group}/v1):\n    Monitor ${namespace}/m, declared by `,
  );
  expect(refused.stderr).toContain('[confirmation-needed]');
  expect(new Set(refused.objects.map(({ result }) => result))).toEqual(new Set(['skipped']));
  expect((await cluster.list('v1', 'ConfigMap', namespace)).map((object) => object.metadata?.name)).not.toContain('one');

  const report = await project.deploy(['--yes']);
  expect(report.exitCode, String(report)).toBe(4);
  expect(report.objects.map(({ name, result }) => `${result} ${name}`)).toEqual([
    expect.stringMatching(/created (one|two)/),
    expect.stringMatching(/created (one|two)/),
    'failed m',
  ]);
  expect(report.only('m').error?.code).toBe('kind-unknown');
});

test('what depends on it is skipped, and nothing else', async () => {
  const project = testEnvironment.program({ main: [own(monitor('first')), own(config('after')), own(config('beside'))] });
  const text = project.read('main.ts').split('\n');
  const lines = text.map((line) =>
    line.includes('"first"')
      ? `const first = ${line}`
      : line.includes('"after"')
        ? line.replace(/;$/, '.node.addDependency(first);')
        : line,
  );
  project.write({ 'main.ts': lines.join('\n') });
  const report = await project.deploy(['--yes']);
  expect(report.results).toEqual({
    [`Monitor ${namespace}/first`]: 'failed',
    [`ConfigMap ${namespace}/after`]: 'skipped',
    [`ConfigMap ${namespace}/beside`]: 'created',
  });
});

test('no question where the run defines the kind', async () => {
  const definition = crdOf(group, 'Monitor', { spec: { type: 'object', properties: { a: { type: 'string' } } } });
  const project = testEnvironment.program({ main: [own(monitor('defined')), own(definition)] });
  const report = await project.deploy();
  expect(report.exitCode, String(report)).toBe(0);
  expect(report.only('defined').result).toBe('created');
  expect((await project.destroy()).exitCode).toBe(0);
});

test('no object of a kind that is served: the question says that the object cannot be applied, and --yes ends in the failure', async () => {
  const project = testEnvironment.program({ main: [own(monitor('alone'))] });
  expect((await project.deploy()).exitCode).toBe(2);
  expect((await project.deploy(['--yes'])).only('alone').error?.code).toBe('kind-unknown');
});
