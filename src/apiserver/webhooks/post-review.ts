import { getServers } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { unknownAuthorityCodes } from '../../util/unknown-authority.js';

/** A review to send. */
export interface PostedReview {
  readonly url: URL;
  /** Certificate authority as PEM. */
  readonly ca: string | undefined;
  readonly timeoutSeconds: number;
  readonly body: string;
}

export interface ReviewAnswer {
  readonly code: number;
  readonly text: string;
  readonly contentType: string;
}

/** Sends a review over HTTPS. @throws Error in the words of a server, if there is no whole answer */
export function postReview({ url, ca, timeoutSeconds, body }: PostedReview): Promise<ReviewAnswer> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, */*',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'kube-apiserver-admission',
    };
    const signal = AbortSignal.timeout(timeoutSeconds * 1000);
    const options = { method: 'POST', headers, signal, agent: false, ...(ca === undefined ? {} : { ca }) };
    const fail = (text: string) => reject(new Error(signal.aborted ? `Post ${JSON.stringify(url.href)}: context deadline exceeded` : text));
    const receive = (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', () => fail('unexpected error when reading response body. Please retry. Original error: unexpected EOF'));
      response.on('end', () => {
        const { statusCode: code = 0, headers } = response;
        resolve({ code, text: Buffer.concat(chunks).toString('utf8'), contentType: headers['content-type'] ?? '' });
      });
    };
    const call = httpsRequest(url, options, receive);
    call.on('error', (error) => fail(`Post ${JSON.stringify(url.href)}: ${connectionProblem(url, error)}`));
    call.end(body);
  });
}

/** Returns why there is no connection, in the words of Go's client. Source: observed. */
function connectionProblem({ hostname, port }: URL, error: NodeJS.ErrnoException): string {
  const { code = '', message } = error;
  if (code === 'ECONNREFUSED') return `dial tcp ${hostname}:${port || '443'}: connect: connection refused`;
  if (code === 'ENOTFOUND') return `dial tcp: lookup ${hostname} on ${getServers()[0] ?? ''}:53: no such host`;
  if (code === 'ECONNRESET') return 'EOF';
  if (code === 'EPROTO' || code === 'ERR_SSL_WRONG_VERSION_NUMBER') return 'http: server gave HTTP response to HTTPS client';
  if (unknownAuthorityCodes.has(code)) return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
  return message;
}
