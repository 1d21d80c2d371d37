import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readAssembly } from '../../src/assembly/index.js';
import type { Assembly } from '../../src/assembly/types.js';
import { App, Stack } from '../../src/entry/index.js';
import type { JsonObject } from '../../src/util/json.js';

export interface Declared {
  readonly lifecycle: 'own' | 'share';
  readonly object: JsonObject;
  readonly config?: JsonObject;
}

/** Stacks by name, each dependent on the one before it. They name no namespace, so that each round may have one of its own. */
export type Program = Readonly<Record<string, readonly Declared[]>>;

/** The assembly of a program, and where it lies; `formerNames` has those of its stacks that are renamed. */
export async function synthesized(
  app: string,
  program: Program,
  formerNames: Readonly<Record<string, string>> = {},
): Promise<{ readonly assembly: Assembly; readonly directory: string }> {
  const outdir = join(await mkdtemp(join(tmpdir(), 'fieldwise-faults-')), 'assembly');
  const root = new App({ name: app, outdir });
  let before: Stack | undefined;
  for (const [name, declared] of Object.entries(program)) {
    const renamedFrom = formerNames[name];
    const stack = new Stack(root, name, renamedFrom === undefined ? {} : { renamedFrom });
    if (before) stack.addDependency(before);
    before = stack;
    for (const { lifecycle, object, config } of declared) stack[lifecycle](object as never, config as never);
  }
  root.synth();
  return { assembly: await readAssembly(outdir), directory: outdir };
}

export const own = (object: JsonObject, config?: JsonObject): Declared => ({ lifecycle: 'own', object, ...(config ? { config } : {}) });
export const share = (object: JsonObject): Declared => ({ lifecycle: 'share', object });
export const many = (count: number, make: (index: number) => Declared): Declared[] =>
  Array.from({ length: count }, (_, index) => make(index));

export const config = (name: string, data: JsonObject): JsonObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });

export const service = (name: string, port: number, portName: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { selector: { app: name }, ports: [{ name: portName, port, protocol: 'TCP' }] },
});

const deployment = (name: string, image: string): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'app', image }] } },
  },
});

const role = (name: string, verb: string): JsonObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'Role',
  metadata: { name },
  rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: [verb] }],
});

/** Returns the declarations of both versions; `value` differs between them. */
function kept(value: string): Declared[] {
  return [
    ...many(10, (index) =>
      own(config(`kept-${index}`, { a: value, b: 'b' }), index === 4 ? { fields: { 'data.b': { conflicts: 'yield' } } } : undefined),
    ),
    ...many(4, (index) =>
      own({ apiVersion: 'v1', kind: 'Secret', metadata: { name: `secret-${index}` }, data: { a: Buffer.from(value).toString('base64') } }),
    ),
    ...many(4, (index) => own(service(`service-${index}`, 80, value === 'one' ? 'http' : 'web'))),
    ...many(3, (index) => own(deployment(`deployment-${index}`, `registry.example.com/app:${value}`))),
    ...many(3, (index) => own({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: `account-${index}`, labels: { value } } })),
    ...many(2, (index) => own(role(`role-${index}`, value === 'one' ? 'get' : 'list'))),
  ];
}

const removedObjects = many(5, (index) => own(config(`goes-${index}`, { a: 'one' })));
const addedObjects = many(6, (index) => own(config(`comes-${index}`, { a: 'two' })));

function shared(value: string): Declared[] {
  return [
    ...many(4, (index) => share(config(`foreign-${index}`, { [index === 1 ? 'contested' : 'ours']: value }))),
    ...many(2, (index) => share(service(`foreign-service-${index}`, 8080, 'ours'))),
    share({ ...config('kept-5', { c: value }), metadata: { name: 'kept-5', annotations: { value } } }),
  ];
}

/** The version that is there already. */
export const before: Program = { base: [...kept('one'), ...removedObjects], extra: shared('one') };

/** The version of 40 objects that is deployed: changes, takes, adopts, creates, prunes. */
export const after: Program = {
  base: [...kept('two'), ...addedObjects],
  extra: [...shared('two'), share(config('comes-1', { extra: 'two' }))],
};
