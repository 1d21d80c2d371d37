import { addressProblem } from './address-problem.js';
import { quote } from './quote.js';

/** The parts of a URI, as written. */
export interface UrlParts {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

/** Returns the problem of a text that is not a URI as the line of an HTTP request has it, which begins with a scheme or a slash. Source: observed. */
export function urlProblem(text: string): string | undefined {
  const parts = urlParts(text, false);
  return typeof parts === 'string' ? parseUrlProblem(text, parts) : undefined;
}

/** Returns the problem of a text as the real server words it. */
export function parseUrlProblem(text: string, detail: string): string {
  return `parse ${quote(text)}: ${detail}`;
}

/** Splits a URI. A text without a scheme may begin with a host or not. Returns what is wrong with another text. */
export function urlParts(text: string, beginsWithHost: boolean): UrlParts | string {
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
