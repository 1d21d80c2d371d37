import type { LookupAddress, LookupOptions } from 'node:dns';
import { lookup } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { FieldwiseError } from '../../util/error.js';
import { isPrivateAddress } from '../../util/private-address.js';
import { maxDownloadBytes, megabytes } from './limits.js';
import { shownUrl } from './url.js';

export interface FetchOptions {
  readonly signal?: AbortSignal | undefined;
  /** Follow redirects to addresses of private networks, too. */
  readonly allowPrivateRedirects?: boolean;
}

const timeout = 60_000; // milliseconds for the whole answer
const maxRedirects = 10;

/**
 * Reads the answer of an address to GET and follows redirects. User and password of the address are sent to its own origin only. A
 * redirect into a private network is refused unless the address itself led there, or `allowPrivateRedirects` is set: a server on the
 * internet must not make this host read what only this host can reach.
 *
 * @throws FieldwiseError `source-unreachable` when it does not answer, or with anything but success; `redirect-private`.
 */
export async function fetchBytes(url: string, { signal, allowPrivateRedirects = false }: FetchOptions = {}): Promise<Buffer> {
  const limit = AbortSignal.timeout(timeout);
  const ended = signal === undefined ? limit : AbortSignal.any([signal, limit]);
  try {
    return await follow(new URL(url), ended, allowPrivateRedirects);
  } catch (error) {
    if (signal?.aborted) throw new FieldwiseError('interrupted', 'interrupted', 'Interrupted');
    if (error instanceof PrivateAddressError) throw redirectPrivate(url, error);
    throw unreachable(url, limit.aborted ? `no whole answer within ${timeout / 1000} s` : reasonOf(error));
  }
}

async function follow(first: URL, signal: AbortSignal, allowPrivate: boolean): Promise<Buffer> {
  let url = first;
  let credentials = credentialsOf(first);
  let trusted: string | undefined;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const answer = await get(url, { signal, credentials, publicOnly: url !== first && !allowPrivate && url.origin !== trusted });
    if (url === first && isPrivateAddress(answer.socket.remoteAddress ?? '')) trusted = first.origin;
    const { statusCode = 0, statusMessage = '' } = answer;
    if (statusCode >= 200 && statusCode < 300) return read(answer);
    answer.destroy();
    if (![301, 302, 303, 307, 308].includes(statusCode)) {
      throw new Error(`it answered ${statusCode}${statusMessage === '' ? '' : ` ${statusMessage}`}`);
    }
    url = targetOf(answer, url);
    // Once another origin has had its say, nothing is sent to the first one either.
    if (url.origin !== first.origin) credentials = undefined;
  }
  throw new Error(`it redirects more than ${maxRedirects} times`);
}

function credentialsOf({ username, password }: URL): string | undefined {
  return username === '' && password === '' ? undefined : `${decoded(username)}:${decoded(password)}`;
}

// A password may hold a `%` that escapes nothing.
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function targetOf(answer: IncomingMessage, from: URL): URL {
  const { location } = answer.headers;
  if (location === undefined) throw new Error(`it answered ${answer.statusCode} without an address to go to`);
  if (!URL.canParse(location, from.href)) throw new Error('it redirects to something that is not an address');
  const url = new URL(location, from);
  if (!/^https?:$/.test(url.protocol)) throw new Error(`it redirects to an address of the scheme ${url.protocol}`);
  return url;
}

/** A redirect led to an address that only this host or its network reaches. */
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

async function get(url: URL, { signal, credentials, publicOnly }: GetOptions): Promise<IncomingMessage> {
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (publicOnly && isIP(host) !== 0 && isPrivateAddress(host)) throw new PrivateAddressError(host, host);
  return new Promise((resolve, reject) => {
    const headers = { 'user-agent': 'fieldwise', accept: '*/*', 'accept-encoding': 'identity' };
    // The address that was checked is the one that is connected to: a name that resolves differently the next time gains nothing.
    const options = { headers, signal, auth: credentials ?? null, agent: false, ...(publicOnly ? { lookup: publicLookup } : {}) } as const;
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

async function read(answer: IncomingMessage): Promise<Buffer> {
  const encoding = answer.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') throw new Error(`it answers in the encoding ${encoding}, which was not asked for`);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > maxDownloadBytes) throw new Error(`it answers with more than ${megabytes(maxDownloadBytes)}`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function redirectPrivate(url: string, { host, address }: PrivateAddressError): FieldwiseError {
  const where = host === address ? address : `${host}, which is at ${address}`;
  return new FieldwiseError('redirect-private', 'usage', `The source redirects into a private network, to ${where}`, {
    location: { server: shownUrl(url) },
    next: 'If that is meant, pass --allow-private-redirects; else download the file and pass its path',
  });
}

function unreachable(url: string, reason: string): FieldwiseError {
  return new FieldwiseError('source-unreachable', 'usage', `The source cannot be read: ${reason}`, {
    location: { server: shownUrl(url) },
    next: 'Check the address and the network; or download the file and pass its path',
  });
}

// A failed connection to a name with several addresses says nothing itself; the reasons stand in its errors.
function reasonOf(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (!(first instanceof Error)) return String(first);
  const code = (first as NodeJS.ErrnoException).code;
  return first.message === '' ? (code ?? first.name) : first.message;
}
