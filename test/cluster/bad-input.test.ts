import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { configMapHelpers } from '../harness/config-map-helpers.js';
import type { RunResult } from '../harness/fieldwise.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('bad-input');

const { config } = configMapHelpers(testEnvironment);

const leases = { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update', 'delete'] };

/** The error of a command: one paragraph with a code, and no stack trace. */
function paragraph({ stderr }: RunResult): string {
  const errors = stderr.split('\n').filter((line) => line.startsWith('error: '));
  expect(errors, stderr).toHaveLength(1);
  expect(errors[0]).toMatch(/\[[a-z-]+\]$/);
  expect(stderr).not.toMatch(/^\s+at /m);
  return errors[0]!;
}

describe('import', () => {
  const deployment = 'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n';
  const crdWithout =
    'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: x.example.com\nspec:\n  group: example.com\n';

  test.each([
    { what: 'a CRD that is not one', files: { 'crd.yaml': deployment }, names: ['crd.yaml'] },
    { what: 'a CRD without names and versions', files: { 'crd.yaml': crdWithout }, names: ['crd.yaml'] },
    { what: 'YAML that does not parse', files: { 'crd.yaml': 'a: 1\nb:\n  - c: [1\nd: 2\n' }, names: [/crd\.yaml:[34]/] },
    { what: 'JSON that does not parse', files: { 'crd.json': '{"a": 1,\n"b": [}' }, names: [/crd\.json:2/], file: 'crd.json' },
    { what: 'an empty file', files: { 'crd.yaml': '' }, names: ['crd.yaml'] },
    { what: 'a file that is not there', files: {}, names: ['crd.yaml'] },
  ])('$what: exit code 2, the file named, nothing written', async ({ files, names, file = 'crd.yaml' }) => {
    const project = testEnvironment.project(files as Record<string, string>);
    const result = await project.run(['import', file, '--outdir', 'imports']);
    expect(result.exitCode, result.stderr).toBe(2);
    const error = paragraph(result);
    for (const name of names) expect(error).toMatch(name);
    expect(project.files('.').filter((path) => path.startsWith('imports'))).toEqual([]);
  });
});

describe('configuration', () => {
  test.each([
    { what: 'YAML that does not parse', text: 'app: main.ts\npolicy: [\n', names: /fieldwise\.yaml:[23]/ },
    { what: 'an unknown key', text: 'app: main.ts\nnamspace: x\n', names: /namspace/ },
    { what: 'an unknown policy', text: 'app: main.ts\npolicy:\n  conflicts: maybe\n', names: /fieldwise\.yaml:[23]/ },
    { what: 'a program that is not there', text: 'app: other.ts\n', names: /other\.ts/ },
  ])('$what: exit code 2', async ({ text, names }) => {
    const project = testEnvironment.program({ main: [own(config('a'))] });
    project.write({ 'fieldwise.yaml': text });
    const result = await project.run(['synth']);
    expect(result.exitCode, result.stderr).toBe(2);
    expect(paragraph(result)).toMatch(names);
  });

  test('no configuration and no --app: exit code 2, says what to do', async () => {
    const result = await testEnvironment.project({}).run(['deploy']);
    expect(result.exitCode).toBe(2);
    expect(paragraph(result)).toContain('No program is configured. Pass `-a main.ts`, or set `app: main.ts` in fieldwise.yaml.');
  });

  test.each([['--no-such-flag'], ['-c', 'novalue']])('flags %s %s: exit code 2', async (...flags) => {
    const project = testEnvironment.program({ main: [own(config('a'))] });
    expect((await project.run(['deploy', ...flags])).exitCode).toBe(2);
  });
});

describe('program', () => {
  const header =
    "import { App, Stack } from 'fieldwise';\nimport { configMap } from 'fieldwise/k8s/core/v1';\nconst app = new App();\nconst main = new Stack(app, 'main');\n";
  const programs: [what: string, text: string, names: RegExp][] = [
    ['an intent without a name', `${header}main.own({ apiVersion: 'v1', kind: 'ConfigMap', metadata: {} } as never);\n`, /main\.ts:5/],
    ['an intent without kind', `${header}main.own({ apiVersion: 'v1', metadata: { name: 'a' } } as never);\n`, /main\.ts:5/],
    ['a name that is empty', `${header}main.own(configMap(''));\n`, /main\.ts:5/],
    ['something that is no intent', `${header}main.own(42 as never);\n`, /main\.ts:5/],
    [
      'two values for one path',
      `${header}main.own(configMap('a').withData({ k: '1' }));\nmain.own(configMap('a').withData({ k: '2' }));\n`,
      /main\.ts:5[\s\S]*main\.ts:6/,
    ],
    [
      'own and share of one object',
      `${header}main.own(configMap('a').withData({ k: '1' }));\nmain.share(configMap('a').withData({ j: '2' }));\n`,
      /main\.ts:[56]/,
    ],
    [
      'an unknown field in a literal of a builder',
      `${header}main.own(configMap('a').withMetadata({ lables: {} } as never));\n`,
      /lables[\s\S]*main\.ts:5/,
    ],
    ['a wrong type', `${header}main.own(configMap('a').withData({ k: 1 as never }));\n`, /data[\s\S]*main\.ts:5/],
    ['an unknown policy', `${header}main.own(configMap('a').withData({ k: '1' }), { conflicts: 'maybe' as never });\n`, /main\.ts:5/],
    [
      'a field policy for a path that is not in the schema',
      `${header}main.own(configMap('a').withData({ k: '1' }), { fields: { 'spec.x': { conflicts: 'fail' } } });\n`,
      /spec\.x[\s\S]*main\.ts:5/,
    ],
    ['an error of its own', `${header}throw new Error('the moon is full');\n`, /the moon is full[\s\S]*main\.ts:5/],
    ['a syntax error', `${header}const = 3;\n`, /main\.ts:5/],
    ['no App', `console.log('hello');\n`, /main\.ts/],
    ['an import that is not there', `import './nowhere.js';\n`, /nowhere/],
  ];

  test.each(programs)('%s: exit code 2, the line named, the last assembly untouched', async (_, text, names) => {
    const project = testEnvironment.program({ main: [own(config('before'))] });
    expect((await project.run(['synth'])).exitCode).toBe(0);
    const before = project.files('dist').map((path) => [path, path.includes('.') ? project.read(`dist/${path}`) : '']);
    project.write({ 'main.ts': text });
    const result = await project.run(['deploy']);
    expect(result.exitCode, result.stderr).toBe(2);
    expect(paragraph(result)).toMatch(names);
    expect(project.files('dist').map((path) => [path, path.includes('.') ? project.read(`dist/${path}`) : ''])).toEqual(before);
  });
});

describe('cluster', () => {
  test('a server that is not there: exit code 4, the address named, no object unaccounted for', async () => {
    const port = await new Promise<number>((resolve) => {
      const listener = createServer().listen(0, '127.0.0.1', () => {
        const address = listener.address();
        listener.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
      });
    });
    const kubeconfig = testEnvironment.kubeconfigOf('nobody', { server: `https://127.0.0.1:${port}` });
    const project = testEnvironment.program({ main: [own(config('unreachable'))] }, { kubeconfig });
    for (const command of ['deploy', 'diff', 'list']) {
      const result = await project.run([command]);
      expect(result.exitCode, result.stderr).toBe(4);
      expect(paragraph(result)).toContain(`127.0.0.1:${port}`);
    }
  });

  test('a wrong token: exit code 3', async () => {
    const kubeconfig = testEnvironment.kubeconfigOf('wrong', { token: 'wrong' });
    const result = await testEnvironment.program({ main: [own(config('unauthorized'))] }, { kubeconfig }).run(['deploy']);
    expect(result.exitCode, result.stderr).toBe(3);
    expect(paragraph(result)).toContain('The API server does not accept');
  });

  test.each([
    ['a kubeconfig that is not there', 'absent', undefined],
    ['a kubeconfig that does not parse', 'broken', '{]'],
    ['a kubeconfig without contexts', 'empty', 'apiVersion: v1\nkind: Config\n'],
  ])('%s: exit code 2', async (_, name, text) => {
    const project = testEnvironment.program({ main: [own(config('a'))] });
    if (text !== undefined) project.write({ [name]: text });
    const result = await project.run(['deploy', '--kubeconfig', name]);
    expect(result.exitCode, result.stderr).toBe(2);
    paragraph(result);
  });
});

describe('one object of several: the others are done and every one is in the report', () => {
  const others = ['other-1', 'other-2'];
  const withOthers = (prefix: string, bad: object) =>
    testEnvironment.program({ main: [own(config(`${prefix}-${others[0]}`)), own(bad), own(config(`${prefix}-${others[1]}`))] });

  test.each([
    {
      what: 'an unknown kind',
      bad: { apiVersion: 'nope.example.com/v1', kind: 'Nope', metadata: { name: 'bad' }, spec: { a: 1 } },
      code: 'kind-unknown',
      message: /Nope/,
    },
    {
      what: 'a kind of a group that exists',
      bad: { apiVersion: 'apps/v1', kind: 'Nope', metadata: { name: 'bad' }, spec: { a: 1 } },
      code: 'kind-unknown',
      message: /Nope/,
    },
    {
      what: 'a field that the server does not know',
      bad: { apiVersion: 'v1', kind: 'Service', metadata: { name: 'bad' }, spec: { prots: [{ port: 80 }] } },
      code: 'field-unknown',
      message: /\.spec\.prots/,
    },
    {
      what: 'a value that is not valid',
      bad: { apiVersion: 'v1', kind: 'Service', metadata: { name: 'bad' }, spec: { ports: [{ port: 80_000 }] } },
      code: 'invalid',
      message: /\.spec\.ports\[0\]\.port/,
    },
    {
      what: 'an unknown field',
      bad: { apiVersion: 'v1', kind: 'Service', metadata: { name: 'bad' }, spec: { port: 80 } },
      code: 'field-unknown',
      message: /\.spec\.port/,
    },
    {
      what: 'a namespace that is not there',
      bad: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'bad', namespace: 'not-there' }, data: {} },
      code: 'namespace-missing',
      message: /not-there/,
    },
    {
      what: 'a key that the server refuses',
      bad: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'bad-key' }, data: { 'no key': '' } },
      code: 'invalid',
      message: /no key/,
    },
  ])('$what → $code', async ({ what, bad, code, message }) => {
    const prefix = what.replaceAll(/\W+/g, '-');
    const project = withOthers(prefix, bad);
    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(4);
    expect(report.objects).toHaveLength(3);
    expect(report.only(bad.metadata.name)).toMatchObject({
      result: 'failed',
      error: { code, message: expect.stringMatching(message), next: expect.any(String) },
      declaredBy: [{ construct: expect.stringContaining('main/own-'), source: expect.stringMatching(/^main\.ts:5/) }],
    });
    for (const other of others)
      expect(await testEnvironment.cluster.find(testEnvironment.ref('v1', 'ConfigMap', `${prefix}-${other}`))).toBeDefined();
    expect(report.summary).toMatchObject({ ok: false, exitCode: 4, counts: { created: 2, failed: 1 } });

    // The same for people.
    const { stdout } = await project.run(['deploy', '--yes']);
    expect(stdout).toMatch(/main\/own-.*\(main\.ts:5/);
    expect(stdout).toContain(`[${code}]`);
  });

  test('a forbidden verb', async () => {
    const kubeconfig = await testEnvironment.account('limited', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['*'] }, leases]);
    const project = withOthers('forbidden', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'bad' }, data: { a: 'MQ==' } });
    const report = await project.deploy([], { kubeconfig });
    expect(report.exitCode, String(report)).toBe(4);
    expect(report.only('Secret')).toMatchObject({
      result: 'failed',
      error: { code: 'forbidden', message: expect.stringMatching(/secrets/), status: { code: 403 } },
    });
    for (const other of others)
      expect(await testEnvironment.cluster.find(testEnvironment.ref('v1', 'ConfigMap', `forbidden-${other}`))).toBeDefined();
  });

  test('no right to the inventory: nothing is applied at all', async () => {
    const kubeconfig = await testEnvironment.account('no-inventory', [{ apiGroups: [''], resources: ['services'], verbs: ['*'] }, leases]);
    const project = testEnvironment.program({
      main: [own({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'unlisted' }, spec: { ports: [{ port: 80 }] } })],
    });
    const result = await project.run(['deploy'], { kubeconfig });
    expect(result.exitCode, result.stderr).toBe(4);
    expect(result.stderr).toMatch(
      /may not get configmaps named \S+\. Missing in namespace \S+: list, get, create, patch, update, delete configmaps; patch leases\. .*`fieldwise rbac`.*\[inventory-forbidden\]/,
    );
    expect(await testEnvironment.cluster.find(testEnvironment.ref('v1', 'Service', 'unlisted'))).toBeUndefined();
  });

  test.each([
    ['answers nothing and closes', 'drop' as const],
    [
      'fails within',
      {
        status: 500,
        body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'InternalError', message: 'etcd is on fire', code: 500 },
      },
    ],
    ['answers with a page', { status: 502, body: '<html>bad gateway</html>' }],
  ])('the server %s', async (what, answer) => {
    const prefix = `server-${what.replaceAll(/\W+/g, '-')}`;
    const proxy = await testEnvironment.proxy();
    proxy.onRequest = ({ method, path }) => (method === 'PATCH' && path.endsWith(`/${prefix}-bad`) ? answer : undefined);
    const report = await withOthers(prefix, config(`${prefix}-bad`)).deploy([], { kubeconfig: proxy.kubeconfig });
    expect(report.exitCode, String(report)).toBe(4);
    expect(report.objects).toHaveLength(3);
    expect(report.only(`${prefix}-bad`).result).toBe('failed');
    for (const other of others) expect(report.only(`${prefix}-${other}`).result).toBe('created');
  });

  test('a busy server that asks to wait is asked again', async () => {
    const proxy = await testEnvironment.proxy();
    let busy = 2;
    proxy.onRequest = ({ method, path }) =>
      method === 'PATCH' && path.endsWith('/busy-bad') && busy-- > 0
        ? {
            status: 429,
            body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'TooManyRequests', code: 429 },
            headers: { 'retry-after': '1' },
          }
        : undefined;
    const report = await withOthers('busy', config('busy-bad')).deploy([], { kubeconfig: proxy.kubeconfig });
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only('busy-bad').result).toBe('created');
    const applies = proxy.requestsFor('busy-bad').filter(({ method }) => method === 'PATCH');
    expect(applies.map(({ status }) => status)).toEqual([429, 429, 201]);
  });
});
