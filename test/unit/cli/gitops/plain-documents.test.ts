import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { plainDocuments } from '../../../../src/cli/gitops/plain-documents.js';
import type { GitopsTool } from '../../../../src/cli/gitops/tools.js';
import { type App, FieldwiseError, fromEnv, fromFile, type Policy, Stack } from '../../../../src/entry/index.js';
import { synthesized } from '../../synth/fixtures/synthesized.js';

const settings = { repoURL: 'https://git.example.com/shop.git', path: 'deploy' };

function documents(tool: GitopsTool, declare: (app: App) => void, props?: Parameters<typeof synthesized>[1]) {
  const { manifest, objects } = synthesized(declare, props);
  const assembly = { manifest, objects: manifest.stacks.map(({ name }) => objects(name)) };
  const { files, lost, stacks } = plainDocuments(assembly, tool, settings);
  const text = (file: string) => files.get(file) ?? `no ${file}`;
  return {
    files,
    stacks,
    lost: lost.map(({ message }) => message),
    text,
    objects: (stack: string) => parseAllDocuments(text(`stacks/${stack}/objects.yaml`)).map((one) => one.toJS()),
    application: (stack: string) => parse(text(`applications/${stack}.yaml`)),
    kustomization: (stack: string) => parse(text(`kustomizations/${stack}.yaml`)),
  };
}

function refusal(tool: GitopsTool, declare: (app: App) => void): string {
  try {
    documents(tool, declare);
  } catch (error) {
    if (error instanceof FieldwiseError) return `${error.describe()} [${error.code}]`;
    throw error;
  }
  throw new Error('nothing was refused');
}

const config = (name: string, data: object = { a: '1' }, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
});
const labels = { app: 'web' };
const web = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'api', image: 'web:1' }] } },
  },
};
const stack = (app: App, name = 'web') => new Stack(app, name, { namespace: 'edge' });
const owning =
  (object: object, policy?: Policy) =>
  (app: App): void => {
    stack(app).own(object as never, policy);
  };
const sharing =
  (object: object, policy?: Policy) =>
  (app: App): void => {
    stack(app).share(object as never, policy);
  };
const pruned = (app: App) => {
  new Stack(app, 'web', { namespace: 'edge', prune: true }).own(config('web') as never);
};
const yielding = (path: string): Policy => ({ fields: { [path]: { conflicts: 'yield' } } });

describe('a field that the program yields', () => {
  const target = { kind: 'Deployment', name: 'web', namespace: 'edge' };

  it.each<[string, Policy, object]>([
    ['a field', yielding('spec.replicas'), { jsonPointers: ['/spec/replicas'] }],
    [
      'a field of a list item, whose name needs no quotes',
      yielding('spec.template.spec.containers[name=api].image'),
      { jqPathExpressions: ['.spec.template.spec.containers[]? | select(.name == "api").image'] },
    ],
    [
      'a field to two managers',
      { fields: { 'spec.replicas': { conflicts: { yield: ['keda', 'hpa'], otherwise: 'fail' } } } },
      { jsonPointers: ['/spec/replicas'] },
    ],
    ['any field to a manager', { conflicts: { yield: ['keda'], otherwise: 'force' } }, { managedFieldsManagers: ['keda'] }],
  ])('becomes a rule of an Application: %s', (_, policy, rule) => {
    const { spec } = documents('argocd', owning(web, policy)).application('web');
    expect(spec.ignoreDifferences).toEqual([{ group: 'apps', ...target, ...rule }]);
    expect(spec.syncPolicy.syncOptions).toContain('RespectIgnoreDifferences=true');
  });

  it.each<[string, object, string, string]>([
    ['a field', web, 'spec.replicas', '/spec/replicas'],
    ['a key with a slash and a tilde', config('web', { 'a/b~c': '1' }), 'data.a/b~c', '/data/a~1b~0c'],
    ['a whole list', web, 'spec.template.spec.containers', '/spec/template/spec/containers'],
  ])('becomes a rule of a Kustomization: %s', (_, object, path, pointer) => {
    const { spec } = documents('flux', owning(object, yielding(path))).kustomization('web');
    expect(spec.ignore).toMatchObject([{ paths: [pointer], target: { name: 'web', namespace: 'edge' } }]);
  });

  it('is matched by its own name alone, since Flux reads expressions', () => {
    const { spec } = documents('flux', owning(config('a.b'), yielding('data.a'))).kustomization('web');
    expect(spec.ignore[0].target).toEqual({ kind: 'ConfigMap', name: 'a\\.b', namespace: 'edge' });
  });

  it('gives no rule where the object does not declare the field, nor where it is yielded to the tool itself', () => {
    const policy: Policy = {
      conflicts: { yield: ['argocd-controller', 'kustomize-controller'], otherwise: 'force' },
      fields: { 'data.other': { conflicts: 'yield' } },
    };
    const { spec } = documents('argocd', owning(config('web'), { fields: policy.fields! })).application('web');
    expect(spec.ignoreDifferences).toBeUndefined();
    expect(spec.syncPolicy.syncOptions).not.toContain('RespectIgnoreDifferences=true');
    const own = (manager: string): Policy => ({ conflicts: { yield: [manager], otherwise: 'force' } });
    expect(documents('argocd', owning(config('web'), own('argocd-controller'))).application('web').spec.ignoreDifferences).toBeUndefined();
    expect(documents('flux', owning(config('web'), own('kustomize-controller'))).kustomization('web').spec.ignore).toBeUndefined();
  });

  const both: readonly GitopsTool[] = ['argocd', 'flux'];
  const gateway = {
    apiVersion: 'example.com/v1',
    kind: 'Gateway',
    metadata: { name: 'web' },
    spec: { listeners: [{ name: 'a', port: 80 }] },
  };
  it.each<[string, readonly GitopsTool[], object, Policy, RegExp]>([
    ['all fields', both, web, { conflicts: 'yield' }, /Deployment edge\/web yields every field.*Name the fields/],
    ['all fields to all others', both, web, { conflicts: { fail: ['helm'], otherwise: 'yield' } }, /yields every field/],
    ['a pattern', ['argocd'], web, { conflicts: { yield: ['shop-*'], otherwise: 'force' } }, /yields to shop-\*.*no pattern/],
    ['a manager', ['flux'], web, { conflicts: { yield: ['keda'], otherwise: 'force' } }, /yields to keda, and Flux has no rule/],
    ['an item', ['flux'], web, yielding('spec.template.spec.containers[name=api].image'), /\[name=api\]\.image.*by its position/],
    ['an item of a custom resource', ['argocd'], gateway, yielding('spec.listeners[name="a"].port'), /whole list of a custom resource/],
  ])('is refused by name, where the tool has no such rule: %s', (_, tools, object, policy, message) => {
    for (const tool of tools) {
      const text = refusal(tool, owning(object, policy));
      expect(text).toMatch(message);
      expect(text).toMatch(/declared by shop\/web\/own-[A-Za-z]+-web .*\[gitops-refused\]/);
    }
  });

  it('is refused together with all others, so that one run shows them', () => {
    const text = refusal('flux', (app) => {
      stack(app, 'a').own(config('one') as never, { conflicts: 'yield' });
      stack(app, 'b').own(config('two') as never, { conflicts: 'yield' });
    });
    expect(text).toMatch(
      /For Flux, the program has 2 errors; nothing was written:\n {2}1\. ConfigMap edge\/one[^\n]*\n {2}2\. ConfigMap edge\/two/,
    );
  });
});

describe('order', () => {
  const ordered = (app: App) => {
    const web = stack(app);
    const first = web.own(config('first') as never);
    const second = web.own(config('second') as never);
    second.node.addDependency(first);
    const other = stack(app, 'other');
    other.own(config('third') as never);
    other.node.addDependency(web);
  };

  it('within a stack becomes sync waves, and leaves the order of kinds to Argo CD', () => {
    const argo = documents('argocd', (app) => {
      ordered(app);
      stack(app, 'kinds').own(config('c') as never);
    });
    const waves = argo.objects('web').map(({ metadata }) => [metadata.name, metadata.annotations?.['argocd.argoproj.io/sync-wave']]);
    expect(waves).toEqual([
      ['first', undefined],
      ['second', '1'],
    ]);
    expect(argo.application('other').metadata.annotations).toEqual({ 'argocd.argoproj.io/sync-wave': '1' });
    expect(argo.application('web').metadata.annotations).toBeUndefined();
    expect(argo.lost.join('\n')).toMatch(/The order of stack other after shop-web: .*parent Application/);
  });

  it('of stacks becomes dependsOn, and within a stack it is lost', () => {
    const { kustomization, lost, objects } = documents('flux', ordered);
    expect(kustomization('other').spec.dependsOn).toEqual([{ name: 'shop-web' }]);
    expect(kustomization('web').spec.dependsOn).toBeUndefined();
    expect(lost.join('\n')).toMatch(/The order of ConfigMap edge\/second after others of stack web/);
    expect(JSON.stringify(objects('web'))).not.toContain('annotations');
  });

  it('follows from a Namespace and from a CustomResourceDefinition of another stack', () => {
    const { kustomization } = documents('flux', (app) => {
      stack(app).own(config('web') as never);
      new Stack(app, 'base').own({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'edge' } } as never);
    });
    expect(kustomization('web').spec.dependsOn).toEqual([{ name: 'shop-base' }]);
  });

  it('of two stacks that need each other is no circle', () => {
    const { kustomization } = documents('flux', (app) => {
      const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      for (const [name, other] of [
        ['one', 'two'],
        ['two', 'one'],
      ] as const) {
        const each = new Stack(app, name);
        each.own(namespace(name) as never);
        each.own(config('c', { a: '1' }, { namespace: other }) as never);
      }
    });
    const both = ['one', 'two'].map((name) => kustomization(name).spec.dependsOn);
    expect(both.filter((list) => list !== undefined)).toHaveLength(1);
  });
});

describe('objects', () => {
  const annotationsOf = (tool: GitopsTool, declare: (app: App) => void) => documents(tool, declare).objects('web')[0].metadata.annotations;

  it.each<[string, (app: App) => void, object | undefined, object | undefined]>([
    ['owned', owning(config('web')), undefined, undefined],
    [
      'retained',
      owning(config('web'), { retain: true }),
      { 'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false' },
      { 'kustomize.toolkit.fluxcd.io/prune': 'disabled' },
    ],
    [
      'a Namespace, which holds objects of others',
      owning({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'web' } }),
      { 'argocd.argoproj.io/sync-options': 'Prune=confirm,Delete=confirm' },
      { 'kustomize.toolkit.fluxcd.io/prune': 'disabled' },
    ],
    [
      'shared',
      sharing(config('web')),
      { 'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false,Validate=false' },
      { 'kustomize.toolkit.fluxcd.io/prune': 'disabled', 'kustomize.toolkit.fluxcd.io/ssa': 'Merge' },
    ],
    ['replaced', owning(web, { replace: true }), undefined, { 'kustomize.toolkit.fluxcd.io/force': 'enabled' }],
    [
      'with annotations of the program, which stay',
      owning(
        config(
          'web',
          {},
          { annotations: { 'argocd.argoproj.io/sync-options': 'Replace=true', 'kustomize.toolkit.fluxcd.io/prune': 'enabled' } },
        ),
        { retain: true },
      ),
      {
        'argocd.argoproj.io/sync-options': 'Replace=true,Prune=false,Delete=false',
        'kustomize.toolkit.fluxcd.io/prune': 'enabled',
      },
      { 'argocd.argoproj.io/sync-options': 'Replace=true', 'kustomize.toolkit.fluxcd.io/prune': 'enabled' },
    ],
  ])('%s', (_, declare, argo, kustomize) => {
    expect(annotationsOf('argocd', declare)).toEqual(argo);
    expect(annotationsOf('flux', declare)).toEqual(kustomize);
  });

  it('carry no annotation of the tracking of Fieldwise, and are as declared', () => {
    const bare = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'web', namespace: 'edge' } };
    expect(documents('flux', owning(bare)).objects('web')).toEqual([bare]);
    const { metadata, ...others } = web;
    expect(documents('argocd', owning(web)).objects('web')).toEqual([{ ...others, metadata: { ...metadata, namespace: 'edge' } }]);
  });

  it.each<GitopsTool>(['argocd', 'flux'])(
    'that two stacks declare are refused for %s, whose one manager would undo one of them',
    (tool) => {
      const text = refusal(tool, (app) => {
        stack(app, 'base').own(config('web') as never);
        stack(app).share(config('web', { b: '2' }) as never);
      });
      expect(text).toMatch(
        /ConfigMap edge\/web is declared by the stacks base and web.*would remove the fields of the other.*shop\/web\/share-/,
      );
    },
  );

  it('are refused without a namespace, where their kind has one, and where a share is merged by convention', () => {
    const without = (app: App) => {
      const web = new Stack(app, 'web');
      web.own(config('web') as never);
      web.own({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'edge' } } as never);
    };
    expect(refusal('flux', without)).toMatch(/^ConfigMap web names no namespace.*Set `namespace`/);
    expect(refusal('argocd', sharing(config('web'), { strategy: 'dynamic' }))).toMatch(/taken as a whole/);
  });
});

describe('a reference', () => {
  const secret = (members: object) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'database' }, ...members });

  it.each<GitopsTool>(['argocd', 'flux'])('never becomes a value for %s: its Secret is left out, and listed', (tool) => {
    process.env.DB_PASSWORD = 'correct-horse';
    const { files, lost, stacks } = documents(tool, (app) => {
      const web = stack(app);
      web.own(secret({ stringData: { password: fromEnv('DB_PASSWORD'), key: fromFile('package.json'), user: 'shop' } }) as never);
      web.own(config('web') as never);
    });
    delete process.env.DB_PASSWORD;
    const text = [...files.values()].join('');
    expect(text).not.toMatch(/correct-horse|DB_PASSWORD|Y29ycmVjdC1ob3JzZQ|from-env/);
    expect(text).not.toContain('kind: Secret');
    expect(lost.filter((line) => line.startsWith('Secret edge/database: it refers to values'))).toHaveLength(1);
    expect(stacks[0]?.intents.map(({ kind }) => kind)).toEqual(['ConfigMap']);
  });
});

describe('what is lost', () => {
  it.each<[string, (app: App) => void, RegExp, GitopsTool?]>([
    ['conflicts', owning(config('web'), { conflicts: 'fail' }), /`conflicts: fail` of ConfigMap edge\/web/],
    [
      'conflicts of a field',
      owning(config('web'), { fields: { 'data.a': { conflicts: { fail: ['helm'], otherwise: 'force' } } } }),
      /`conflicts: fail` of \.data\.a of ConfigMap edge\/web/,
    ],
    ['a yield for a while', owning(web, yielding('spec.replicas')), /A later value of \.spec\.replicas of Deployment edge\/web/],
    [
      'a force below a yield',
      owning(web, { fields: { spec: { conflicts: 'yield' }, 'spec.replicas': { conflicts: 'force' } } }),
      /The force for \.spec\.replicas of Deployment edge\/web/,
    ],
    ['releases', owning(config('web'), { releases: 'ask' }), /`releases: ask` of ConfigMap edge\/web/],
    ['absence', sharing(config('web'), { ifAbsent: 'fail' }), /`ifAbsent: fail` of ConfigMap edge\/web/],
    ['the release of a share', sharing(config('web')), /The release of the fields of ConfigMap edge\/web/],
    ['presence', owning(config('web'), { ifPresent: 'fail' }), /`ifPresent: fail` of ConfigMap edge\/web/],
    ['a transfer', owning(config('web'), { transferFrom: { from: 'helm' } }), /`transferFrom: helm` of ConfigMap edge\/web/],
    ['readiness', owning(web, { waitFor: { condition: 'Done' } }), /`waitFor` of Deployment edge\/web/],
    ['the strategy', owning(config('web'), { strategy: 'dynamic' }), /`strategy: dynamic` of ConfigMap edge\/web/],
    ['replacement', owning(web, { replace: true }), /`replace` of Deployment edge\/web/, 'argocd'],
    ['propagation', owning(web, { deletePropagation: 'Orphan' }), /`deletePropagation: Orphan` of Deployment edge\/web/, 'flux'],
  ])('is listed: %s', (_, declare, line, tool) => {
    for (const each of tool === undefined ? (['argocd', 'flux'] as const) : [tool]) {
      const { lost, text } = documents(each, declare);
      expect(lost.filter((message) => line.test(message))).toHaveLength(1);
      expect(text('not-carried-over.md')).toMatch(line);
    }
  });

  it('is only what holds for every program, where a program says no more', () => {
    const { lost } = documents('argocd', owning(config('web'), { conflicts: 'force', releases: 'report' }));
    expect(lost).toHaveLength(3);
    expect(lost[0]).toMatch(/as argocd-controller, with force/);
    expect(documents('flux', pruned).lost).toHaveLength(2);
  });
});

describe('the documents of the tools', () => {
  it('are an Application by server-side apply, which never shares an object', () => {
    const { application } = documents('argocd', pruned, { name: 'shop', instance: 'prod' });
    expect(application('web')).toEqual({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name: 'shop-prod-web', namespace: 'argocd' },
      spec: {
        project: 'default',
        source: { repoURL: 'https://git.example.com/shop.git', targetRevision: 'HEAD', path: 'deploy/stacks/web' },
        destination: { server: 'https://kubernetes.default.svc' },
        syncPolicy: {
          automated: { prune: true, selfHeal: true },
          syncOptions: [
            'ServerSideApply=true',
            'FailOnSharedResource=true',
            'ClientSideApplyMigration=false',
            'PrunePropagationPolicy=background',
          ],
        },
      },
    });
  });

  it('are a Kustomization that waits as long as the program does', () => {
    const { kustomization } = documents('flux', owning(config('web'), { wait: { seconds: 40 } } as Policy));
    expect(kustomization('web')).toEqual({
      apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
      kind: 'Kustomization',
      metadata: { name: 'shop-web', namespace: 'flux-system' },
      spec: {
        interval: '10m',
        timeout: '40s',
        path: './deploy/stacks/web',
        prune: false,
        wait: true,
        sourceRef: { kind: 'GitRepository', name: 'flux-system' },
      },
    });
    expect(documents('flux', owning(config('web'), { wait: false })).kustomization('web').spec).toMatchObject({ wait: false });
  });

  it('have names that are values of labels, and a file each', () => {
    const names = ['Größe', 'x'.repeat(90)];
    const { files, application } = documents('argocd', (app) => {
      for (const [index, name] of names.entries()) stack(app, name).own(config(`c${index}`) as never);
    });
    const applications = [...files.keys()].filter((name) => name.startsWith('applications/'));
    expect(applications).toHaveLength(2);
    for (const file of applications) {
      const { metadata, spec } = application(file.slice('applications/'.length, -'.yaml'.length));
      expect(metadata.name).toMatch(/^shop-[a-z0-9.-]{1,57}[a-z0-9]$/);
      expect([...files.keys()]).toContain(`${spec.source.path.slice('deploy/'.length)}/objects.yaml`);
    }
  });

  it.each<GitopsTool>(['argocd', 'flux'])('are the same bytes each time for %s', (tool) => {
    const once = () => [...documents(tool, owning(web, yielding('spec.replicas'))).files];
    expect(once()).toEqual(once());
  });
});
