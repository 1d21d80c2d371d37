import { beforeAll, describe, expect, test } from 'vitest';
import type { ExplainedField } from '../../src/inspect/explain/explain-fields.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('explained');
const { cluster } = testEnvironment;
const image = '.spec.template.spec.containers[name="web"].image';

const spec = (replicas?: number) => ({
  ...(replicas === undefined ? {} : { replicas }),
  selector: { matchLabels: { app: 'web' } },
  template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
});
const web = (replicas?: number) => ({ ...testEnvironment.ref('apps/v1', 'Deployment', 'web'), spec: spec(replicas) });

const project = testEnvironment.program({
  shop: [own({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mine' }, data: { a: '1' } })],
});

beforeAll(async () => {
  await cluster.apply('kustomize-controller', web(3));
  await cluster.apply('helm', web());
  await project.deploy();
});

const explained = async (...words: readonly string[]) => {
  const { events, exitCode, stderr } = await project.run(['explain', ...words, '--json']);
  expect([exitCode, stderr]).toEqual([0, '']);
  return events.slice(0, -1) as unknown as ExplainedField[];
};

describe('explain of a live field', () => {
  test('its value, its owner since when, what it does next, and what its release would change', async () => {
    const before = await cluster.resourceVersion(web());
    const [replicas] = await explained('deploy/web', '.spec.replicas');
    expect(replicas).toMatchObject({
      object: `Deployment ${testEnvironment.namespace}/web`,
      field: '.spec.replicas',
      value: 3,
      owners: [
        {
          manager: 'kustomize-controller',
          operation: 'Apply',
          tool: 'flux',
          time: expect.stringMatching(/^\d{4}-/),
          next: expect.stringContaining('with force at each interval'),
          release: { outcome: [{ field: '.spec.replicas', change: 'defaulted', newValue: 1 }] },
        },
      ],
    });
    expect(await cluster.resourceVersion(web())).toBe(before);
  });

  test('a field of two owners stays if one releases it', async () => {
    const [field] = await explained('deployment/web', image);
    expect(field!.owners.map(({ manager, release }) => [manager, release!.outcome!.map(({ change }) => change)])).toEqual([
      ['helm', ['kept']],
      ['kustomize-controller', ['kept']],
    ]);
  });

  test('fields below a path, and a field of nobody', async () => {
    expect((await explained('deploy/web', '.spec.selector')).map(({ field }) => field)).toEqual(['.spec.selector']);
    expect((await explained('deploy/web', '.spec.template.metadata')).map(({ field }) => field)).toEqual([
      '.spec.template.metadata.labels.app',
    ]);
    expect(await explained('deploy/web', '.spec.revisionHistoryLimit')).toMatchObject([{ value: 10, owners: [] }]);
  });

  test('a stack is known by its name', async () => {
    const [field] = await explained('cm/mine', '.data.a');
    expect(field).toMatchObject({
      owners: [{ stack: expect.stringMatching(/\/shop$/), release: { outcome: [{ field: '.data.a', change: 'removed' }] } }],
    });
  });

  test('for people, within 80 columns but for commands', async () => {
    const { stdout } = await project.run(['explain', 'deploy/web', '.spec.replicas', image]);
    expect(stdout).toContain(
      `Deployment ${testEnvironment.namespace}/web\n  .spec.replicas: 3\n      owned by kustomize-controller (Flux), since `,
    );
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('If it no longer applied the field: .spec.replicas would become 1, the default.');
    expect(stdout).toContain('--from manager:kustomize-controller --to STACK');
    expect(stdout.split('\n').filter((line) => line.length > 80 && !line.startsWith('      '))).toEqual([]);
  });

  test('values of Secrets are not shown', async () => {
    await cluster.apply('team', { ...testEnvironment.ref('v1', 'Secret', 'key'), stringData: { password: 'correct horse' } });
    for (const flags of [[], ['--json']]) {
      const { stdout, exitCode } = await project.run(['explain', 'secret/key', '.data', ...flags]);
      expect(exitCode).toBe(0);
      expect(stdout).toContain('.data.password');
      expect(stdout).not.toMatch(/correct horse|Y29ycmVjdCBob3JzZQ/);
    }
  });

  test.each([
    { words: ['deploy/absent', '.spec'], code: 'object-missing' },
    { words: ['deploy/web', '.spec.nonsense'], code: 'field-missing' },
    { words: ['nonsense/web', '.spec'], code: 'kind-unknown' },
    { words: ['deploy/web'], code: 'explain-misused' },
    { words: ['.spec.replicas'], code: 'explain-misused' },
  ])('$words is refused: $code', async ({ words, code }) => {
    const { exitCode, stderr, stdout } = await project.run(['explain', ...words]);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`[${code}]`);
  });
});
