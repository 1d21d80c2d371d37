import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { selfSignedCertificate } from '../../src/embedded/http/certificate.js';
import type { ResponseBody } from './api-client.js';

/** A server that an API server asks for admission or conversion. */
export interface ReviewServer {
  /** Where it is, as configurations of webhooks say it. */
  readonly clientConfig: { readonly url: string; readonly caBundle: string };
  stop(): Promise<void>;
}

/**
 * Answers the reviews of an API server on loopback.
 *
 * @param answer gives the `response` of a review; undefined breaks the connection off.
 */
export async function startReviewServer(
  answer: (review: ResponseBody) => object | undefined | Promise<object | undefined>,
): Promise<ReviewServer> {
  const certificate = selfSignedCertificate(new Date());
  const server = createServer(certificate, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const review = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const answered = await answer(review);
    if (answered === undefined) return void response.destroy();
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ ...review, request: undefined, response: answered }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    clientConfig: {
      url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      caBundle: Buffer.from(certificate.cert).toString('base64'),
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The response of a mutating admission webhook. */
export function mutated(uid: string, patch: readonly object[]): object {
  return { uid, allowed: true, patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') };
}
