import type { RequestHandler } from '../../src/entry/request-handler.js';
import type { ResponseBody } from '../harness/api-client.js';
import { mutated, type ReviewServer, startReviewServer } from '../harness/review-server.js';

/** The field that the webhook writes in each ConfigMap that is no record, and the one that it rewrites. */
export const stamped = { added: 'stamp', rewritten: 'contested' };

let reviewer: Promise<ReviewServer> | undefined;

/** Lets a server ask a mutating webhook about ConfigMaps: one of this process, over HTTPS. */
export async function configureWebhook(server: RequestHandler): Promise<void> {
  reviewer ??= startReviewServer(answerTo);
  const webhook = {
    name: 'stamp.example.com',
    clientConfig: (await reviewer).clientConfig,
    rules: [{ operations: ['CREATE', 'UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
  };
  const body = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'stamp' },
    webhooks: [webhook],
  };
  const { code } = await server.handle({
    method: 'POST',
    path: '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
    query: new URLSearchParams(),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (code !== 201) throw new Error(`the webhook cannot be configured: ${code}`);
}

/** Ends it, so that the process can. */
export async function endWebhook(): Promise<void> {
  await (await reviewer)?.stop();
}

function answerTo({ request: { uid, object } }: ResponseBody): object {
  const { metadata, data } = object;
  if (!/^[cs]\d$/.test(metadata.name) || !data) return { uid, allowed: true };
  const value: string | undefined = data[stamped.rewritten];
  const rewritten =
    value === undefined || value.startsWith('hooked-')
      ? []
      : [{ op: 'replace', path: `/data/${stamped.rewritten}`, value: `hooked-${value}` }];
  return mutated(uid, [{ op: 'add', path: `/data/${stamped.added}`, value: 'yes' }, ...rewritten]);
}
