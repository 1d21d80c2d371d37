import { Include } from 'cdk8s';
import { type App, Stack } from 'fieldwise';
import { deployment } from 'fieldwise/k8s/apps/v1';
import { serviceAccount } from 'fieldwise/k8s/core/v1';
import { clusterRole, clusterRoleBinding } from 'fieldwise/k8s/rbac/v1';

const name = 'my-app';
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
  const image: string = app.node.tryGetContext('image') ?? `${name}:dev`;
  stack.own(
    deployment(name).withSpec({
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { serviceAccountName: name, containers: [{ name: 'operator', image }] } },
    }),
  );
  return stack;
}
