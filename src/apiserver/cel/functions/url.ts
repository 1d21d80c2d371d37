import { parseUrlProblem, urlParts, urlProblem } from '../../../util/url-parts.js';
import { boolType, listOf, mapOf, opaqueType, stringType } from '../types/cel-type.js';
import { CelList, CelOpaque, CreatedMap, EvaluationError } from '../values/value.js';
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

/** Reads an absolute URI or an absolute path; returns the problem of another text. Source: Kubernetes documentation "Kubernetes URL library"; observed. */
function parseUrl(text: string): Url | string {
  const problem = urlProblem(text);
  if (problem !== undefined) return problem;
  const [withoutFragment = ''] = text.split('#', 1);
  const parts = urlParts(withoutFragment, !text.startsWith('///'));
  return typeof parts === 'string' ? parseUrlProblem(withoutFragment, parts) : new Url(text, parts);
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
