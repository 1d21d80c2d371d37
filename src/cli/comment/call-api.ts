import { FieldwiseError } from '../../util/error.js';
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
    const response = await fetch(`${access.url}${path}`, {
      method,
      headers: { ...access.headers, 'User-Agent': 'fieldwise', ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      redirect: 'manual',
      signal: stop.signal,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return resultOf(response, await textOf(response), `${method} ${access.url}${path}`, access.token);
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

/** Returns the text of a response, up to a limit that no honest server reaches. */
async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > maxResponseBytes) throw new ApiFailure(`The response of ${new URL(response.url).origin} is too long`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function resultOf(response: Response, text: string, request: string, token: string): unknown {
  const { status, headers } = response;
  const shown = withoutToken(request, token);
  if (status >= 300 && status < 400) {
    throw new ApiFailure(`${shown}: the server redirects to ${withoutToken(headers.get('location') ?? 'nowhere', token)}`, { status });
  }
  const json = parsed(text);
  if (!response.ok) {
    const said = messageOf(json);
    throw new ApiFailure(`${shown}: status ${status}${said === undefined ? '' : ` (${withoutToken(said, token)})`}`, {
      status,
      isTransient: status === 408 || status === 429 || status >= 500 || (status === 403 && isRateLimited(headers)),
      retryAfterSeconds: retryAfterSeconds(headers),
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
function isRateLimited(headers: Headers): boolean {
  return headers.has('retry-after') || headers.get('x-ratelimit-remaining') === '0';
}

function retryAfterSeconds(headers: Headers): number | undefined {
  const after = headers.get('retry-after');
  if (after !== null) {
    const seconds = /^\d+$/.test(after) ? Number(after) : (Date.parse(after) - Date.now()) / 1000;
    return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
  }
  const reset = headers.get('x-ratelimit-remaining') === '0' ? Number(headers.get('x-ratelimit-reset')) : Number.NaN;
  return Number.isFinite(reset) && reset > 0 ? Math.max(0, reset - Date.now() / 1000) : undefined;
}

function networkReason(error: unknown): string {
  const { cause, message } = error as Error;
  const { code, message: inner } = (cause ?? {}) as { readonly code?: string; readonly message?: string };
  return [message, code ?? inner].filter((part) => part !== undefined && part !== '').join(': ');
}

function withoutToken(text: string, token: string): string {
  return text.replaceAll(token, '***');
}
