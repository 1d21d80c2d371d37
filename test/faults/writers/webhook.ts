import type { ResponseBody } from '../../harness/api-client.js';
import type { TestCluster } from '../../harness/cluster.js';
import { mutated, startReviewServer } from '../../harness/review-server.js';

/** A mutating admission webhook that annotates and stamps every ConfigMap of a namespace. */
export async function startWebhook(cluster: TestCluster, namespace: string): Promise<{ stop(): Promise<void> }> {
  const server = await startReviewServer(answerTo);
  const object = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'MutatingWebhookConfiguration', metadata: { name: namespace } };
  const webhook = {
    name: 'stamp.example.com',
    clientConfig: server.clientConfig,
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    rules: [{ operations: ['CREATE', 'UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
  };
  await cluster.create('policy', { ...object, webhooks: [webhook] });
  return {
    async stop() {
      await cluster.remove(object);
      await server.stop();
    },
  };
}

function answerTo({ request: { uid, object } }: ResponseBody): object {
  const patch = [
    ...(object.metadata.annotations ? [] : [{ op: 'add', path: '/metadata/annotations', value: {} }]),
    { op: 'add', path: '/metadata/annotations/policy.example.com~1checked', value: 'yes' },
    ...(object.data ? [{ op: 'add', path: '/data/stamp', value: `${Object.keys(object.data).length} keys` }] : []),
  ];
  return mutated(uid, patch);
}
