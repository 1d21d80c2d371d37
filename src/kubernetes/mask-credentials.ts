import { masked } from '../util/masked.js';
import type { Headers } from './connection.js';

/** The characters from which on a credential is masked within a word, too; a shorter one may be a part of many words. */
const unmistakable = 16;
const shortest = 4;

/** Returns a function that masks credentials in a text that somebody else wrote, such as a server that quotes the request. */
export function credentialMasker(secrets: readonly string[]): (text: string) => string {
  const forms = secrets.flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]);
  const known = [...new Set(forms)].filter(({ length }) => length >= shortest).sort((one, other) => other.length - one.length);
  if (known.length === 0) return (text) => text;
  const pattern = new RegExp(known.map(alternative).join('|'), 'g');
  return (text) => text.replace(pattern, masked);
}

function alternative(secret: string): string {
  const text = secret.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
  return secret.length >= unmistakable ? text : `(?<!\\w)${text}(?!\\w)`;
}

/** Returns the credentials in headers: tokens, and user and password with their encoded form. */
export function credentialsIn(headers: Headers): readonly string[] {
  const names = Object.keys(headers).filter((name) => /^(?:proxy-)?authorization$/i.test(name));
  return names.flatMap((name) => [headers[name] ?? []].flat().flatMap(credentialsOf));
}

function credentialsOf(authorization: string): readonly string[] {
  const [, scheme = '', content = ''] = /^(\S+)\s+(.*)$/.exec(authorization) ?? [];
  if (scheme.toLowerCase() !== 'basic') return [content];
  const decoded = Buffer.from(content, 'base64').toString();
  return [content, decoded, decoded.slice(decoded.indexOf(':') + 1)];
}

/** Returns the text of a URL, which may be wrong, without the user and the password in it. */
export function withoutUser(url: string): string {
  return url.replace(/\/\/[^/]*@/, `//${masked}@`);
}
