import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { selfSignedCertificate } from '../../src/apiserver/http/certificate.js';
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
export function startReviewServer(
  answer: (review: ResponseBody) => object | undefined | Promise<object | undefined>,
): Promise<ReviewServer> {
  return startRawReviewServer(async (review, { response }) => {
    const answered = await answer(review);
    if (answered === undefined) return void response.destroy();
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ ...review, request: undefined, response: answered }));
  });
}

/** A review as it came, and the response to write. */
export interface ReviewExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Lets a test answer the reviews of an API server as HTTP requests. */
export async function startRawReviewServer(
  answer: (review: ResponseBody, exchange: ReviewExchange) => void | Promise<void>,
): Promise<ReviewServer> {
  const certificate = selfSignedCertificate(new Date());
  const server = createServer(certificate, async (request, response) => {
    const text = await textOf(request);
    if (text !== undefined) await answer(JSON.parse(text), { request, response });
  });
  // An API server may write to a connection in the moment in which this end closes it, and fails then.
  server.keepAliveTimeout = 0;
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

/** The body of a request; undefined if the server breaks it off. */
async function textOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The response of a mutating admission webhook. */
export function mutated(uid: string, patch: readonly object[]): object {
  return { uid, allowed: true, patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') };
}
