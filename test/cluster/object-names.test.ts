import { describe, expect, test } from 'vitest';
import { checkName } from '../../src/synth/merge/check-name.js';
import { ApiCallError, type ResponseBody } from '../harness/api-client.js';
import { certificateRequest } from '../harness/certificate-request.js';
import { crdOf } from '../harness/crd.js';
import { poll } from '../harness/poll.js';
import { own, share } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

/** Names that synth refuses are those that the server refuses, for each kind that a program can declare. */
const testEnvironment = await TestEnvironment.create('object-names');
const { cluster, namespace } = testEnvironment;
const group = `${namespace}.example.com`;
const widgets = crdOf(group, 'Widget', { spec: { type: 'object' } });
testEnvironment.removeCrdLater(widgets.metadata.name);

const lengths = [52, 53, 63, 64, 253, 254, 400].map((length) => 'a'.repeat(length));
const names = [
  ...[
    'a',
    'web',
    '1web',
    'a-b',
    'a--b',
    'a.b',
    'a.b-c.d',
    '1.2.3.4',
    '01.2.3.4',
    '1.2.3',
    '::1',
    'fd00::1',
    'fd00::0:1',
    'FD00::1',
    '::ffff:1.2.3.4',
  ],
  ...['v1.example.com', 'v1.', 'things.example.com', 'Things.example.com'],
  ...['A', 'Web', 'a_b', '-a', 'a-', '-', '.a', 'a.', 'a..b', 'a.-b', 'a b', ' a', 'a:b', 'system:a', 'é', 'a\n', '_', '*', 'a?b', 'a+b'],
  ...['.', '..', '...', 'a/b', '/', 'a%b', '%2F', 'a%2Fb'],
  ...lengths,
  `${'a'.repeat(63)}.${'b'.repeat(63)}`,
  'A'.repeat(64),
];

const pod = { containers: [{ name: 'main', image: 'busybox' }], restartPolicy: 'Never' };
/** What lets a server come to the name, or decides on it. */
const bodies: Readonly<Record<string, readonly object[]>> = {
  APIService: [{ spec: { group: 'example.com', version: 'v1' } }],
  CertificateSigningRequest: [{ spec: { request: certificateRequest, signerName: 'example.com/signer', usages: ['client auth'] } }],
  CustomResourceDefinition: [{ spec: { group: 'example.com', names: { plural: 'things', kind: 'Thing' } } }],
  Event: [{ involvedObject: { namespace }, regarding: { namespace } }],
  Job: [
    { spec: { template: { spec: pod } } },
    { spec: { manualSelector: true, selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: pod } } },
  ],
};

async function refusesName(path: string, body: object): Promise<boolean> {
  const call = cluster.client.call('POST', path, { body, query: { dryRun: 'All' } });
  const error = await call.then(
    () => undefined,
    (thrown) => thrown as unknown,
  );
  if (error === undefined) return false;
  if (!(error instanceof ApiCallError)) throw error;
  const causes: readonly ResponseBody[] = error.body.details?.causes ?? [];
  return causes.some(
    ({ field, message }) => field === 'metadata.name' || (field === 'spec.template.labels' && /no more than 63/.test(message)),
  );
}

function synthRefuses(apiVersion: string, kind: string, name: string, body: object): boolean {
  const identity = { apiVersion, kind, name };
  try {
    checkName({ identity, object: { ...body, apiVersion, kind, metadata: { name } }, declared: [] });
    return false;
  } catch (error) {
    expect(error).toMatchObject({ code: 'object-name-invalid' });
    return true;
  }
}

describe('every kind of the server', async () => {
  await cluster.create('definer', widgets);
  await poll('the server serves widgets', () => cluster.serves(`${group}/v1`, 'Widget'));
  const types = (await cluster.types()).filter(({ verbs, apiVersion }) => {
    const isOurs = apiVersion.endsWith('.k8s.io/v1') || !apiVersion.includes('.') || apiVersion === `${group}/v1`;
    return isOurs && verbs.includes('create') && verbs.includes('patch');
  });

  test('is looked at', () => {
    expect(types.length).toBeGreaterThan(55);
    expect(types.map(({ kind }) => kind)).toEqual(expect.arrayContaining([...Object.keys(bodies), 'Widget']));
  });

  test.each(types)('$apiVersion $kind: synth and the server refuse the same names', async ({ apiVersion, kind, plural, namespaced }) => {
    const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
    const path = `${root}/${namespaced ? `namespaces/${namespace}/` : ''}${plural}`;
    const verdicts = (bodies[kind] ?? [{}]).flatMap((body) =>
      names.map(async (name) => {
        const object = { ...body, apiVersion, kind, metadata: { name } };
        return { name, server: await refusesName(path, object), synth: synthRefuses(apiVersion, kind, name, body) };
      }),
    );
    const differing = (await Promise.all(verdicts)).filter(({ server, synth }) => server !== synth);
    expect(differing).toEqual([]);
  });
});

describe('a name that no server takes', () => {
  const config = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

  test.each([
    ['of a ConfigMap', config('Web_1'), 'A ConfigMap cannot be named "Web_1": a lowercase RFC 1123 subdomain must consist of'],
    [
      'of a Service',
      { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a.b' } },
      'A Service cannot be named "a.b": must not contain dots',
    ],
    [
      'of a custom resource',
      { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'a:b' } },
      'A Widget cannot be named "a:b": a lowercase',
    ],
  ])('%s: plan and deploy refuse it before they ask about anything, and nothing changes', async (_, wrong, message) => {
    const project = testEnvironment.program({ main: [own(config('kept')), own(config('gone'))] });
    expect((await project.deploy()).exitCode).toBe(0);
    project.write({ 'main.ts': testEnvironment.text({ main: [own(config('kept')), own(wrong)] }) });
    for (const command of ['diff', 'deploy']) {
      const { exitCode, stderr } = await project.run([command]);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`error: ${message}`)]);
      expect(stderr).toMatch(/declared by .*\/main\/own-\w+-\S+ \(main\.ts:\d+:\d+\)/);
      expect(stderr).toContain('[object-name-invalid]');
      expect(stderr).not.toContain('confirmation required');
    }
    expect(await cluster.find({ ...config('gone'), metadata: { name: 'gone', namespace } })).toBeDefined();
    project.write({ 'main.ts': testEnvironment.text({ main: [own(config('kept'))] }) });
    expect((await project.destroy(['--yes'])).exitCode).toBe(0);
  });

  test('a name with colons, as RBAC has them, is deployed and shared', async () => {
    const role = (name: string) => ({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name } });
    const project = testEnvironment.program({
      main: [own({ ...role('team:reader'), rules: [] })],
      other: [share({ ...role('team:reader'), metadata: { name: 'team:reader', labels: { a: 'b' } } })],
    });
    expect((await project.deploy()).exitCode).toBe(0);
    expect((await project.destroy(['--yes'])).exitCode).toBe(0);
  });
});
