import { ApiObject, Chart } from 'cdk8s';
import { ConfigMap, Deployment } from 'cdk8s-plus-33';
import { Construct } from 'constructs';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { trackingKey } from '../../../src/assembly/tracking-key.js';
import { type App, type ObjectLiteral, own, Stack } from '../../../src/entry/index.js';
import { crdBuilder, crdOf, sharedGateway } from './fixtures/crd-builder.js';
import { synthError, synthesized } from './fixtures/synthesized.js';

function nested(levels: number): object {
  let value = {};
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
}

const configMap = (name: string, data: Record<string, unknown> = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
const web = (app: App) => new Stack(app, 'web', { namespace: 'edge' });

describe('one intent per object and stack', () => {
  it('merges maps, associative lists by their keys, sets, and equal scalars', () => {
    const { objects, intents } = synthesized((app) => {
      const stack = web(app);
      stack.own(
        sharedGateway('public', {
          spec: { class: 'nginx', hosts: ['a'], listeners: [{ port: 80, services: [{ name: 'x', weight: 1 }] }] },
        }),
      );
      const part = new Construct(stack, 'part');
      own(
        part,
        sharedGateway('public', {
          spec: { class: 'nginx', hosts: ['b', 'a'], listeners: [{ port: 443 }, { port: 80, tls: 'no', services: [{ name: 'y' }] }] },
        }),
      );
      stack.own({
        apiVersion: 'edge.example.com/v1',
        kind: 'SharedGateway',
        metadata: { name: 'public', labels: { a: 'b' } },
        spec: { hosts: ['c'] },
      });
    });
    expect(objects('web')).toEqual([
      {
        apiVersion: 'edge.example.com/v1',
        kind: 'SharedGateway',
        metadata: { name: 'public', namespace: 'edge', labels: { a: 'b' } },
        spec: {
          class: 'nginx',
          hosts: ['a', 'b', 'c'],
          listeners: [{ port: 80, services: [{ name: 'x', weight: 1 }, { name: 'y' }], tls: 'no' }, { port: 443 }],
        },
      },
    ]);
    expect(intents('web')[0]?.declaredBy.map(({ construct }) => construct)).toEqual([
      'shop/web/own-SharedGateway-public',
      'shop/web/part/own-SharedGateway-public',
      'shop/web/own-SharedGateway-public-2',
    ]);
  });

  const conflicts: [string, (stack: Stack) => void, string, string[]][] = [
    [
      'a scalar with two values',
      (stack) => [1, 1, 2].forEach((port, index) => void own(new Construct(stack, `p${index}`), configMap('a', { port: String(port) }))),
      'intent-conflict',
      [
        'ConfigMap edge/a',
        '.data.port',
        '"1" by shop/web/p0/own-ConfigMap-a (test/unit/synth/synthesize.test.ts:',
        '"2" by shop/web/p2/own-ConfigMap-a',
      ],
    ],
    [
      'a value inside a list item',
      (stack) => ['no', 'yes'].forEach((tls) => void stack.own(sharedGateway('a', { spec: { listeners: [{ port: 80, tls }] } }))),
      'intent-conflict',
      ['.spec.listeners[port=80].tls', '"no" by', '"yes" by'],
    ],
    [
      'an atomic list with other items',
      (stack) => [['a'], ['a', 'b']].forEach((args) => void stack.own(sharedGateway('a', { spec: { args } }))),
      'intent-conflict',
      ['.spec.args: ["a"] by', '["a","b"] by'],
    ],
    [
      'an atomic map with other members',
      (stack) => [{ a: 'b' }, { c: 'd' }].forEach((selector) => void stack.own(sharedGateway('a', { spec: { selector } }))),
      'intent-conflict',
      ['.spec.selector'],
    ],
    [
      'a list of which nothing is known',
      (stack) => ['a', 'b'].forEach((item) => void stack.own({ ...configMap('a'), list: [item] })),
      'intent-conflict',
      ['.list'],
    ],
    [
      'a secret value, which is not shown',
      (stack) =>
        ['hunter2', 'hunter3'].forEach(
          (p) => void stack.own({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { p } }),
        ),
      'intent-conflict',
      ['.data.p: (masked) by', '(masked) by'],
    ],
    [
      'two apiVersions',
      (stack) =>
        ['v1', 'v1beta1'].forEach((v) => void stack.own({ apiVersion: `edge.example.com/${v}`, kind: 'Route', metadata: { name: 'a' } })),
      'intent-two-versions',
      ['Route edge/a', 'edge.example.com/v1 by shop/web/own-Route-a', 'edge.example.com/v1beta1 by shop/web/own-Route-a-2'],
    ],
    [
      'own and share',
      (stack) => void [stack.own(configMap('a')), stack.share(configMap('a'))],
      'intent-own-and-share',
      ['with `own` by shop/web/own-ConfigMap-a', 'with `share` by shop/web/share-ConfigMap-a'],
    ],
    [
      'two policies',
      (stack) => [5, 6].forEach((waitSeconds) => void stack.share(configMap('a'), { waitSeconds })),
      'policy-conflict',
      ['`waitSeconds`'],
    ],
  ];
  it.each(conflicts)('refuses %s', (_, declare, code, parts) => {
    const error = synthError((app) => declare(web(app)));
    expect(error).toMatchObject({ code });
    for (const part of parts) expect((error as Error & { describe(): string }).describe()).toContain(part);
  });

  it('leaves the same object of another stack, name, namespace or group alone', () => {
    const { manifest } = synthesized((app) => {
      const stack = web(app);
      stack.own(configMap('a', { x: '1' }));
      stack.own({ ...configMap('a', { x: '2' }), metadata: { name: 'a', namespace: 'other' } });
      stack.own({ ...configMap('a'), apiVersion: 'example.com/v1' });
      new Stack(app, 'other', { namespace: 'edge' }).share(configMap('a', { x: '3' }));
    });
    expect(manifest.stacks.map(({ intents }) => intents.length)).toEqual([3, 1]);
  });
});

describe('what is sent', () => {
  it('is what is declared: empties that mean something are kept', () => {
    const declared = { spec: { selfSigned: {}, args: [], selector: {}, listeners: [{ port: 80, tls: '' }], unknown: {} } };
    const { objects, manifest } = synthesized((app) => {
      web(app).own(sharedGateway('a', declared));
      web2(app).own({
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata: { name: 'a' },
        spec: { podSelector: {}, ingress: [{}], egress: [] },
      });
    });
    expect(objects('web')[0]).toMatchObject(declared);
    expect(objects('web2')[0]?.spec).toEqual({ podSelector: {}, ingress: [{}], egress: [] });
    expect(manifest.warnings).toEqual([]);
  });

  it('leaves out empty associative lists and empty maps of free keys, and says so', () => {
    const { objects, manifest } = synthesized((app) => {
      const stack = web(app);
      stack.own(
        sharedGateway('a', {
          metadata: { name: 'a', labels: {} },
          spec: { class: 'x', options: {}, hosts: [], listeners: [{ port: 80, services: [] }] },
        }),
      );
      stack.own(sharedGateway('b', { spec: { listeners: [] } }));
      stack.own({ ...configMap('c'), metadata: { name: 'c', labels: {}, finalizers: [], annotations: { a: 'b' } } });
    });
    expect(objects('web')).toEqual([
      {
        apiVersion: 'edge.example.com/v1',
        kind: 'SharedGateway',
        metadata: { name: 'a', namespace: 'edge' },
        spec: { class: 'x', listeners: [{ port: 80 }] },
      },
      // Nothing is left of it: the mark of the stack is.
      {
        apiVersion: 'edge.example.com/v1',
        kind: 'SharedGateway',
        metadata: {
          name: 'b',
          namespace: 'edge',
          annotations: { [trackingKey('fieldwise/shop/default/web')]: 'shop/default/web' },
        },
      },
      { ...configMap('c'), metadata: { name: 'c', namespace: 'edge', annotations: { a: 'b' } } },
    ]);
    expect(manifest.warnings.map(({ code, object, field }) => [code, object, field])).toEqual([
      ['empty-map-dropped', 'SharedGateway edge/a', '.metadata.labels'],
      ['empty-map-dropped', 'SharedGateway edge/a', '.spec.options'],
      ['empty-list-dropped', 'SharedGateway edge/a', '.spec.hosts'],
      ['empty-list-dropped', 'SharedGateway edge/a', '.spec.listeners[port=80].services'],
      ['empty-list-dropped', 'SharedGateway edge/b', '.spec.listeners'],
      ['empty-map-dropped', 'ConfigMap edge/c', '.metadata.labels'],
      ['empty-list-dropped', 'ConfigMap edge/c', '.metadata.finalizers'],
    ]);
  });

  it('gets the namespace of its stack, unless it names one or is cluster-scoped', () => {
    const clusterGateway = crdBuilder(crdOf('ClusterGateway', { type: 'object' }, 'Cluster'));
    const { intents } = synthesized((app) => {
      const stack = web(app);
      stack.own(configMap('a'));
      stack.own({ ...configMap('a'), metadata: { name: 'a', namespace: 'own' } });
      stack.own(sharedGateway('g'));
      stack.own(clusterGateway('c'));
      for (const [apiVersion, kind] of [
        ['v1', 'Namespace'],
        ['rbac.authorization.k8s.io/v1', 'ClusterRole'],
        ['apiextensions.k8s.io/v1', 'CustomResourceDefinition'],
      ])
        stack.own({ apiVersion, kind, metadata: { name: 'n' } } as ObjectLiteral);
      stack.own({ apiVersion: 'example.com/v1', kind: 'Namespace', metadata: { name: 'n' } });
    });
    expect(intents('web').map(({ kind, namespace }) => [kind, namespace])).toEqual([
      ['ConfigMap', 'edge'],
      ['ConfigMap', 'own'],
      ['SharedGateway', 'edge'],
      ['ClusterGateway', undefined],
      ['Namespace', undefined],
      ['ClusterRole', undefined],
      ['CustomResourceDefinition', undefined],
      ['Namespace', 'edge'],
    ]);
  });

  it("is a Secret's data instead of its stringData", () => {
    const { objects } = synthesized((app) =>
      web(app).own({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 's' },
        data: { a: 'YQ==', b: 'Yg==' },
        stringData: { b: 'ü', c: '' },
      }),
    );
    expect(objects('web')[0]).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's', namespace: 'edge' },
      data: { a: 'YQ==', b: 'w7w=', c: '' },
    });
  });

  it('has the labels of its stack where the stack owns it', () => {
    const { objects } = synthesized((app) => {
      const stack = new Stack(app, 'web', { labels: { team: 'a', tier: 'b' } });
      stack.own({ ...configMap('a'), metadata: { name: 'a', labels: { tier: 'own' } } });
      stack.share(configMap('b'));
    });
    expect(objects('web').map(({ metadata }) => metadata.labels)).toEqual([{ team: 'a', tier: 'own' }, undefined]);
  });

  it('comes from cdk8s and cdk8s-plus constructs too, as own, without what only the server sets', () => {
    const { objects, intents } = synthesized((app) => {
      const chart = new Chart(app, 'web', { namespace: 'edge', labels: { team: 'a' } });
      new ConfigMap(chart, 'config', { metadata: { name: 'config' }, data: { a: 'b' } });
      new Deployment(chart, 'app', { metadata: { name: 'app' }, containers: [{ image: 'nginx' }] });
      const imported = { creationTimestamp: null, resourceVersion: '1', uid: 'u', managedFields: [], name: 'role' } as never;
      new ApiObject(chart, 'role', {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: imported,
        status: { a: 1 },
        rules: [],
      });
    });
    expect(
      intents('web').map(({ lifecycle, kind, namespace, declaredBy }) => [lifecycle, kind, namespace, declaredBy[0]?.construct]),
    ).toEqual([
      ['own', 'ConfigMap', 'edge', 'shop/web/config/Resource'],
      ['own', 'Deployment', 'edge', 'shop/web/app/Resource'],
      ['own', 'ClusterRole', undefined, 'shop/web/role'],
    ]);
    expect(objects('web')[0]).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'config', namespace: 'edge', labels: { team: 'a' } },
      immutable: false,
      data: { a: 'b' },
    });
    expect(objects('web')[2]).toEqual({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'role', labels: { team: 'a' } },
      rules: [],
    });
  });

  it('has apiVersion, kind, name and namespace first, the rest as declared', () => {
    const { files } = synthesized((app) => {
      web(app).own({ zeta: 1, data: {}, metadata: { annotations: { b: 'c' }, name: 'a' }, kind: 'ConfigMap', apiVersion: 'v1', alpha: 2 });
    });
    expect(files.get('web.json')).toBe(
      '[\n{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"edge","annotations":{"b":"c"}},"zeta":1,"data":{},"alpha":2}\n]\n',
    );
  });
});

describe('mistakes of a program', () => {
  const cases: [string, unknown, string, string][] = [
    ['no name', { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} }, 'intent-without-name', 'ConfigMap has no metadata.name'],
    [
      'generateName',
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'a-' } },
      'intent-without-name',
      'generateName does not do',
    ],
    [
      'a number as the name',
      { ...configMap('a'), metadata: { name: 123 } },
      'intent-invalid',
      'The name of ConfigMap is the number 123, not a text (.metadata.name)',
    ],
    ['a list as the name', { ...configMap('a'), metadata: { name: ['a'] } }, 'intent-invalid', 'is a list, not a text (.metadata.name)'],
    [
      'a number as the namespace',
      { ...configMap('a'), metadata: { name: 'a', namespace: 12 } },
      'intent-invalid',
      'Quote it: `namespace: "12"`.',
    ],
    ['a boolean as the kind', { ...configMap('a'), kind: true }, 'intent-invalid', 'The kind of the intent is true, not a text (.kind)'],
    ['null as the name', { ...configMap('a'), metadata: { name: null } }, 'intent-without-name', 'ConfigMap has no metadata.name'],
    ['no apiVersion', { kind: 'ConfigMap', metadata: { name: 'a' } }, 'intent-without-kind', 'no apiVersion'],
    ['neither', { metadata: { name: 'a' } }, 'intent-without-kind', 'no apiVersion and no kind'],
    [
      'a wrong apiVersion',
      { apiVersion: 'a/b/c', kind: 'X', metadata: { name: 'a' } },
      'intent-invalid',
      'neither `version` nor `group/version`',
    ],
    ['metadata of the server', { ...configMap('a'), metadata: { name: 'a', uid: 'u' } }, 'intent-invalid', '(.metadata.uid)'],
    [
      'a namespace on a cluster-scoped kind',
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a', namespace: 'b' } },
      'intent-invalid',
      'is cluster-scoped',
    ],
    ['an empty namespace', { ...configMap('a'), metadata: { name: 'a', namespace: '' } }, 'intent-invalid', 'is ""'],
    ['a function', configMap('a', { f: () => 1 }), 'intent-invalid', 'A function cannot be sent to a cluster (.data.f).'],
    ['a Date', configMap('a', { list: [new Date(0)] }), 'intent-invalid', '(.data.list[0])'],
    ['NaN', configMap('a', { n: Number.NaN }), 'intent-invalid', 'The number NaN'],
    [
      'half a character',
      configMap('a', { s: '\ud800' }),
      'intent-invalid',
      'A string that is not valid Unicode cannot be sent to a cluster (.data.s).',
    ],
    ['half a character in a name', configMap('a', { '\udc00': 'x' }), 'intent-invalid', 'A name that is not valid Unicode'],
    ['a hole in a list', configMap('a', { list: [undefined] }), 'intent-invalid', 'An undefined list item'],
    ['20,000 levels', configMap('a', { deep: nested(20_000) }), 'intent-invalid', 'An object of more than 1000 levels'],
  ];
  it.each(cases)('%s is told with construct and source', (_, literal, code, message) => {
    const error = synthError((app) => web(app).own(literal as ObjectLiteral)) as Error & { describe(): string };
    expect(error).toMatchObject({ code, kind: 'usage' });
    expect(error.describe()).toContain(message);
    expect(error.describe()).toMatch(/declared by shop\/web\/own\S* \(test\/unit\/synth\/synthesize\.test\.ts:\d+:\d+\)/);
  });

  it('are told all at once', () => {
    vi.stubEnv('FIELDWISE_PROJECT_DIR', process.cwd()); // as of the command line, which names no app by package.json
    onTestFinished(() => void vi.unstubAllEnvs());
    const error = synthError((app) => {
      const stack = web(app);
      stack.own({ kind: 'ConfigMap' } as never);
      stack.own(configMap(''));
      stack.own(configMap('a', { x: '1' }));
      stack.own(configMap('a', { x: '2' }));
    }, {});
    expect(error).toMatchObject({ code: 'synth-failed' });
    expect((error.cause as AggregateError).errors.map(({ code }) => code)).toEqual([
      'app-without-name',
      'intent-without-kind',
      'intent-without-name',
      'intent-conflict',
    ]);
    expect(error.message).toContain('has 4 errors');
    expect(error.message).toContain("new App({ name: 'shop' })");
  });

  it('include what constructs find wrong with themselves', () => {
    const error = synthError((app) => new Construct(app, 'part').node.addValidation({ validate: () => ['it is incomplete'] }));
    expect(error).toMatchObject({ code: 'construct-invalid', message: 'it is incomplete', location: { construct: 'shop/part' } });
  });
});

describe('policies', () => {
  it('are those of the nearest level, member by member', () => {
    const { intents } = synthesized(
      (app) => {
        const outer = new Stack(app, 'outer', { policy: { conflicts: 'fail', fields: { 'spec.class': { conflicts: 'force' } } } });
        const stack = new Stack(outer, 'inner', { policy: { deletePropagation: 'Orphan' } });
        stack.own(sharedGateway('a'), { deleteExisting: true, fields: { 'spec.class': { conflicts: 'yield' } } });
        new Stack(app, 'bare').share(configMap('b'), { conflicts: 'yield' });
      },
      { name: 'shop', policy: { waitSeconds: 5, conflicts: 'yield', fields: { metadata: { conflicts: 'fail' } } } },
    );
    expect(intents('outer/inner')[0]?.policy).toEqual({
      conflicts: 'fail',
      waitSeconds: 5,
      wait: { seconds: 300 },
      ifAbsent: 'wait',
      adopt: true,
      deletePropagation: 'Orphan',
      fields: { '.metadata': { conflicts: 'fail' }, '.spec.class': { conflicts: 'yield' } },
    });
    expect(intents('bare')[0]?.policy).toMatchObject({ conflicts: 'yield', waitSeconds: 5, deletePropagation: 'Background' });
  });

  it.each([
    'spec.class',
    'spec.listeners[port=80].services[name="x"].weight',
    'spec.options.a.b/c',
    'metadata.labels.app.kubernetes.io/name',
    'spec.selfSigned.any.thing',
  ])('may name %s', (path) => {
    const { intents } = synthesized((app) => web(app).own(sharedGateway('a'), { fields: { [path]: { conflicts: 'yield' } } }));
    expect(Object.keys(intents('web')[0]?.policy.fields ?? {})).toEqual([`.${path}`]);
  });

  it.each(['spec.klass', 'spec.class.x', 'spec.listeners.port', 'spec.listeners[port=80].nope', 'class'])('may not name %s', (path) => {
    const error = synthError((app) => web(app).own(sharedGateway('a'), { fields: { [path]: { conflicts: 'yield' } } }));
    expect(error).toMatchObject({ code: 'policy-invalid', message: `The policy names .${path}, but SharedGateway has no such field` });
  });
});

describe('the files', () => {
  it('say the same in YAML and JSON, with where it was declared and how kubectl applies it', () => {
    const { files, objects, manifest } = synthesized((app) => {
      const stack = web(app);
      stack.own(configMap('a', { 'run.sh': 'set -e\n\nexec true\n', on: 'yes' }));
      stack.share(configMap('b'));
      new Stack(app, 'empty');
    });
    const yaml = files.get('web.yaml') ?? '';
    expect(parseAllDocuments(yaml, { version: '1.1' }).map((document) => (document as { toJS(): unknown }).toJS())).toEqual(objects('web'));
    expect(yaml).toMatch(/^# Stack web of app shop, instance default\..*\n# Field manager: fieldwise\/shop\/default\/web\n/);
    expect(yaml).toContain('# kubectl apply --server-side --field-manager fieldwise/shop/default/web -f web.yaml\n');
    expect(yaml).toMatch(
      /---\n# share: shop\/web\/share-ConfigMap-b \(test\/unit\/synth\/synthesize\.test\.ts:\d+:\d+\)\napiVersion: v1\n/,
    );
    expect(files.get('empty.json')).toBe('[]\n');
    expect(manifest.stacks.map(({ prune }) => prune)).toEqual([false, false]);
  });

  it('are the same for the same program', () => {
    const program = (app: App) => {
      for (const name of ['b', 'a'])
        new Stack(app, name).own(configMap('a', { [name]: 'x', z: '1' }), { fields: { data: { conflicts: 'fail' } } });
    };
    const [first, second] = [synthesized(program), synthesized(program)];
    expect([...second.files]).toEqual([...first.files]);
    expect(JSON.stringify(second.manifest)).toBe(JSON.stringify(first.manifest));
  });

  it.each(['constructor', 'toString', '__proto__'])('a stack cannot be named %s', (name) => {
    expect(() => synthesized((app) => new Stack(app, name))).toThrow(/cannot be named/);
  });

  it('have names of their own for stacks of any name', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(
          fc.oneof(
            fc.string({ minLength: 1 }).filter((name) => !(name in Object.prototype) && !name.includes('/')),
            fc.constantFrom('Web', 'web', 'WEB', 'a--b', 'a.b', 'manifest', 'con', '.', '..', 'x'.repeat(300)),
          ),
        ),
        (names) => {
          const { files, manifest } = synthesized((app) => {
            for (const name of names) new Stack(app, name);
          });
          const paths = [...files.keys()];
          expect(new Set(paths.map((path) => path.toLowerCase())).size).toBe(manifest.stacks.length * 2);
          for (const path of paths) expect(path).toMatch(/^[a-z0-9][a-z0-9._~-]{0,110}\.(json|yaml)$/);
        },
      ),
      { numRuns: 50 },
    );
  });
});

function web2(app: App): Stack {
  return new Stack(app, 'web2', { namespace: 'edge' });
}
