import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { selfSigned } from '../../src/embedded/http/certificate.js';
import type { Answered } from './api-client.js';
import type { Ground } from './ground.js';

/** A conversion webhook that changes the version and nothing else, and fails as often as it is told to. */
export interface ConversionWebhook {
  /** What `spec.conversion` of a CustomResourceDefinition says of it. */
  readonly conversion: object;
  /** Conversions that fail from now on. */
  failures: number;
  /** How it fails: by an answer that says so, or by none. */
  silent: boolean;
  readonly asked: () => number;
}

export async function conversionWebhook(ground: Ground): Promise<ConversionWebhook> {
  let asked = 0;
  const certificate = selfSigned(new Date());
  const server = createServer(certificate, async (request, response) => {
    asked += 1;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const review = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const fails = webhook.failures > 0;
    if (fails) webhook.failures -= 1;
    if (fails && webhook.silent) return void response.destroy();
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ ...review, request: undefined, response: answerTo(review, fails) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ground.later(() => {
    server.closeAllConnections();
    server.close();
  });
  const clientConfig = {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    caBundle: Buffer.from(certificate.cert).toString('base64'),
  };
  const webhook: ConversionWebhook = {
    conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } },
    failures: 0,
    silent: false,
    asked: () => asked,
  };
  return webhook;
}

function answerTo({ request: { uid, objects, desiredAPIVersion } }: Answered, fails: boolean): object {
  if (fails) return { uid, convertedObjects: [], result: { status: 'Failure', message: 'still starting' } };
  const convertedObjects = objects.map((object: Answered) => ({ ...object, apiVersion: desiredAPIVersion }));
  return { uid, convertedObjects, result: { status: 'Success' } };
}
