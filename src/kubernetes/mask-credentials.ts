import { escapedSpans } from '../util/escaped-text.js';
import { FormIndex } from '../util/form-index.js';
import { masked } from '../util/masked.js';
import { encodedForms } from '../util/value-forms.js';
import type { Headers } from './connection.js';

/** The characters from which on a credential is masked within a word, too; a shorter one may be a part of many words. */
const unmistakable = 8;
const shortest = 4;

/**
 * Returns a function that masks credentials in a text that somebody else wrote, such as a server that quotes the request: as they are, escaped,
 * in base64 and in hex. Escapes are those of URLs, HTML and JSON, also of each other. A credential of less than four characters is masked where the text shows it as one (`isShown`): elsewhere, `on` is a word.
 */
export function credentialMasker(secrets: readonly string[]): (text: string) => string {
  const named = secrets.filter((secret) => secret !== '');
  const forms = named.flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), escapedHtml(secret)]);
  const known = [...new Set(forms)].sort((one, other) => other.length - one.length);
  const encoded = new FormIndex();
  for (const secret of named) for (const form of encodedForms(Buffer.from(secret))) encoded.add(form);
  return (text) => encoded.replace(named.reduce(withoutEscaped, known.reduce(withoutSecret, text)), 0, masked);
}

/** Masks a credential where a text has it escaped in any other way, such as by a gateway that escapes what a server has escaped. */
function withoutEscaped(text: string, secret: string): string {
  const spans = escapedSpans(text, secret, (decoded, at) => isShown(decoded, at, secret)).toSorted((one, other) => one.from - other.from);
  let shown = '';
  let from = 0;
  for (const span of spans) {
    if (span.from < from) continue;
    shown += text.slice(from, span.from) + masked;
    from = span.to;
  }
  return shown + text.slice(from);
}

/** As error pages of gateways quote a text. */
function escapedHtml(text: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

function withoutSecret(text: string, secret: string): string {
  let shown = '';
  let from = 0; // the part of the text before it is in `shown`
  for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + 1)) {
    if (at < from || !isShown(text, at, secret)) continue;
    shown += text.slice(from, at) + masked;
    from = at + secret.length;
  }
  return shown + text.slice(from);
}

/** Returns true if a text shows a credential at a place, and not a word that contains it, or is by chance the same. */
function isShown(text: string, at: number, { length }: string): boolean {
  if (length >= unmistakable) return true;
  const before = text.slice(Math.max(0, at - maxBefore), at);
  const after = text.slice(at + length, at + length + maxAfter);
  if (length >= shortest) return !/\w$/.test(before) && !/^\w/.test(after);
  const isQuoted = /(?:["'`]|&quot;|&#3[49];)$/.test(before) && /^(?:\\?["'`]|&quot;|&#3[49];)/.test(after);
  return isQuoted || (/(?:\b(?:bearer|basic|token|password|user|username) |[=:] ?)$/i.test(before) && !/^\w/.test(after));
}

/** As many characters as `isShown` looks at. */
const maxBefore = 10;
const maxAfter = 6;

/** Returns the credentials in headers: tokens, and user and password with their encoded form. */
export function credentialsIn(headers: Headers): readonly string[] {
  const names = Object.keys(headers).filter((name) => /^(?:proxy-)?authorization$/i.test(name));
  return names.flatMap((name) => [headers[name] ?? []].flat().flatMap(credentialsOf));
}

function credentialsOf(authorization: string): readonly string[] {
  const end = authorization.indexOf(' ');
  const content = authorization.slice(end + 1).trim();
  if (authorization.slice(0, end).toLowerCase() !== 'basic') return [content];
  const decoded = Buffer.from(content, 'base64').toString();
  return [content, decoded, decoded.slice(decoded.indexOf(':') + 1)];
}

/** Returns the text of a URL, which may be wrong, without the user and the password in it. */
export function withoutUser(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || parsed.host === '') {
    const at = url.lastIndexOf('@');
    const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(url)?.[0] ?? '';
    return at < scheme.length ? url : `${scheme}${masked}${url.slice(at)}`;
  }
  const { username, password, protocol, host, pathname, search, hash } = parsed;
  return username + password === '' ? url : `${protocol}//${masked}@${host}${pathname}${search}${hash}`;
}
