import { quote } from '../../util/quote.js';
import { boolType, listOf, mapOf, opaqueType, stringType } from '../types/cel-type.js';
import { CelList, CelOpaque, CreatedMap, EvaluationError } from '../values/value.js';
import { addressProblem } from './address-problem.js';
import { type Library, method, overload } from './overload.js';

class Url extends CelOpaque {
  readonly typeName = 'kubernetes.URL';
  readonly text: string;
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;

  constructor(text: string, parts: Pick<Url, 'scheme' | 'host' | 'path' | 'query'>) {
    super();
    this.text = text;
    this.scheme = parts.scheme;
    this.host = parts.host;
    this.path = parts.path;
    this.query = parts.query;
  }

  equals(other: CelOpaque): boolean {
    return other instanceof Url && other.text === this.text;
  }
}

type Parts = Pick<Url, 'scheme' | 'host' | 'path' | 'query'>;

/** Reads an absolute URI or an absolute path; returns the problem of another text. Source: Kubernetes documentation "Kubernetes URL library"; observed. */
function parseUrl(text: string): Url | string {
  const problem = urlProblem(text);
  if (problem !== undefined) return problem;
  const [withoutFragment = ''] = text.split('#', 1);
  const parts = partsOf(withoutFragment, !text.startsWith('///'));
  return typeof parts === 'string' ? parseProblem(withoutFragment, parts) : new Url(text, parts);
}

/** Returns the problem of a text that is not a URI as the line of an HTTP request has it, which begins with a scheme or a slash. Source: observed. */
export function urlProblem(text: string): string | undefined {
  const parts = partsOf(text, false);
  return typeof parts === 'string' ? parseProblem(text, parts) : undefined;
}

const parseProblem = (text: string, detail: string) => `parse ${quote(text)}: ${detail}`;

/** Splits a URI. A text without a scheme may begin with a host or not. Returns what is wrong with another text. */
function partsOf(text: string, beginsWithHost: boolean): Parts | string {
  if ([...text].some((each) => each < ' ' || each === '\x7f')) return 'net/url: invalid control character in URL';
  if (text === '') return 'empty url';
  if (text === '*') return { scheme: '', host: '', path: '*', query: '' };
  const [, writtenScheme = '', rest = text] = /^([a-zA-Z][a-zA-Z0-9+.-]*):(.*)$/s.exec(text) ?? [];
  const scheme = writtenScheme.toLowerCase();
  if (scheme === '' && text.startsWith(':')) return 'missing protocol scheme';
  const mark = rest.indexOf('?');
  const [before, query] = mark < 0 ? [rest, ''] : [rest.slice(0, mark), rest.slice(mark + 1)];
  if (!before.startsWith('/')) return scheme === '' ? 'invalid URI for request' : { scheme, host: '', path: '', query };
  const isHost = before.startsWith('//') && (scheme !== '' || beginsWithHost);
  const slash = isHost ? before.indexOf('/', 2) : 0;
  const authority = isHost ? before.slice(2, slash < 0 ? undefined : slash) : '';
  const path = isHost && slash < 0 ? '' : before.slice(slash);
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const user = authority.slice(0, authority.length - host.length);
  return hostProblem(host) ?? userProblem(user) ?? escapeProblem(path) ?? { scheme, host: unescapeHost(host), path, query };
}

function userProblem(user: string): string | undefined {
  return /^[\w.:~!$&'()*+,;=%@-]*$/.test(user) ? escapeProblem(user) : 'net/url: invalid userinfo';
}

function hostProblem(host: string): string | undefined {
  const bracket = host.startsWith('[') ? host.lastIndexOf(']') : -2;
  if (bracket === -1) return "missing ']' in host";
  if (bracket < 0 && host.includes('[')) return 'invalid IP-literal';
  const colon = host.indexOf(':');
  const port = bracket >= 0 ? host.slice(bracket + 1) : colon < 0 ? '' : host.slice(colon);
  if (port !== '' && !/^:\d*$/.test(port)) return `invalid port ${quote(port)} after host`;
  const bad = [...host].find((each) => ' #\\^`{|}'.includes(each));
  if (bad !== undefined) return `invalid character ${quote(bad)} in host name`;
  // A host has escapes of bytes beyond ASCII and of the percent sign.
  const ascii = bracket >= 0 ? undefined : /%(?!25)[0-7][0-9a-fA-F]/.exec(host)?.[0];
  if (ascii !== undefined) return `invalid URL escape ${quote(ascii)}`;
  const inner = bracket >= 0 ? host.slice(1, bracket) : host;
  return escapeProblem(inner) ?? (bracket >= 0 ? bracketProblem(unescapeHost(inner)) : undefined);
}

/** Returns the problem of a text that is not an IPv6 address, with or without a zone. */
function bracketProblem(address: string): string | undefined {
  const problem = addressProblem(address);
  return problem === undefined ? (address.includes(':') ? undefined : 'invalid IP-literal') : `invalid host: ${problem}`;
}

function escapeProblem(text: string): string | undefined {
  const at = text.search(/%(?![0-9a-fA-F]{2})/);
  return at < 0 ? undefined : `invalid URL escape ${quote(text.slice(at, at + 3))}`;
}

function unescapeHost(host: string): string {
  return host.replace(/(?:%[0-9a-fA-F]{2})+/g, (escapes) => Buffer.from(escapes.replaceAll('%', ''), 'hex').toString());
}

function hostname({ host }: Url): string {
  const inner = /^\[([^\]]*)\]/.exec(host)?.[1];
  return inner ?? host.replace(/:\d*$/, '');
}

function port({ host }: Url): string {
  return /:(\d*)$/.exec(host.replace(/^\[[^\]]*\]/, ''))?.[1] ?? '';
}

/** Returns a path with everything escaped that has to be. */
function escapedPath({ path }: Url): string {
  return path.replace(/[^A-Za-z0-9\-._~$&+,/:;=@!'()*%[\]]/gu, (each) => encodeURIComponent(each));
}

function queryOf({ query }: Url): CreatedMap {
  const values = new Map<string, string[]>();
  for (const pair of query.split('&').filter((each) => each !== '' && !each.includes(';'))) {
    const equal = pair.indexOf('=');
    const [name, value] = [equal < 0 ? pair : pair.slice(0, equal), equal < 0 ? '' : pair.slice(equal + 1)].map(decodeQuery);
    if (name !== undefined && value !== undefined) values.set(name, [...(values.get(name) ?? []), value]);
  }
  const map = new CreatedMap();
  for (const [name, list] of values) map.set(name, new CelList(list));
  return map;
}

function decodeQuery(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

function read(text: string): Url {
  const parsed = parseUrl(text);
  if (typeof parsed === 'string') throw new EvaluationError(`URL parse error during conversion from string: ${parsed}`);
  return parsed;
}

const u = opaqueType('kubernetes.URL');

/** Source: Kubernetes documentation "Common Expression Language in Kubernetes", "Kubernetes URL library". */
export const urls: Library = {
  url: [overload('string_to_url', [stringType], u, read)],
  isURL: [overload('is_url_string', [stringType], boolType, (text: string) => urlProblem(text) === undefined)],
  getScheme: [method('url_get_scheme', [u], stringType, ({ scheme }: Url) => scheme)],
  getHost: [method('url_get_host', [u], stringType, ({ host }: Url) => host)],
  getHostname: [method('url_get_hostname', [u], stringType, hostname)],
  getPort: [method('url_get_port', [u], stringType, port)],
  getEscapedPath: [method('url_get_escaped_path', [u], stringType, escapedPath)],
  getQuery: [method('url_get_query', [u], mapOf(stringType, listOf(stringType)), queryOf)],
};
