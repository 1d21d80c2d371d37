import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { gatewayNamed, ImportProject, sharedGateway } from './import-program.js';
import type { Loopback } from './loopback.js';
import { loopback, tarball } from './loopback.js';

const module = 'imports/edge.example.com/v1.ts';

let project: ImportProject;
let server: Loopback | undefined;
beforeEach(async () => {
  project = await ImportProject.make();
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  await project.remove();
});

test('an address, through a redirect', async () => {
  server = await loopback({ '/crd.yaml': sharedGateway, '/latest': { redirect: '/crd.yaml' } });
  expect((await project.import([`${server.url}/latest`])).stdout).toBe(`${module}: SharedGateway\n`);
});

test('addresses that do not answer, or with an error, name themselves', async () => {
  server = await loopback({});
  await expect(project.import([`${server.url}/none`])).rejects.toMatchObject({
    code: 'source-unreachable',
    message: 'The source cannot be read: the server responded with 404 Not Found',
    location: { server: `${server.url}/none` },
  });
  const gone = server.url;
  await server.close();
  await expect(project.import([`${gone}/crd.yaml`])).rejects.toMatchObject({
    code: 'source-unreachable',
    message: expect.stringContaining('ECONNREFUSED'),
  });
});

test('a file of a repository', async () => {
  server = await loopback({ '/acme/edge/raw/v1.2/config/crd%20s/gw.yaml': sharedGateway });
  const env = { FIELDWISE_GITHUB_URL: server.url };
  expect((await project.import(['github:acme/edge@v1.2/config/crd s/gw.yaml'], { env })).stdout).toBe(`${module}: SharedGateway\n`);
});

test('the CRDs of a repository, whole or below a directory, whatever else it holds', async () => {
  const long = `edge-1/config/crd/${'deep/'.repeat(25)}other.yaml`;
  const archive = tarball({
    'edge-1/README.md': 'kind: CustomResourceDefinition',
    'edge-1/config/crd/gw.yaml': sharedGateway,
    [long]: gatewayNamed('Other'),
    'edge-1/bundle.yaml': `${gatewayNamed('Other')}---\napiVersion: v1\nkind: Service\n`,
    'edge-1/chart/templates/crd.yaml': `kind: CustomResourceDefinition\n{{- if .Values.crds }}\n`,
    'edge-1/values.yaml': '{{ broken',
  });
  server = await loopback({ '/acme/edge/archive/HEAD.tar.gz': archive, '/acme/edge/archive/release/v1.tar.gz': archive });
  const env = { FIELDWISE_GITHUB_URL: `${server.url}/` };
  const whole = await project.import(['github:acme/edge', '-v'], { env });
  expect(whole.stdout).toBe(`${module}: Other, SharedGateway\n`);
  expect(whole.stderr).toContain(
    `github:acme/edge@HEAD/config/crd/${'deep/'.repeat(25)}other.yaml is the same CustomResourceDefinition as github:acme/edge@HEAD/bundle.yaml (document 1)`,
  );
  expect(whole.stderr).toContain(
    'warning: 1 template of a Helm chart declares a CustomResourceDefinition and is not imported: github:acme/edge@HEAD/chart/templates/crd.yaml. ',
  );
  expect(whole.exitCode).toBe(0);
  const below = await project.import(['github:acme/edge@release%2Fv1/config/crd/', '--outdir', 'out'], { env });
  expect(below.stdout).toBe('out/edge.example.com/v1.ts: Other, SharedGateway\n');
  await expect(project.import(['github:acme/edge/nothing'], { env })).rejects.toMatchObject({ code: 'input-missing' });
});

test('a damaged archive is refused', async () => {
  server = await loopback({ '/a/b/archive/v1.tar.gz': tarball({ 'b/crd.yaml': sharedGateway }).subarray(0, 300) });
  const env = { FIELDWISE_GITHUB_URL: server.url };
  await expect(project.import(['github:a/b@v1'], { env })).rejects.toMatchObject({ code: 'source-unreachable' });
});

test.each([
  'github:acme',
  'github:acme/edge@',
  'github:acme/..@v1',
  'github:acme/edge@v1/../../x',
  'github:acme/edge@a b',
  'x:=',
  'a/b:=crd.yaml',
])('%s is no source', async (spec) => {
  await expect(project.import([spec])).rejects.toMatchObject({ code: expect.stringMatching(/^spec-invalid$/) });
});

test('a rendered chart on standard input', async () => {
  const others = ['ConfigMap', 'Service', 'Service', 'Deployment'].map((kind) => `apiVersion: v1\nkind: ${kind}\n`);
  const stdin = `---\n# Source: a chart\n${[...others, sharedGateway].join('---\n')}`;
  const { stdout, stderr } = await project.import(['-'], { stdin });
  expect(stdout).toBe(`${module}: SharedGateway\n`);
  expect(stderr).toContain(
    'note: standard input: skipped 4 documents of other kinds (1 ConfigMap, 1 Deployment, 2 Service) (-v lists them).\n',
  );
  await expect(project.import(['-'], { stdin: '' })).rejects.toMatchObject({ code: 'input-empty', location: { file: 'standard input' } });
});

test('NAME:=SPEC goes before the directories, so that two sources of one group live side by side', async () => {
  await project.put('a.yaml', sharedGateway);
  await project.put('b.yaml', sharedGateway.replace('scope: Namespaced', 'scope: Cluster'));
  const { stdout } = await project.import(['a.yaml', 'next:=b.yaml']);
  expect(stdout).toBe(`${module}: SharedGateway\nimports/next-edge.example.com/v1.ts: SharedGateway\n`);
  expect(await project.read('imports/next-edge.example.com/v1.ts')).toContain('"next-edge.example.com/v1.SharedGateway"');
});

test('imports: of the configuration, read where it stands', async () => {
  await project.put('sub/fieldwise.yaml', 'imports: [crds, "next:=crds/b.yaml", k8s]\n');
  await project.put('sub/crds/b.yaml', sharedGateway);
  const { stdout } = await new ImportProject(`${project.directory}/sub`).import([]);
  expect(stdout).toContain(`${module}: SharedGateway\nimports/next-edge.example.com/v1.ts: SharedGateway\n`);
  expect(stdout).toMatch(/^The built-in API of Kubernetes \d\.\d+ ships/);
  expect(await project.files('sub/imports')).toHaveLength(3);
});

/** A part of a built-in API, with descriptions of a server's own. */
const appsWithProse = {
  openapi: '3.0.0',
  paths: {
    '/apis/apps/v1/namespaces/{namespace}/deployments/{name}': {
      patch: { 'x-kubernetes-group-version-kind': { group: 'apps', version: 'v1', kind: 'Deployment' } },
    },
  },
  components: {
    schemas: {
      'io.k8s.api.apps.v1.Deployment': {
        type: 'object',
        description: 'A Deployment, as this server tells it.',
        properties: {
          spec: { allOf: [{ $ref: '#/components/schemas/io.k8s.api.apps.v1.DeploymentSpec' }], description: 'What is wanted.' },
        },
        'x-kubernetes-group-version-kind': [{ group: 'apps', version: 'v1', kind: 'Deployment' }],
      },
      'io.k8s.api.apps.v1.DeploymentSpec': {
        type: 'object',
        properties: {
          replicas: { type: 'integer', format: 'int32', description: 'How many Pods.' },
          items: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set', description: 'Things.' },
        },
      },
    },
  },
};

/** An API server as far as an import sees it. */
async function apiServer() {
  const gvk = { group: 'metrics.example.com', version: 'v1beta1', kind: 'Reading' };
  const crd = (text: string) => {
    const { apiVersion: _, kind: __, ...rest } = parse(text);
    return { ...rest, metadata: { ...rest.metadata, resourceVersion: '7' }, status: {} };
  };
  server = await loopback({
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions': JSON.stringify({
      kind: 'CustomResourceDefinitionList',
      metadata: {},
      items: [crd(sharedGateway), crd(gatewayNamed('Other')), crd(sharedGateway.replaceAll('edge.example.com', 'far.example.com'))],
    }),
    '/openapi/v3': JSON.stringify({
      paths: {
        'apis/metrics.example.com/v1beta1': { serverRelativeURL: '/openapi/v3/apis/metrics.example.com/v1beta1?hash=X' },
        'apis/apps/v1': { serverRelativeURL: '/openapi/v3/apis/apps/v1?hash=Y' },
      },
    }),
    '/openapi/v3/apis/apps/v1': JSON.stringify(appsWithProse),
    '/openapi/v3/apis/metrics.example.com/v1beta1': JSON.stringify({
      openapi: '3.0.0',
      paths: { '/apis/metrics.example.com/v1beta1/readings/{name}': { patch: { 'x-kubernetes-group-version-kind': gvk } } },
      components: {
        schemas: {
          'com.example.metrics.v1beta1.Reading': {
            type: 'object',
            properties: { value: { type: 'string' } },
            'x-kubernetes-group-version-kind': [gvk],
          },
        },
      },
    }),
  });
  const context = { name: 'test', context: { cluster: 'test', user: 'test' } };
  await project.put(
    'kubeconfig.yaml',
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'test',
      contexts: [context, { ...context, name: 'other' }],
      clusters: [{ name: 'test', cluster: { server: server.url, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'test', user: {} }],
    }),
  );
  return ['--from-cluster', '--kubeconfig', 'kubeconfig.yaml'];
}

test.each([
  ['every CRD', [], [`${module}: Other, SharedGateway`, 'imports/far.example.com/v1.ts: SharedGateway']],
  ['a CRD by name', ['others.edge.example.com'], [`${module}: Other`]],
  ['the CRDs of a group', ['edge.example.com'], [`${module}: Other, SharedGateway`]],
  ['one version of a group', ['far.example.com/v1'], ['imports/far.example.com/v1.ts: SharedGateway']],
  ['a group-version without CRDs', ['metrics.example.com/v1beta1'], ['imports/metrics.example.com/v1beta1.ts: Reading']],
])('a cluster: %s', async (_, words, lines) => {
  const flags = await apiServer();
  const { stdout } = await project.import([...words, ...flags, '--kube-context', 'other']);
  expect(stdout).toBe(lines.map((line) => `${line}\n`).join(''));
});

test('a cluster: what it does not serve', async () => {
  const flags = await apiServer();
  await expect(project.import(['nothing.example.com', ...flags])).rejects.toMatchObject({
    code: 'api-not-served',
    message: 'The cluster does not serve nothing.example.com',
    next: expect.stringContaining('edge.example.com, far.example.com'),
  });
  expect(await project.files('imports')).toEqual([]);
});

test('k8s of a cluster, with the descriptions of its own server', async () => {
  const flags = await apiServer();
  expect((await project.import(['k8s', ...flags])).stdout).toBe('imports/apps/v1.ts: Deployment\n');
  const text = await project.read('imports/apps/v1.ts');
  expect(text).toContain('/** A Deployment, as this server tells it. */\nexport interface DeploymentApply');
  expect(text).toContain('  /** How many Pods. */\n  readonly replicas?: number | undefined;');
  expect(text).toMatch(/Things\.\n +\*\n +\* Set: each value has owners of its own\.\n +\*\/\n +readonly items/);
  // Defaults and links that we know are of the version that ships, and this server may be of another.
  expect(text).not.toMatch(/Default:|Reference/);
  await project.import(['k8s', ...flags, '--no-docs', '--outdir', 'bare']);
  expect(await project.read('bare/apps/v1.ts')).not.toContain('How many Pods.');
});

test('a cluster in imports: of the configuration', async () => {
  await apiServer();
  await project.put('fieldwise.yaml', 'imports: ["cluster:others.edge.example.com"]\nkubeconfig: kubeconfig.yaml\n');
  expect((await project.import([])).stdout).toBe(`${module}: Other\n`);
});

test('k8s with --outdir writes what ships, from its own tables', async () => {
  const { stdout } = await project.import(['k8s@1.36', '--outdir', 'out', '--no-docs']);
  expect(stdout).toContain('out/apps/v1.ts: ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet\n');
  const { readFile } = await import('node:fs/promises');
  for (const path of ['apps/v1.ts', 'core/v1.ts', 'meta/v1.ts', 'apiextensions/v1.ts']) {
    const shipped = await readFile(new URL(`../../../generated/${path}`, import.meta.url), 'utf8');
    const body = (text: string) => text.replace(/^(\/\/.*\n)+/, '').replace(/(import \* as \$ from )'[^']*'/, '$1…');
    expect(body(await project.read(`out/${path}`)), path).toBe(body(shipped));
  }
});

test.each([{ code: 429, after: '0' }, { code: 503, after: '0' }, { code: 503 }])(
  'a server that is busy is asked again: %o',
  async (answer) => {
    server = await loopback({ '/crd.yaml': { busy: 1, ...answer, content: sharedGateway } });
    expect((await project.import([`${server.url}/crd.yaml`])).stdout).toBe(`${module}: SharedGateway\n`);
    expect(server.asked).toHaveLength(2);
  },
);

test('a server that stays busy, or asks for a longer pause, is named with it', async () => {
  server = await loopback({
    '/busy': { busy: 9, code: 429, after: '0', content: '' },
    '/later': { busy: 9, code: 503, after: '120', content: '' },
  });
  const message = 'The source cannot be read: the server responded with';
  await expect(project.import([`${server.url}/busy`])).rejects.toMatchObject({
    message: expect.stringMatching(`${message} 429 Too Many Requests`),
  });
  await expect(project.import([`${server.url}/later`])).rejects.toMatchObject({
    message: `${message} 503 Service Unavailable, and asks for 120 s of patience (Retry-After)`,
  });
  expect(server.asked).toEqual(['/busy', '/busy', '/busy', '/later']);
});
