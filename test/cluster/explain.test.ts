import { beforeAll, describe, expect, test } from 'vitest';
import type { ExplainedField } from '../../src/inspect/explain/explain-fields.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('explained');
const { cluster, namespace } = testEnvironment;
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
  const { events, exitCode, stderr } = await project.run(['explain', ...words, '-o', 'json']);
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
    expect(stdout).toContain('--from manager:kustomize-controller');
    expect(stdout.split('\n').filter((line) => line.length > 80 && !line.startsWith('      '))).toEqual([]);
  });

  test('for people, what several fields have in common is there once', async () => {
    const { stdout } = await project.run(['explain', 'deploy/web', '.spec', '.spec.replicas', image]);
    const text = stdout.replaceAll(/\s+/g, ' ');
    const times = (part: string) => text.split(part).length - 1;
    expect(times(`Deployment ${testEnvironment.namespace}/web `)).toBe(1);
    expect(times('Ways out in Fieldwise:')).toBe(1);
    expect(times('with force at each interval')).toBe(1);
    expect(times(' no owner: ')).toBe(1);
    expect(times(' - Transfer them to a stack ')).toBe(2); // one for each manager
    for (const field of ['.spec.replicas', image])
      expect(stdout.split('\n').filter((line) => line.startsWith(`  ${field}:`))).toHaveLength(1);
    expect(text).toContain('fieldwise adopt Deployment/web .spec.replicas .spec.selector ');
  });

  test('a command that it prints has the flags that select the object', async () => {
    const kubeconfig = testEnvironment.kubeconfigOf('default', {});
    const flags = ['-n', namespace, '--kubeconfig', kubeconfig];
    const { stderr } = await project.run(['explain', 'deploy/web', '.spec.nonsense', ...flags]);
    expect(stderr).toContain(`\`fieldwise owners Deployment/web ${flags.join(' ')}\` lists the fields.`);
    const words = ['explain', 'deploy/web', '.spec.replicas', ...flags];
    const way = `--from manager:kustomize-controller --kubeconfig ${kubeconfig}`;
    expect((await project.run(words)).stdout).toContain(way);
    expect((await project.run([...words, '-o', 'json'])).stdout).toContain(way);
  });

  test('values of Secrets are not shown', async () => {
    await cluster.apply('team', { ...testEnvironment.ref('v1', 'Secret', 'key'), stringData: { password: 'correct horse' } });
    for (const flags of [[], ['-o', 'json']]) {
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

describe('explain of a message, where there is a cluster', () => {
  const message = 'error: Apply failed with 1 conflict: conflict with "them" using apps/v1: .spec.replicas';
  const run = (words: readonly string[], kubeconfig?: string) =>
    project.run(['explain', ...words], { stdin: message, ...(kubeconfig === undefined ? {} : { kubeconfig }) });
  const looked = async (...words: readonly string[]) => {
    const { events, exitCode, stderr } = await run([...words, '-o', 'json']);
    expect([exitCode, stderr]).toEqual([0, '']);
    return events[0];
  };

  test('it says who owns the field now, since when, beside the owner of the text', async () => {
    const conflict = await looked('-', 'deploy/web');
    expect(conflict?.contested).toMatchObject([{ owner: { manager: 'them' } }]);
    expect(conflict?.now).toMatchObject({
      server: expect.stringContaining('http'),
      object: `Deployment ${testEnvironment.namespace}/web`,
      exists: true,
      fields: [
        { field: '.spec.replicas', value: 3, owners: [{ manager: 'kustomize-controller', time: expect.stringMatching(/^\d{4}-/) }] },
      ],
    });
    const { stdout } = await run(['-', 'deploy/web']);
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /owned by them .*web now, on .* \.spec\.replicas: 3 owned by kustomize-controller \(Flux\), since .*Ways out/,
    );
  });

  test('stacks have their names, Secrets keep their values, and a release of Helm has the owners of the whole object', async () => {
    const own = 'Apply failed with 1 conflict: conflict with "them": .data.a';
    const ofStack = await project.run(['explain', own, 'cm/mine', '-o', 'json']);
    expect(ofStack.events[0]?.now.fields).toMatchObject([{ value: '1', owners: [{ stack: expect.stringMatching(/\/shop$/) }] }]);
    await cluster.apply('team', { ...testEnvironment.ref('v1', 'Secret', 'asked'), data: { password: 'Y29ycmVjdCBob3JzZQ==' } });
    const ofSecret = await project.run(['explain', 'Apply failed with 1 conflict: conflict with "them": .data.password', 'secret/asked']);
    expect(ofSecret.stdout).toMatch(/\.data\.password: .*\n +owned by team/);
    expect(ofSecret.stdout).not.toMatch(/correct horse|Y29ycmVjdCBob3JzZQ/);
    const helm = `Error: Unable to continue with install: Deployment "web" in namespace "${testEnvironment.namespace}" exists and cannot be imported into the current release: invalid ownership metadata; annotation validation error: key "meta.helm.sh/release-name" must equal "shop": current value is "web"`;
    const ofRelease = await project.run(['explain', helm, '-o', 'json']);
    expect(ofRelease.events[0]?.now.owners.map(({ manager }: { manager: string }) => manager)).toEqual(['helm', 'kustomize-controller']);
  });

  test.each([
    { words: ['-', 'deploy/absent'], text: 'absent does not exist on' },
    { words: ['-', 'nonsense/web'], text: 'The cluster was not read: The server serves no kind nonsense' },
    { words: ['-', 'deploy/web', '--offline'], text: 'kubectl could not apply deploy web' },
    { words: ['-'], text: 'kubectl could not apply an object that the text does not name' },
    { words: ['-', 'deploy/web', '-n', 'default'], text: 'Deployment default/web does not exist' },
  ])('$words is explained: $text', async ({ words, text }) => {
    const { stdout, stderr, exitCode } = await run(words);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(text);
    expect(stdout).toContain('Ways out');
    if (words.includes('--offline')) expect(stdout).not.toContain(' now, on ');
  });

  test.each([
    { words: ['-', 'deploy/web', '--offline', '--kube-context', 'other'], code: 'flag-without-use' },
    { words: ['deploy/web', '.spec.replicas', '--offline'], code: 'flag-without-use' },
    { words: ['-', 'deploy/web', '--kube-context', 'nonsense'], code: 'kubeconfig-invalid' },
    { words: ['-', 'deploy/web', '--kubeconfig', 'nowhere'], code: 'kubeconfig-' },
    { words: ['-', 'deploy/web', '--config', 'nowhere.yaml'], code: 'config-' },
  ])('$words is refused: $code', async ({ words, code }) => {
    const { exitCode, stderr, stdout } = await run(words);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`[${code}`);
  });

  test('a cluster that does not answer or forbids is named, and the text is explained; a chosen one is an error', async () => {
    const proxy = await testEnvironment.proxy();
    proxy.onRequest = () => ({
      status: 403,
      body: { kind: 'Status', apiVersion: 'v1', code: 403, reason: 'Forbidden', status: 'Failure', message: 'no' },
    });
    const { stdout, exitCode } = await run(['-', 'deploy/web'], proxy.kubeconfig);
    expect(exitCode).toBe(0);
    expect(stdout.replaceAll('\n', ' ')).toMatch(/The cluster was not read: .*Ways out/);
    const chosen = await run(['-', 'deploy/web', '--kubeconfig', proxy.kubeconfig]);
    expect(chosen.exitCode).not.toBe(0);
    expect(chosen.stdout).toBe('');
  });
});

describe('a message about an object of a stack', () => {
  const manager = () => project.manager('shop');
  const now = async (message: string) => {
    const { stdout, exitCode, stderr } = await project.run(['explain', message]);
    expect([exitCode, stderr]).toEqual([0, '']);
    return stdout.replaceAll(/\s+/g, ' ');
  };

  test('of Helm 4, of a kind of the core group, is read; commands name kind, fields and the manager of the stack', async () => {
    const refused = `Error: INSTALLATION FAILED: conflict occurred while applying object ${testEnvironment.namespace}/mine /v1, Kind=ConfigMap: Apply failed with 1 conflict: conflict with "${manager()}": .data.a`;
    const text = await now(refused);
    expect(text).toContain(`ConfigMap ${testEnvironment.namespace}/mine now, on `);
    expect(text).toContain('.data.a: "1"');
    expect(text).toContain(`fieldwise adopt ConfigMap/mine .data.a --from manager:${manager()}`);
    expect(text).not.toContain('The cluster was not read');
  });

  test('of kubectl: nobody is to go on under the name of a stack', async () => {
    const { stdout } = await project.run(['explain', '-', 'cm/mine'], {
      stdin: `error: Apply failed with 1 conflict: conflict with "${manager()}": .data.a\nPlease review the fields above--they currently have other managers. Here\n`,
    });
    expect(stdout).toContain('kubectl apply --server-side --force-conflicts');
    expect(stdout).not.toContain('--field-manager');
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`fieldwise adopt ConfigMap/mine .data.a --from manager:${manager()}`);
  });

  test('of Helm, which does not take it into a release: the stack is the owner, and no manager of others is adopted', async () => {
    const reasons = `annotation validation error: missing key "meta.helm.sh/release-namespace": must be set to "${testEnvironment.namespace}"`;
    const text = await now(
      `Error: INSTALLATION FAILED: unable to continue with install: ConfigMap "mine" in namespace "${testEnvironment.namespace}" exists and cannot be imported into the current release: invalid ownership metadata; ${reasons}`,
    );
    expect(text).toContain(`owned in part by stack ${manager().replace('fieldwise/', '')}`);
    expect(text).toContain(`Leave the object to stack ${manager().replace('fieldwise/', '')}`);
    expect(text).toContain(`release-namespace=${testEnvironment.namespace} `);
    expect(text).not.toContain('fieldwise adopt --from');
  });
});

test('who may read the object, and no record of a stack, gets its owners by their managers', async () => {
  const rules = [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'list'] }];
  const kubeconfig = await testEnvironment.account('viewer', rules);
  const owners = await project.run(['owners', 'Deployment/web'], { kubeconfig });
  expect([owners.exitCode, owners.stdout.includes('kustomize-controller')], owners.stderr).toEqual([0, true]);
  const field = await project.run(['explain', 'Deployment/web', '.spec.replicas'], { kubeconfig });
  expect([field.exitCode, field.stdout.includes('kustomize-controller')], field.stderr).toEqual([0, true]);
  const stack = await project.run(['owners', 'shop'], { kubeconfig });
  expect(stack.exitCode).toBe(4);
  expect(stack.stderr).toContain('may not list inventories');
  expect(stack.stderr).not.toMatch(/create|update/);
});
