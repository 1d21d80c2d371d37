import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { selfSigned } from '../../src/embedded/http/certificate.js';
import type { Answered } from './api-client.js';
import type { Ground } from './ground.js';

/** The annotation that the webhook puts on every object. */
export const policyAnnotation = 'policy.example.com/checked';

/**
 * A mutating admission webhook that annotates every object of the ground's namespace, as policy engines do.
 *
 * @param beforeAnswer what the webhook waits for.
 */
export async function annotateEverything(
  ground: Ground,
  beforeAnswer: () => Promise<unknown> = async () => {},
): Promise<{ readonly asked: () => number }> {
  let asked = 0;
  const certificate = selfSigned(new Date());
  const server = createServer(certificate, async (request, response) => {
    asked += 1;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    await beforeAnswer();
    const review = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ ...review, request: undefined, response: answerTo(review) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const object = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: ground.namespace },
  };
  ground.later(() => {
    server.closeAllConnections();
    server.close();
  });
  ground.removeLater(object);
  const webhook = {
    name: 'policy.example.com',
    clientConfig: {
      url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      caBundle: Buffer.from(certificate.cert).toString('base64'),
    },
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': ground.namespace } },
    // What is in no namespace matches every namespace selector, the addresses of other tests' Services too.
    rules: [{ operations: ['CREATE', 'UPDATE'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], scope: 'Namespaced' }],
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
  };
  await ground.cluster.create('policy', { ...object, webhooks: [webhook] });
  return { asked: () => asked };
}

function answerTo({ request: { uid, object } }: Answered): object {
  const patch = [
    ...(object.metadata.annotations ? [] : [{ op: 'add', path: '/metadata/annotations', value: {} }]),
    { op: 'add', path: `/metadata/annotations/${policyAnnotation.replaceAll('/', '~1')}`, value: 'yes' },
  ];
  return { uid, allowed: true, patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') };
}
