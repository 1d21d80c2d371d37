import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiObject, App as Cdk8sApp, Chart, Helm, Include } from 'cdk8s';
import { ConfigMap, Deployment, Secret } from 'cdk8s-plus-33';
import { afterAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type App, acknowledge, Stack } from '../../../src/index.js';
import { synthError, synthesized } from './fixtures/synthesized.js';

const directory = mkdtempSync(join(tmpdir(), 'fieldwise-cdk8s-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const rendered = `apiVersion: v1
kind: Secret
metadata:
  name: settings
  uid: 5f5d4c9e
  resourceVersion: "12"
  generation: 3
  selfLink: /api/v1/secrets/settings
  creationTimestamp: null
  managedFields: []
data: { a: YQ==, b: Yg== }
stringData: { b: changed }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec: { template: { metadata: { creationTimestamp: null } } }
status: { replicas: 1 }
---
apiVersion: v1
kind: Pod
metadata:
  name: smoke
  annotations: { helm.sh/hook: test }
`;
const file = join(directory, 'rendered.yaml');
writeFileSync(file, rendered);
const helm = join(directory, 'helm');
writeFileSync(helm, `#!/bin/sh\ntest "$1" = template || exit 1\ncat '${file}'\n`);
chmodSync(helm, 0o755);

const web = (app: App) => new Stack(app, 'web', { namespace: 'edge' });
const sources: [string, (stack: Stack) => Include][] = [
  ['Include', (stack) => new Include(stack, 'chart', { url: file })],
  ['Helm, with a stand-in for its command', (stack) => new Helm(stack, 'chart', { chart: 'x', helmExecutable: helm })],
];

describe('a CustomResourceDefinition with a description of sentences at every field', () => {
  const sentences =
    'The reference to the issuer of this certificate, e.g. a ClusterIssuer (see https://example.com/docs/issuers/), or an Issuer of the ' +
    'same namespace. If the `kind` is not set, an Issuer is looked for, with a name that is at most 253 characters long.\nIt cannot be ' +
    'changed afterwards';
  const fields = (depth: number): object =>
    Object.fromEntries(
      Array.from({ length: 6 }, (_, index) => [
        `field${index}`,
        { description: `${sentences} ${index},`, type: 'object', ...(depth > 0 ? { properties: fields(depth - 1) } : {}) },
      ]),
    );
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'certificates.example.com' },
    spec: {
      group: 'example.com',
      names: { kind: 'Certificate', plural: 'certificates' },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: fields(3) } } }],
    },
  };

  it('is included as it is, in JSON and in YAML', () => {
    const url = join(directory, 'definition.yaml');
    writeFileSync(url, JSON.stringify(definition));
    const { objects, files } = synthesized((app) => void new Include(web(app), 'crds', { url }));
    expect(objects('web')).toEqual([definition]);
    const [yaml] = [...files].filter(([name]) => name.endsWith('.yaml')).map(([, text]) => text);
    expect(parseAllDocuments(yaml ?? '').map((document) => document.toJS())).toEqual([definition]);
  });
});

describe.each(sources)('%s', (_, include) => {
  it('gives intents without what the server sets, stringData as data, and Helm hooks left out and listed', () => {
    const { objects, warnings } = synthesized((app) => include(web(app)));
    expect(objects('web')).toEqual([
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'settings', namespace: 'edge' }, data: { a: 'YQ==', b: 'Y2hhbmdlZA==' } },
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'edge' }, spec: { template: { metadata: {} } } },
    ]);
    expect(warnings('helm-hook-skipped').map(({ object, construct }) => [object, construct])).toEqual([
      ['Pod edge/smoke', 'shop/web/chart/smoke-pod'],
    ]);
  });

  it('has its hooks applied, refused or acknowledged where the program says so', () => {
    const with_ = (choice: string) => (app: App) => {
      app.node.setContext('helmHooks', choice);
      include(web(app));
    };
    expect(synthesized(with_('apply')).intents('web')).toHaveLength(3);
    expect(synthError(with_('refuse'))).toMatchObject({ code: 'helm-hook-refused' });
    expect(synthError(with_('maybe'))).toMatchObject({ code: 'construct-invalid' });
    const { warnings } = synthesized((app) => acknowledge(include(web(app)), 'helm-hook-skipped', 'tests run elsewhere'));
    expect(warnings('helm-hook-skipped')).toEqual([]);
  });
});

it('an object of a kind that is cluster-scoped by a CustomResourceDefinition of the app gets no namespace', () => {
  const crd = (scope: string, kind: string) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${kind.toLowerCase()}s.example.com` },
    spec: { group: 'example.com', scope, names: { kind, plural: `${kind.toLowerCase()}s` } },
  });
  const { intents } = synthesized((app) => {
    const stack = web(app);
    for (const [scope, kind] of [
      ['Cluster', 'Region'],
      ['Namespaced', 'Shop'],
    ] as const) {
      new ApiObject(stack, `crd-${kind}`, crd(scope, kind));
      new ApiObject(stack, kind, { apiVersion: 'example.com/v1', kind, metadata: { name: 'x' } });
      new Stack(app, kind.toLowerCase(), { namespace: 'edge' }).own({ apiVersion: 'example.com/v1', kind, metadata: { name: 'y' } });
    }
  });
  const placed = ['web', 'region', 'shop'].flatMap((stack) => intents(stack)).filter(({ apiVersion }) => apiVersion === 'example.com/v1');
  expect(placed.map(({ kind, name, namespace }) => [kind, name, namespace])).toEqual([
    ['Region', 'x', undefined],
    ['Shop', 'x', 'edge'],
    ['Region', 'y', undefined],
    ['Shop', 'y', 'edge'],
  ]);
});

it('a program gives the objects that cdk8s gives, whichever App it is made under', () => {
  const declare = (app: Cdk8sApp) => {
    const chart = new Chart(app, 'web', { namespace: 'edge', labels: { team: 'shop' } });
    const settings = new ConfigMap(chart, 'settings', { data: { a: 'b' } });
    const deployment = new Deployment(chart, 'deployment', { replicas: 2, containers: [{ image: 'nginx', portNumber: 80 }] });
    deployment.node.addDependency(settings);
    deployment.exposeViaService();
    new Secret(chart, 'secret', { type: 'Opaque' });
  };
  const { objects } = synthesized((app) => declare(app));
  const peer = new Cdk8sApp({ outdir: join(directory, 'dist') });
  declare(peer);
  peer.synth();
  const [name] = readdirSync(join(directory, 'dist'));
  const text = readFileSync(join(directory, 'dist', name as string), 'utf8');
  const expected = parseAllDocuments(text).map((document) => (document as { toJS(): { kind: string } }).toJS());
  for (const object of expected) delete (object as { stringData?: unknown }).stringData; // which says nothing, being empty
  const byKind = (list: readonly { readonly kind: string }[]) => [...list].sort((left, right) => (left.kind < right.kind ? -1 : 1));
  expect(byKind(objects('web'))).toEqual(byKind(expected));
});
