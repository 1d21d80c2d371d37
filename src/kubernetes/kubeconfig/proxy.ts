import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { FieldwiseError } from '../../util/error.js';
import { withoutUser } from '../mask-credentials.js';
import type { Environment } from './read-kubeconfig.js';

/** A proxy through which a server is reached. */
export interface ProxyServer {
  readonly url: URL;
  /** The setting that names it, such as `HTTPS_PROXY` or `proxy-url of the cluster prod`. */
  readonly source: string;
}

/** Returns the address of a proxy without user and password. */
export function shownProxy({ url }: ProxyServer): string {
  return `${url.protocol}//${url.host}`;
}

/**
 * Returns the proxy of the environment for a URL; undefined for loopback addresses, and where NO_PROXY contains the host.
 * Source: golang.org/x/net, `http/httpproxy`, whose rules kubectl has.
 *
 * @throws FieldwiseError as `parsedProxy`.
 */
export function environmentProxy(target: URL, environment: Environment = process.env): ProxyServer | undefined {
  const names = target.protocol === 'https:' ? ['HTTPS_PROXY', 'https_proxy'] : ['HTTP_PROXY', 'http_proxy'];
  const source = names.find((name) => environment[name]);
  if (source === undefined || isLoopback(target.hostname) || exemptionOf(target, environment) !== undefined) return undefined;
  return { url: parsedProxy(environment[source] as string, source), source };
}

/** Returns the entry of NO_PROXY that contains the host of a URL; undefined if there is none. */
export function exemptionOf(target: URL, environment: Environment = process.env): string | undefined {
  const entries = (environment.NO_PROXY || environment.no_proxy || '').split(',').map((entry) => entry.trim().toLowerCase());
  if (entries.includes('*')) return '*';
  const port = target.port || (target.protocol === 'https:' ? '443' : '80');
  return entries.find((entry) => entry !== '' && isExempt(plainHost(target.hostname).toLowerCase(), port, entry));
}

/**
 * Returns the URL of a proxy; one without a scheme has HTTP.
 *
 * @param source the setting that has it.
 * @throws FieldwiseError `kubeconfig-invalid` for another text: nothing is sent around a proxy that somebody has set.
 */
export function parsedProxy(text: string, source: string): URL {
  const url = text.includes('://') ? text : `http://${text}`;
  const parsed = urlAsInGo(url);
  if (parsed === undefined || !schemes.has(parsed.protocol)) {
    throw new FieldwiseError('kubeconfig-invalid', 'usage', `${source} is not the URL of a proxy: ${shownUrl(url)}`, {
      next: 'Write it as http://HOST:PORT, https://HOST:PORT or socks5://HOST:PORT, or add the server to NO_PROXY.',
    });
  }
  if (/%(?![0-9a-f]{2})/i.test(`${parsed.username}:${parsed.password}`)) {
    const what = 'has a % in its user or password that does not begin an escape sequence';
    throw new FieldwiseError('kubeconfig-invalid', 'usage', `${source} ${what}`, { next: 'Write it as %25.' });
  }
  return parsed;
}

/**
 * Returns a URL as Go reads it; undefined for a text that Go refuses and Node corrects, such as one with a space behind the port, or with
 * backslashes. In a path, both are kept.
 */
export function urlAsInGo(text: string): URL | undefined {
  const start = text.indexOf('://') + '://'.length;
  const length = text.slice(start).search(/[/?#]/);
  const end = length < 0 ? text.length : start + length;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
  if (/[ \\]/.test(text.slice(0, end)) || /[\u0000-\u001f\u007f]/.test(text)) return undefined;
  const path = text.slice(end).replaceAll(' ', '%20').replaceAll('\\', '%5C');
  const url = text.slice(0, end) + path;
  return URL.canParse(url) ? new URL(url) : undefined;
}

/** Returns the text of a URL that is wrong without user and password, and with the spaces that nobody sees. */
export function shownUrl(url: string): string {
  const shown = withoutUser(url);
  return /\s/.test(url) ? `${JSON.stringify(shown)}, with a space` : shown;
}

const schemes: ReadonlySet<string> = new Set(['http:', 'https:', 'socks5:', 'socks5h:']);

/** Returns true for `localhost` and the addresses of the loopback interface. */
export function isLoopback(hostname: string): boolean {
  const host = plainHost(hostname);
  return host === 'localhost' || (isIP(host) === 4 && host.startsWith('127.')) || host === '::1';
}

/** Returns the host of a URL without the brackets of IPv6 addresses. */
export function plainHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function isExempt(host: string, port: string, entry: string): boolean {
  const subnet = /^(?<net>[^/]+)\/(?<bits>\d+)$/.exec(entry)?.groups as { readonly net: string; readonly bits: string } | undefined;
  if (subnet !== undefined && isIP(subnet.net) !== 0) return isInSubnet(host, subnet.net, Number(subnet.bits));
  const withPort = /^(?<name>\[[^\]]+\]|[^:]*):(?<number>[^:]*)$/.exec(entry)?.groups;
  if (withPort?.number && withPort.number !== port) return false;
  const name = plainHost(withPort?.name ?? entry);
  if (name === '') return false;
  if (isIP(name) !== 0) return isInSubnet(host, name, isIP(name) === 4 ? 32 : 128);
  if (isIP(host) !== 0) return false; // A name stands for no address.
  const suffix = name.replace(/^\*(?=\.)/, '');
  const ascii = suffix.startsWith('.') ? `.${domainToASCII(suffix.slice(1)) || suffix.slice(1)}` : domainToASCII(suffix) || suffix;
  return ascii.startsWith('.') ? host.endsWith(ascii) : host === ascii || host.endsWith(`.${ascii}`);
}

function isInSubnet(host: string, net: string, bits: number): boolean {
  const version = isIP(host);
  if (version === 0 || version !== isIP(net) || bits > (version === 4 ? 32 : 128)) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(net, bits, family);
  return list.check(host, family);
}
