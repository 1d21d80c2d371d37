import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiObject, App as Cdk8sApp, Chart, Helm, Include, JsonPatch } from 'cdk8s';
import { ConfigMap, Deployment, Secret } from 'cdk8s-plus-33';
import { afterAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type App, acknowledge, Stack } from '../../../src/entry/index.js';
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

/** Synthesizes what an Include makes of a text. */
function including(text: string) {
  const url = join(directory, 'included.yaml');
  writeFileSync(url, text);
  const result = synthesized((app) => void new Include(web(app), 'chart', { url }));
  const altered = result.warnings('include-altered').map(({ message, object }) => [object, message.replace(url, 'included.yaml')]);
  return { ...result, altered };
}

describe('Lists in included YAML', () => {
  const config = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'edge' }, data: { k: 'v' } });

  it.each([
    ['a List', 'apiVersion: v1\nkind: List\nitems:\n- { apiVersion: v1, kind: ConfigMap, metadata: { name: a }, data: { k: v } }\n', ['a']],
    [
      'a List in a List, beside another document',
      'kind: List\nitems:\n- kind: List\n  items: [{ apiVersion: v1, kind: ConfigMap, metadata: { name: a }, data: { k: v } }]\n- { apiVersion: v1, kind: ConfigMap, metadata: { name: b }, data: { k: v } }\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: c }\ndata: { k: v }\n',
      ['a', 'b', 'c'],
    ],
    [
      'a typed list, whose items say no kind',
      'apiVersion: v1\nkind: ConfigMapList\nitems:\n- { metadata: { name: a }, data: { k: v } }\n',
      ['a'],
    ],
    ['items: null', 'apiVersion: v1\nkind: List\nitems: null\n---\napiVersion: v1\nkind: ConfigMapList\nitems: null\n', []],
  ])('%s', (_, text, names) => {
    expect(including(text).objects('web')).toEqual(names.map(config));
  });

  it('items get the labels of the stack, and come after what their List comes after', () => {
    const url = join(directory, 'list.yaml');
    writeFileSync(
      url,
      'kind: List\nitems:\n- { apiVersion: v1, kind: ConfigMap, metadata: { name: a } }\n- { apiVersion: v1, kind: ConfigMap, metadata: { name: b } }\n',
    );
    const { intents, objects } = synthesized((app) => {
      const stack = new Stack(app, 'web', { namespace: 'edge', labels: { team: 'x' } });
      const first = stack.own({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'z' } });
      new Include(stack, 'chart', { url }).node.addDependency(first);
    });
    expect(objects('web').map(({ metadata }) => [metadata.name, metadata.labels])).toEqual([
      ['z', { team: 'x' }],
      ['a', { team: 'x' }],
      ['b', { team: 'x' }],
    ]);
    expect(intents('web').map(({ dependsOn }) => dependsOn)).toEqual([[], [0], [0]]);
  });
});

describe('what the reader of included YAML alters', () => {
  it.each([
    [
      'a whole number beyond 2^53',
      'limit: 9007199254740993',
      'the number 9007199254740993 is read as 9007199254740992: JavaScript has no exact whole numbers beyond 2^53; if it is a string, write it in quotes',
    ],
    ['a key that is a boolean', 'n: x', 'the key n is read as "false", its value in YAML 1.1; write it in quotes'],
    ['a key that is a number', '1.10: x', 'the key 1.10 is read as "1.1", its value in YAML 1.1; write it in quotes'],
    ['a time of day', 'port: 22:22', '22:22 is read as the number 1342, a time of day in YAML 1.1; write it in quotes'],
    ['a date', 'day: 2024-01-02', '2024-01-02 is read as the time 2024-01-02T00:00:00.000Z; write it in quotes'],
  ])('%s is a warning with its line', (_, line, what) => {
    const { altered } = including(
      `# a comment\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata:\n  other: x\n  ${line}\n`,
    );
    expect(altered).toEqual([['ConfigMap edge/a', `included.yaml:8: ${what}.`]]);
  });

  it('what kubectl reads alike, or is in quotes, is not', () => {
    const data = [
      'mode: 0775',
      'flag: y',
      '"n": x',
      'exact: 9007199254740992',
      'text: "9007199254740993"',
      '"1.10": x',
      'true: x',
      '80: x',
      'day: "2024-01-02"',
    ];
    expect(
      including(`apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata:\n${data.map((line) => `  ${line}\n`).join('')}`).altered,
    ).toEqual([]);
  });
});

describe('a status', () => {
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a', namespace: 'edge' }, spec: { sessionAffinity: 'None' } };
  const status = { loadBalancer: { ingress: [{ ip: '10.0.0.1' }] } };

  it.each<[string, (stack: Stack) => void, string[]]>([
    ['in a literal', (stack) => void stack.own({ ...service, status }), ['shop/web/own-Service-a']],
    ['in a literal, without a value', (stack) => void stack.own({ ...service, status: {} }), ['shop/web/own-Service-a']],
    ['in an ApiObject', (stack) => void new ApiObject(stack, 'x', { ...service, status } as never), ['shop/web/x']],
    [
      'in an ApiObject, without a value',
      (stack) => void new ApiObject(stack, 'x', { ...service, status: { loadBalancer: {} } } as never),
      [],
    ],
    [
      'put in by a patch',
      (stack) => new ApiObject(stack, 'x', service as never).addJsonPatch(JsonPatch.add('/status', status)),
      ['shop/web/x'],
    ],
  ])('%s is left out, and a warning where it says something', (_, declare, constructs) => {
    const { objects, warnings } = synthesized((app) => declare(web(app)));
    expect(objects('web')).toEqual([service]);
    expect(warnings('status-omitted').map(({ construct, field }) => [construct, field])).toEqual(
      constructs.map((path) => [path, '.status']),
    );
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
