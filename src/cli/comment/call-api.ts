import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, RequestOptions } from 'node:http';
import { proxyOptions } from '../../kubernetes/kubeconfig/proxy-options.js';
import { FieldwiseError } from '../../util/error.js';
import { retryAfterSeconds } from '../../util/retry-after.js';
import { onOneLine } from '../render/printable.js';
import { ApiFailure } from './api-failure.js';

/** The access to an API. */
export interface ApiAccess {
  /** The address of the API, without a slash at its end. */
  readonly url: string;
  /** Headers of all requests, among them the one with the token. */
  readonly headers: Readonly<Record<string, string>>;
  /** The token, which no message shows. */
  readonly token: string;
  readonly signal: AbortSignal;
}

const requestTimeoutMs = 30_000;
/** A page of a hundred of the longest comments, each character escaped. */
const maxResponseBytes = 100 * 65_536 * 6;

/**
 * Sends one request and returns the JSON of the response; undefined if the response is empty. Follows no redirect, because the token would
 * follow it.
 *
 * @throws ApiFailure; FieldwiseError `interrupted`.
 */
export async function callApi(access: ApiAccess, method: string, path: string, body?: object): Promise<unknown> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), requestTimeoutMs);
  const onInterrupt = () => stop.abort();
  access.signal.addEventListener('abort', onInterrupt, { once: true });
  if (access.signal.aborted) stop.abort();
  try {
    const headers = { ...access.headers, 'User-Agent': 'fieldwise', ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) };
    const response = await send(new URL(`${access.url}${path}`), { method, headers, signal: stop.signal }, body);
    return resultOf(response, await responseText(response, new URL(access.url).origin), `${method} ${access.url}${path}`, access.token);
  } catch (error) {
    if (access.signal.aborted) throw new FieldwiseError('interrupted', 'interrupted', 'Interrupted');
    if (error instanceof ApiFailure) throw error;
    const reason = stop.signal.aborted ? `no response within ${requestTimeoutMs / 1000} s` : networkReason(error);
    throw new ApiFailure(withoutToken(`${method} ${access.url}${path}: ${reason}`, access.token), { isTransient: true });
  } finally {
    clearTimeout(timer);
    access.signal.removeEventListener('abort', onInterrupt);
  }
}

/** Sends a request, through the proxy of the environment if there is one. */
async function send(url: URL, options: RequestOptions, body: object | undefined): Promise<IncomingMessage> {
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const way = await proxyOptions(url, requestTimeoutMs);
  const headers = { ...(options.headers as OutgoingHttpHeaders), ...way.headers };
  return new Promise((resolve, reject) => {
    const call = request(url, { ...options, ...way, headers }, resolve).once('error', reject);
    call.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Returns the text of a response, up to a limit that no honest server reaches. */
async function responseText(response: IncomingMessage, origin: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > maxResponseBytes) throw new ApiFailure(`The response of ${origin} is too long`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function resultOf({ statusCode: status = 0, headers }: IncomingMessage, text: string, request: string, token: string): unknown {
  const shown = withoutToken(request, token);
  if (status >= 300 && status < 400) {
    throw new ApiFailure(`${shown}: the server redirects to ${withoutToken(headers.location ?? 'nowhere', token)}`, { status });
  }
  const json = parsed(text);
  if (status < 200 || status >= 300) {
    const said = messageOf(json);
    throw new ApiFailure(`${shown}: status ${status}${said === undefined ? '' : ` (${withoutToken(said, token)})`}`, {
      status,
      isTransient: status === 408 || status === 429 || status >= 500 || (status === 403 && isRateLimited(headers)),
      retryAfterSeconds: secondsToWait(headers),
    });
  }
  if (text.trim() !== '' && json === undefined) {
    const what = /^\s*</.test(text) ? 'HTML' : 'text';
    throw new ApiFailure(`${shown}: the server answers with ${what} instead of JSON`, { status });
  }
  return json;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the reason that a server gives: `message` of both, or `error` of GitLab. */
function messageOf(json: unknown): string | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  const { message, error } = json as { readonly message?: unknown; readonly error?: unknown };
  const said = [message, error].find((one) => typeof one === 'string');
  return typeof said === 'string' ? onOneLine(said).slice(0, 300) : undefined;
}

/** GitHub answers with 403 when a limit is reached. Source: GitHub, "Rate limits for the REST API". */
function isRateLimited(headers: IncomingHttpHeaders): boolean {
  return headers['retry-after'] !== undefined || headers['x-ratelimit-remaining'] === '0';
}

function secondsToWait(headers: IncomingHttpHeaders): number | undefined {
  const after = headers['retry-after'];
  if (after !== undefined) return retryAfterSeconds(after, Date.now());
  const reset = headers['x-ratelimit-remaining'] === '0' ? Number(headers['x-ratelimit-reset']) : Number.NaN;
  return Number.isFinite(reset) && reset > 0 ? Math.max(0, reset - Date.now() / 1000) : undefined;
}

function networkReason(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || (code ?? 'no response');
}

function withoutToken(text: string, token: string): string {
  return text.replaceAll(token, '***');
}
