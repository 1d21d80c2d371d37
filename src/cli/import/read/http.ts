import type { LookupAddress, LookupOptions } from 'node:dns';
import { lookup } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { environmentProxy, plainHost, shownProxy } from '../../../kubernetes/kubeconfig/proxy.js';
import { proxyOptions } from '../../../kubernetes/kubeconfig/proxy-options.js';
import { credentialMasker } from '../../../kubernetes/mask-credentials.js';
import { maxDownloadBytes, megabytes } from '../../../schema/read/source-limits.js';
import { FieldwiseError } from '../../../util/error.js';
import { isPrivateAddress } from '../../../util/private-address.js';
import { retryAfterSeconds } from '../../../util/retry-after.js';
import { shownUrl } from './url.js';

export interface FetchOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * Follow redirects into private networks.
   *
   * @default false
   */
  readonly allowPrivateRedirects?: boolean;
}

const timeoutMs = 60_000; // for the whole response
const maxRedirects = 10;

/**
 * Fetches an address with GET and follows redirects. The user and password of the address are sent only to its own origin. A redirect into
 * a private network is refused, unless the address itself is in one or `allowPrivateRedirects` is set: a server on the internet must not
 * make this host read data that only this host can reach.
 *
 * @throws FieldwiseError `source-unreachable` without a successful response; `redirect-private`.
 */
export async function fetchBytes(url: string, { signal, allowPrivateRedirects = false }: FetchOptions = {}): Promise<Buffer> {
  const limit = AbortSignal.timeout(timeoutMs);
  const ended = signal === undefined ? limit : AbortSignal.any([signal, limit]);
  try {
    return await follow(new URL(url), ended, allowPrivateRedirects);
  } catch (error) {
    if (signal?.aborted) throw new FieldwiseError('interrupted', 'interrupted', 'Interrupted');
    if (error instanceof PrivateAddressError) throw redirectPrivate(url, error);
    throw unreachable(url, limit.aborted ? `no complete response within ${timeoutMs / 1000} s` : reasonOf(error));
  }
}

async function follow(first: URL, signal: AbortSignal, allowPrivate: boolean): Promise<Buffer> {
  let url = first;
  let credentials = credentialsOf(first);
  let trusted: string | undefined;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const options = { signal, credentials, publicOnly: url !== first && !allowPrivate && url.origin !== trusted };
    const response = await getPatiently(url, options);
    // The address of a proxy says nothing about the server behind it.
    const isDirect = environmentProxy(url) === undefined;
    if (url === first && isDirect && isPrivateAddress(response.socket.remoteAddress ?? '')) trusted = first.origin;
    const { statusCode = 0, statusMessage = '' } = response;
    if (statusCode >= 200 && statusCode < 300) return read(response);
    response.destroy();
    if (![301, 302, 303, 307, 308].includes(statusCode)) {
      const asked = isBusy(response) ? askedSeconds(response) : undefined;
      const wait = asked === undefined ? '' : `, and asks for ${Math.ceil(asked)} s of patience (Retry-After)`;
      const said = credentialMasker(formsOf(first))(statusMessage);
      throw new Error(`the server responded with ${statusCode}${said === '' ? '' : ` ${said}`}${wait}`);
    }
    url = redirectTarget(response, url);
    // Another origin may redirect back to the first one, so credentials are not sent there again.
    if (url.origin !== first.origin) credentials = undefined;
  }
  throw new Error(`the server redirects more than ${maxRedirects} times`);
}

/** The credentials of an address in the forms in which a server may quote them. */
function formsOf(url: URL): readonly string[] {
  const credentials = credentialsOf(url);
  return credentials === undefined ? [] : [credentials, Buffer.from(credentials).toString('base64'), decoded(url.password)];
}

function credentialsOf({ username, password }: URL): string | undefined {
  return username === '' && password === '' ? undefined : `${decoded(username)}:${decoded(password)}`;
}

// A password may contain a `%` that is not part of an escape sequence.
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function redirectTarget(response: IncomingMessage, from: URL): URL {
  const { location } = response.headers;
  if (location === undefined) throw new Error(`the server responded with ${response.statusCode} but without a Location`);
  if (!URL.canParse(location, from.href)) throw new Error('the server redirects to an invalid URL');
  const url = new URL(location, from);
  if (!/^https?:$/.test(url.protocol)) throw new Error(`the server redirects to a URL of the scheme ${url.protocol}`);
  return url;
}

/** Thrown when a redirect leads to an address in a private network. */
class PrivateAddressError extends Error {
  constructor(
    readonly host: string,
    readonly address: string,
  ) {
    super(`${host} is at ${address}`);
  }
}

interface GetOptions {
  readonly signal: AbortSignal;
  readonly credentials: string | undefined;
  readonly publicOnly: boolean;
}

const maxAttempts = 3;
const longestPauseSeconds = 10;

/** Sends a request again while the server is busy, after the pause that it asks for, unless that is too long for a person who waits. */
async function getPatiently(url: URL, options: GetOptions): Promise<IncomingMessage> {
  for (let attempt = 1; ; attempt++) {
    const response = await get(url, options);
    const pause = askedSeconds(response) ?? attempt;
    if (!isBusy(response) || attempt === maxAttempts || pause > longestPauseSeconds) return response;
    response.destroy();
    await setTimeout(pause * 1000, undefined, { signal: options.signal });
  }
}

function isBusy({ statusCode }: IncomingMessage): boolean {
  return statusCode === 429 || statusCode === 503;
}

function askedSeconds({ headers }: IncomingMessage): number | undefined {
  return retryAfterSeconds(headers['retry-after'], Date.now());
}

async function get(url: URL, { signal, credentials, publicOnly }: GetOptions): Promise<IncomingMessage> {
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const host = plainHost(url.hostname);
  if (publicOnly && isIP(host) !== 0 && isPrivateAddress(host)) throw new PrivateAddressError(host, host);
  const way = await proxyOptions(url, timeoutMs);
  return new Promise((resolve, reject) => {
    const headers = { 'user-agent': 'fieldwise', accept: '*/*', 'accept-encoding': 'identity', ...way.headers };
    // The lookup checks the address of this very connection, so a name that resolves differently the next time gains nothing. A proxy looks up
    // the name itself, and reaches what its own network lets it reach.
    const checked = publicOnly && way.agent === false && way.path === undefined ? { lookup: publicLookup } : {};
    const options = { signal, auth: credentials ?? null, ...way, headers, ...checked };
    const address = new URL(url);
    address.username = '';
    address.password = '';
    request(address, options, resolve).once('error', reject).end();
  });
}

const publicLookup: LookupFunction = (host, options, callback) => {
  lookup(host, { ...(options as LookupOptions), all: true }, (error, addresses: LookupAddress[]) => {
    const inside = addresses?.find(({ address }) => isPrivateAddress(address));
    const failure = error ?? (inside === undefined ? null : new PrivateAddressError(host, inside.address));
    const [first] = addresses ?? [];
    if (failure !== null || first === undefined) callback(failure ?? new Error(`${host} has no address`), []);
    else if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};

async function read(response: IncomingMessage): Promise<Buffer> {
  const encoding = response.headers['content-encoding'] ?? 'identity';
  // Some servers send a compressed file as an encoding. Import unpacks gzip wherever it comes from.
  if (!/^(?:identity|(?:x-)?gzip)$/i.test(encoding))
    throw new Error(`the server responds with the encoding ${encoding}, which was not requested`);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > maxDownloadBytes) throw new Error(`the response is larger than ${megabytes(maxDownloadBytes)}`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function redirectPrivate(url: string, { host, address }: PrivateAddressError): FieldwiseError {
  const where = host === address ? address : `${host}, which is at ${address}`;
  return new FieldwiseError('redirect-private', 'usage', `The source redirects into a private network, to ${where}`, {
    location: { server: shownUrl(url) },
    next: 'If this is intended, pass --allow-private-redirects; otherwise download the file and pass its path.',
  });
}

function unreachable(url: string, reason: string): FieldwiseError {
  const proxy = URL.canParse(url) ? environmentProxy(new URL(url)) : undefined;
  const way = proxy === undefined ? '' : ` ${proxy.source} is set and was used: ${shownProxy(proxy)}.`;
  return new FieldwiseError('source-unreachable', 'usage', `The source cannot be read: ${reason}`, {
    location: { server: shownUrl(url) },
    next: `Check the URL and the network, or download the file and pass its path.${way}`,
  });
}

// The error of a connection to a name with several addresses has no message itself, only its inner errors have.
function reasonOf(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (!(first instanceof Error)) return String(first);
  const code = (first as NodeJS.ErrnoException).code;
  return first.message === '' ? (code ?? first.name) : first.message;
}
