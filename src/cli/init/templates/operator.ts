import { programScripts, type Template } from '../template.js';

/** Returns an operator of a custom resource, and the program that deploys it. */
export function operatorTemplate(name: string): Template {
  return {
    files: {
      'crd.yaml': crd,
      'operator.ts': operator(name),
      'operator.test.ts': test,
      'run.ts': run,
      'installation.ts': installation(name),
      'main.ts': main,
    },
    app: 'main.ts',
    prod: [`    context: { image: "registry.example.com/${name}:1" } # the image of the operator, which runs run.ts`],
    scripts: { ...programScripts, start: 'tsx run.ts' },
    packages: ['tsx'],
    about:
      'operator.ts reconciles the custom resource of crd.yaml, and operator.test.ts tests it on an API server of its own. `npm start` runs it (run.ts) with your kubeconfig. The program main.ts deploys it (installation.ts): the CustomResourceDefinition, the RBAC rules and the Deployment of an image that you build.',
  };
}

const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: greetings.example.com
spec:
  group: example.com
  names: { kind: Greeting, listKind: GreetingList, plural: greetings, singular: greeting }
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      subresources: { status: {} }
      schema:
        openAPIV3Schema:
          type: object
          required: [spec]
          properties:
            spec:
              type: object
              required: [name]
              properties:
                name: { type: string, minLength: 1 }
            status:
              type: object
              properties:
                text: { type: string }
`;

const operator = (name: string) => `import { type Cluster, Controller, runController } from 'fieldwise/controller';
import { configMap } from 'fieldwise/k8s/core/v1';

/** A Greeting as the API server returns it; crd.yaml defines it. */
export interface Greeting {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly uid: string; readonly deletionTimestamp?: string };
  readonly spec: { readonly name: string };
}

const apiVersion = 'example.com/v1';
const kind = 'Greeting';

/** Returns the function that brings the objects of one Greeting up to date. It always applies complete intents; the server finds the changes. */
export function greetingReconciler(cluster: Cluster): (greeting: Greeting) => Promise<void> {
  const controller = new Controller(cluster, { manager: '${name}' });
  return async ({ metadata: { name, namespace, uid, deletionTimestamp }, spec }) => {
    if (deletionTimestamp !== undefined) return; // the garbage collector deletes the ConfigMap
    const text = \`Hello, \${spec.name}!\`;
    const owner = { apiVersion, kind, name, uid, controller: true };
    await controller.apply(configMap(name, namespace).withMetadata({ ownerReferences: [owner] }).withData({ text }));
    await controller.applyStatus({ apiVersion, kind, metadata: { name, namespace }, status: { text } }, { uid });
  };
}

/** Reconciles all Greetings until \`signal\` aborts. */
export function runOperator(cluster: Cluster, signal: AbortSignal): Promise<void> {
  const reconcile = greetingReconciler(cluster);
  return runController({
    cluster,
    signal,
    reconciles: { apiVersion, kind },
    owns: [{ apiVersion: 'v1', kind: 'ConfigMap' }],
    reconcile: (greeting) => reconcile(greeting as unknown as Greeting),
    onError: (error, greeting) => console.error(\`\${greeting ?? 'watch'}: \${error instanceof Error ? error.message : error}\`),
  });
}
`;

const test = `import { testCluster } from 'fieldwise/testing/vitest';
import { expect, test } from 'vitest';
import { type Greeting, greetingReconciler } from './operator.js';

test('a Greeting has a ConfigMap and a status', async () => {
  const cluster = await testCluster({
    crds: 'crd.yaml',
    objects: { apiVersion: 'example.com/v1', kind: 'Greeting', metadata: { name: 'first', namespace: 'default' }, spec: { name: 'field' } },
  });
  const greeting = () => cluster.get('Greeting', 'first');
  await greetingReconciler(cluster.connection)((await greeting()) as unknown as Greeting);
  expect(await cluster.get('ConfigMap', 'first')).toMatchObject({ data: { text: 'Hello, field!' } });
  expect(await greeting()).toMatchObject({ status: { text: 'Hello, field!' } });
});
`;

const run = `import { connect } from 'fieldwise/controller';
import { runOperator } from './operator.js';

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());

const cluster = await connect();
try {
  await runOperator(cluster, stop.signal);
} finally {
  cluster.close();
}
`;

const installation = (name: string) => `import { Include } from 'cdk8s';
import { type App, Stack } from 'fieldwise';
import { deployment } from 'fieldwise/k8s/apps/v1';
import { serviceAccount } from 'fieldwise/k8s/core/v1';
import { clusterRole, clusterRoleBinding } from 'fieldwise/k8s/rbac/v1';

const name = '${name}';
const rbac = 'rbac.authorization.k8s.io';

/** Declares everything that the operator needs in a cluster. */
export function installation(app: App): Stack {
  const stack = new Stack(app, 'operator');
  new Include(stack, 'crd', { url: 'crd.yaml' });
  stack.own(serviceAccount(name));
  stack.own(
    clusterRole(name).withRules([
      { apiGroups: ['example.com'], resources: ['greetings'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['example.com'], resources: ['greetings/status'], verbs: ['get', 'patch'] },
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch', 'create', 'patch'] },
    ]),
  );
  stack.own(
    clusterRoleBinding(name)
      .withRoleRef({ apiGroup: rbac, kind: 'ClusterRole', name })
      .withSubjects([{ kind: 'ServiceAccount', name, namespace: stack.namespace ?? 'default' }]),
  );
  const labels = { 'app.kubernetes.io/name': name };
  const image: string = app.node.tryGetContext('image') ?? \`\${name}:dev\`;
  stack.own(
    deployment(name).withSpec({
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { serviceAccountName: name, containers: [{ name: 'operator', image }] } },
    }),
  );
  return stack;
}
`;

const main = `import { App } from 'fieldwise';
import { installation } from './installation.js';

installation(new App());
`;
