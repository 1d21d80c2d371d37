import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { selfSigned } from '../../../src/embedded/http/certificate.js';
import type { Answered } from '../../harness/api-client.js';
import type { TestCluster } from '../../harness/cluster.js';

/** A mutating admission webhook that annotates and stamps every ConfigMap of a namespace. */
export async function startWebhook(cluster: TestCluster, namespace: string): Promise<{ stop(): Promise<void> }> {
  const certificate = selfSigned(new Date());
  const server = createServer(certificate, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const review = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ ...review, request: undefined, response: answerTo(review) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const object = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'MutatingWebhookConfiguration', metadata: { name: namespace } };
  const webhook = {
    name: 'stamp.example.com',
    clientConfig: {
      url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      caBundle: Buffer.from(certificate.cert).toString('base64'),
    },
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    rules: [{ operations: ['CREATE', 'UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
  };
  await cluster.create('policy', { ...object, webhooks: [webhook] });
  return {
    async stop() {
      await cluster.remove(object);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answerTo({ request: { uid, object } }: Answered): object {
  const patch = [
    ...(object.metadata.annotations ? [] : [{ op: 'add', path: '/metadata/annotations', value: {} }]),
    { op: 'add', path: '/metadata/annotations/policy.example.com~1checked', value: 'yes' },
    ...(object.data ? [{ op: 'add', path: '/data/stamp', value: `${Object.keys(object.data).length} keys` }] : []),
  ];
  return { uid, allowed: true, patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') };
}
