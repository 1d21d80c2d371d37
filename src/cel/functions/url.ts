import { boolType, listOf, mapOf, opaqueType, stringType } from '../types/cel-type.js';
import { CelList, CelOpaque, CreatedMap, EvaluationError } from '../values/value.js';
import { goQuote } from './go-number.js';
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

/** Reads an absolute URI or an absolute path, as a request line has it; returns the problem of another text. Source: Go's package net/url, ParseRequestURI. */
function parseUrl(text: string): Url | string {
  const problem = (detail: string) => `parse ${goQuote(text)}: ${detail}`;
  if ([...text].some((each) => each < ' ' || each === '\x7f')) return problem('net/url: invalid control character in URL');
  if (text === '') return problem('empty url');
  if (text === '*') return new Url(text, { scheme: '', host: '', path: '*', query: '' });
  const [, scheme = '', rest = text] = /^([a-zA-Z][a-zA-Z0-9+.-]*):(.*)$/s.exec(text) ?? [];
  if (scheme === '' && text.startsWith(':')) return problem('missing protocol scheme');
  const mark = rest.indexOf('?');
  const [before, query] = mark < 0 ? [rest, ''] : [rest.slice(0, mark), rest.slice(mark + 1)];
  if (!before.startsWith('/'))
    return scheme === '' ? problem('invalid URI for request') : new Url(text, { scheme: scheme.toLowerCase(), host: '', path: '', query });
  const isHost = before.startsWith('//') && (scheme !== '' || !before.startsWith('///'));
  const slash = isHost ? before.indexOf('/', 2) : 0;
  const authority = isHost ? before.slice(2, slash < 0 ? undefined : slash) : '';
  const path = isHost ? (slash < 0 ? '' : before.slice(slash)) : before;
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const failure = hostProblem(host) ?? escapeProblem(path);
  return failure === undefined ? new Url(text, { scheme: scheme.toLowerCase(), host: unescapeHost(host), path, query }) : problem(failure);
}

function hostProblem(host: string): string | undefined {
  const bracket = host.startsWith('[') ? host.lastIndexOf(']') : -2;
  if (bracket === -1) return "missing ']' in host";
  const colon = bracket >= 0 ? host.indexOf(':', bracket) : host.lastIndexOf(':');
  const port = bracket >= 0 ? host.slice(bracket + 1) : colon < 0 ? '' : host.slice(colon);
  if (port !== '' && !/^:\d*$/.test(port)) return `invalid port ${goQuote(port)} after host`;
  const bad = [...host].find((each) => ' "<>\\^`{|}'.includes(each) && each !== '"' && each !== '<' && each !== '>');
  return bad === undefined ? escapeProblem(host) : `invalid character ${goQuote(bad)} in host name`;
}

function escapeProblem(text: string): string | undefined {
  const at = text.search(/%(?![0-9a-fA-F]{2})/);
  return at < 0 ? undefined : `invalid URL escape ${goQuote(text.slice(at, at + 3))}`;
}

function unescapeHost(host: string): string {
  return host.replace(/%25/g, '%');
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

/** Returns the problem of a text that is not a URI; undefined for a URI. */
export function urlProblem(text: string): string | undefined {
  const parsed = parseUrl(text);
  return typeof parsed === 'string' ? parsed : undefined;
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
