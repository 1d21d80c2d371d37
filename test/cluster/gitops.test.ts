import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import type { ResponseBody } from '../harness/api-client.js';
import type { ObjectRef } from '../harness/cluster.js';
import { own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

// The documents of `synth --for`, applied as Argo CD and Flux apply them: what these do with their rules is played here, from their documentation.

const testEnvironment = await TestEnvironment.create('gitops');
const { cluster } = testEnvironment;
const labels = { app: 'web' };
const deployment = (name: string) => testEnvironment.ref('apps/v1', 'Deployment', name);
const configMap = (name: string) => testEnvironment.ref('v1', 'ConfigMap', name);
const web = (name: string, image: string) => ({
  ...deployment(name),
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'api', image, terminationMessagePath: '/declared' }] } },
  },
});
const terminationMessagePath = 'spec.template.spec.containers[name=api].terminationMessagePath';

interface Written {
  readonly objects: readonly ObjectRef[];
  /** The Application or the Kustomization. */
  readonly document: ResponseBody;
}

async function synthFor(tool: 'argocd' | 'flux', project: Project): Promise<Written> {
  const { exitCode, stderr } = await project.run(['synth', '--for', tool]);
  expect(exitCode, stderr).toBe(0);
  return {
    objects: parseAllDocuments(project.read(`${tool}/stacks/main/objects.yaml`)).map((one) => one.toJS() as ObjectRef),
    document: parse(project.read(`${tool}/${tool === 'argocd' ? 'applications' : 'kustomizations'}/main.yaml`)),
  };
}

function project(image: string, name: string, fields: object, others: readonly ReturnType<typeof own>[] = []): Project {
  const made = testEnvironment.program({ main: [own(web(name, image), { fields }), ...others] });
  made.write({ 'fieldwise.yaml': `${made.read('fieldwise.yaml')}\ngitops: { repoURL: https://git.example.com/shop.git }\n` });
  return made;
}

/** A value, and its place. */
function at(object: ResponseBody, pointer: string): { readonly parent: ResponseBody | undefined; readonly name: string } {
  const names = pointer
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  return { parent: names.slice(0, -1).reduce((value, name) => value?.[name], object), name: names.at(-1) as string };
}

/** Puts the live value of an ignored field into what is applied, as both tools do; without a live value, the field goes. */
function adopt(target: ResponseBody, live: ResponseBody, pointer: string): void {
  const [to, from] = [at(target, pointer), at(live, pointer)];
  if (to.parent === undefined) return;
  if (from.parent?.[from.name] === undefined) delete to.parent[to.name];
  else to.parent[to.name] = from.parent[from.name];
}

/** The pointers of the fields of containers in a path expression, the only form that these tests use. */
function pointersOf(expression: string, object: ResponseBody): string[] {
  const found = /^\.spec\.template\.spec\.containers\[\]\? \| select\(\.name == "([^"]+)"\)\.(\w+)$/.exec(expression);
  expect(found, expression).not.toBeNull();
  const index = object.spec.template.spec.containers.findIndex(({ name }: ResponseBody) => name === found?.[1]);
  return index < 0 ? [] : [`/spec/template/spec/containers/${index}/${found?.[2]}`];
}

const names = (rule: ResponseBody, { apiVersion, kind, metadata }: ObjectRef) =>
  `${rule.group ?? ''} ${rule.kind} ${rule.namespace} ${rule.name}`.replaceAll('\\', '') ===
  `${apiVersion.includes('/') ? apiVersion.split('/')[0] : ''} ${kind} ${metadata.namespace} ${metadata.name}`;

/** A sync of Argo CD with `ServerSideApply=true` and `RespectIgnoreDifferences=true`. */
async function sync({ objects, document }: Written): Promise<void> {
  const { syncPolicy, ignoreDifferences = [] } = document.spec;
  expect(syncPolicy.syncOptions).toEqual(expect.arrayContaining(['ServerSideApply=true', 'RespectIgnoreDifferences=true']));
  for (const object of objects) {
    const live = await cluster.find(object);
    const target = structuredClone(object) as ResponseBody;
    for (const rule of live ? ignoreDifferences.filter((one: ResponseBody) => names(one, object)) : []) {
      const expressions = (rule.jqPathExpressions ?? []).flatMap((one: string) => pointersOf(one, target));
      for (const pointer of [...(rule.jsonPointers ?? []), ...expressions]) adopt(target, live, pointer);
      const owners = await cluster.owners(object);
      for (const manager of rule.managedFieldsManagers ?? []) {
        const fields = Object.entries(owners).flatMap(([owner, owned]) => (owner.replace(/ \(.*/, '') === manager ? owned : []));
        for (const field of fields) adopt(target, live, field.replaceAll('.', '/'));
      }
    }
    await cluster.apply('argocd-controller', target as ObjectRef, { force: true });
  }
}

/** A reconciliation of Flux: an ignored field that another manager applies is left out, any other one has its live value. */
async function reconcile({ objects, document }: Written): Promise<void> {
  for (const object of objects) {
    const live = await cluster.find(object);
    const target = structuredClone(object) as ResponseBody;
    const rules = live ? (document.spec.ignore ?? []).filter((one: ResponseBody) => names(one.target, object)) : [];
    for (const pointer of rules.flatMap(({ paths }: ResponseBody) => paths)) {
      const others = live?.metadata.managedFields.filter(
        ({ manager, operation }: ResponseBody) => operation === 'Apply' && manager !== 'kustomize-controller',
      );
      const isOwned = (entry: ResponseBody) => {
        const { parent, name } = at(entry.fieldsV1, pointer.replaceAll('/', '/f:'));
        return parent?.[name] !== undefined;
      };
      const { parent, name } = at(target, pointer);
      if (others.some(isOwned)) delete parent?.[name];
      else adopt(target, live, pointer);
    }
    await cluster.apply('kustomize-controller', target as ObjectRef, { force: true });
  }
}

const scale = (name: string, replicas: number) =>
  cluster.patch('kube-controller-manager', deployment(name), { spec: { replicas } }, 'merge', 'scale');
const replicasOf = async (name: string) => (await cluster.get(deployment(name))).spec.replicas;
const containerOf = async (name: string) => (await cluster.get(deployment(name))).spec.template.spec.containers[0];

test('Argo CD keeps what an autoscaler and another tool set, and applies the rest', async () => {
  const yields = { 'spec.replicas': { conflicts: 'yield' }, [terminationMessagePath]: { conflicts: 'yield' } };
  await sync(await synthFor('argocd', project('web:1', 'argo', yields)));
  expect(await replicasOf('argo')).toBe(2);
  await scale('argo', 5);
  const theirs = { spec: { template: { spec: { containers: [{ name: 'api', terminationMessagePath: '/theirs' }] } } } };
  await cluster.apply('tuner', { ...deployment('argo'), ...theirs } as ObjectRef, { force: true });
  const next = await synthFor('argocd', project('web:2', 'argo', yields));
  await sync(next);
  expect(await replicasOf('argo')).toBe(5);
  expect(await containerOf('argo')).toMatchObject({ image: 'web:2', terminationMessagePath: '/theirs' });
  expect((await cluster.owners(deployment('argo'))).tuner?.join()).toContain('terminationMessagePath');
  // Without its rules, both would be taken.
  await sync({ ...next, document: { spec: { ...next.document.spec, ignoreDifferences: [] } } });
  expect([await replicasOf('argo'), (await containerOf('argo')).terminationMessagePath]).toEqual([2, '/declared']);
});

test('Argo CD keeps all that a named manager sets', async () => {
  const program = (color: string) => {
    const object = { ...configMap('named'), data: { color, size: 'small' } };
    const made = testEnvironment.program({ main: [own(object, { conflicts: { yield: ['painter'], otherwise: 'force' } })] });
    made.write({ 'fieldwise.yaml': `${made.read('fieldwise.yaml')}\ngitops: { repoURL: https://git.example.com/shop.git }\n` });
    return made;
  };
  await sync(await synthFor('argocd', program('red')));
  await cluster.patch('painter', configMap('named'), { data: { color: 'blue' } });
  await cluster.patch('vandal', configMap('named'), { data: { size: 'large' } });
  await sync(await synthFor('argocd', program('green')));
  expect((await cluster.get(configMap('named'))).data).toEqual({ color: 'blue', size: 'small' });
});

test('Flux keeps what an updater and an applier set, and applies the rest', async () => {
  const yields = { 'spec.replicas': { conflicts: 'yield' } };
  await reconcile(await synthFor('flux', project('web:1', 'flux', yields)));
  expect(await replicasOf('flux')).toBe(2);
  await scale('flux', 5);
  await reconcile(await synthFor('flux', project('web:2', 'flux', yields)));
  expect(await replicasOf('flux')).toBe(5);
  expect((await containerOf('flux')).image).toBe('web:2');
  await cluster.apply('keda', { ...deployment('flux'), spec: { replicas: 7 } } as ObjectRef, { force: true });
  const next = await synthFor('flux', project('web:3', 'flux', yields));
  await reconcile(next);
  expect(await replicasOf('flux')).toBe(7);
  const owners = await cluster.owners(deployment('flux'));
  expect(owners['kustomize-controller']).not.toContain('.spec.replicas');
  expect(owners.keda).toContain('.spec.replicas');
  await reconcile({ ...next, document: { spec: {} } });
  expect(await replicasOf('flux')).toBe(2);
});

test.each([
  { tool: 'argocd' as const, manager: 'argocd-controller' },
  { tool: 'flux' as const, manager: 'kustomize-controller' },
])('a share for $tool adds its fields to an object of others, and leaves theirs', async ({ tool, manager }) => {
  const name = `shared-${tool}`;
  await cluster.apply('owner', { ...configMap(name), data: { theirs: '1' } } as ObjectRef);
  const declared = share({ ...configMap(name), data: { mine: '2' } });
  const { objects } = await synthFor(tool, project('web:1', `beside-${tool}`, {}, [declared]));
  const partial = objects.find(({ kind }) => kind === 'ConfigMap') as ObjectRef;
  await cluster.apply(manager, partial, { force: true });
  const { data, metadata } = await cluster.get(configMap(name));
  expect(data).toEqual({ theirs: '1', mine: '2' });
  expect((await cluster.owners(configMap(name))).owner).toEqual(['.data.theirs']);
  // What keeps the tool from deleting the object is on the object, where the tool reads it.
  expect(JSON.stringify(metadata.annotations)).toMatch(tool === 'argocd' ? /Prune=false,Delete=false/ : /prune":"disabled/);
});
