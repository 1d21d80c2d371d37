import { describe, expect, test } from 'vitest';
import { SecretMasker } from '../../../../src/engine/secrets/secret-masker.js';

const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');
const secretOf = (stringData: Readonly<Record<string, string>>) => ({ apiVersion: 'v1', kind: 'Secret', stringData });
const masked = (value: string, text: string) => new SecretMasker([secretOf({ value })]).mask(text);

const values = {
  plain: 'CANARY-value-17',
  'with special characters': 'CANARY "q" \\ é/<&>?+%41',
  'with a line end': 'CANARY-value-17\n',
  'with spaces around': '  CANARY-value-17 ',
} as const;

/** Each returns a text that contains an encoded value. */
const encodings: Readonly<Record<string, (value: string) => string>> = {
  'as it is': (value) => `it is ${value}.`,
  'in JSON': (value) => JSON.stringify({ value }),
  'in JSON in JSON': (value) => JSON.stringify(JSON.stringify({ value })),
  'in JSON of ASCII': (value) =>
    JSON.stringify(value).replaceAll(/[\u007f-\uffff<>&]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`),
  'in HTML': (value) => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  'in base64': (value) => base64(value),
  'in base64 without padding': (value) => base64(value).replace(/=+$/, ''),
  'in base64 of URLs': (value) => Buffer.from(value, 'utf8').toString('base64url'),
  'in base64 in a URL': (value) => `?auth=${encodeURIComponent(base64(value))}`,
  'in base64 twice': (value) => base64(base64(value)),
  'in base64 after one byte': (value) => `Basic ${base64(`:${value}`)}`,
  'in base64 after two bytes': (value) => `Basic ${base64(`u:${value}`)}`,
  'in base64 after three bytes': (value) => `Basic ${base64(`us:${value}`)}`,
  'in base64 within JSON': (value) => base64(JSON.stringify({ user: 'a', password: value.trim() })),
  'percent-encoded': (value) => `https://host/?q=${encodeURIComponent(value)}&r=1`,
  'percent-encoded twice': (value) => encodeURIComponent(encodeURIComponent(value)),
  'percent-encoded in lower case': (value) => encodeURIComponent(value).replaceAll(/%../g, (one) => one.toLowerCase()),
  'as a form': (value) => new URLSearchParams({ value }).toString(),
  'in hex': (value) => Buffer.from(value, 'utf8').toString('hex'),
  'in upper-case hex': (value) => Buffer.from(value, 'utf8').toString('hex').toUpperCase(),
  'with colors': (value) => `${value.slice(0, 6)}\u001b[31m${value.slice(6)}\u001b[0m`,
};

/** The parts of an encoded value that must not be left. */
function readable(text: string, value: string): boolean {
  const decoded = [
    text,
    ...[0, 1, 2, 3].flatMap((from) =>
      (text.match(/[A-Za-z0-9+/_-]{6,}/g) ?? []).map((run) => Buffer.from(run.slice(from), 'base64').toString('utf8')),
    ),
  ];
  const all = [...decoded, ...decoded.map((one) => Buffer.from(one, 'base64').toString('utf8')), Buffer.from(text, 'hex').toString('utf8')];
  return all.some((one) => one.includes(value.trim().slice(0, 6)) || one.includes(value.trim().slice(-6)));
}

describe.each(Object.entries(values))('a value %s is hidden', (name, value) => {
  test.each(Object.entries(encodings))('%s', (encoding, encode) => {
    if (name.startsWith('with special') && encoding === 'in base64 within JSON') return expect(value).toContain('"'); // Escaped before.
    const text = encode(value);
    expect(masked(value, text)).toContain('***');
    expect(readable(masked(value, text), value), masked(value, text)).toBe(false);
  });
});

test.each([
  ['a member of JSON', '{"user":"u","list":[{"pass":"CANARY-member"}]}', 'it is CANARY-member.', 'it is ***.'],
  ['a member of JSON, encoded', '{"pass":"CANARY-member"}', base64('CANARY-member'), '***'],
  ['a short member of JSON', '{"pass":"shop"}', 'a shop', 'a shop'],
  ['the password of a URL', 'postgres://user:CANARYpass@host/db', 'password CANARYpass', 'password ***'],
  ['a line', 'first-line-CANARY\nsecond-line-CANARY\n', 'second-line-CANARY\nready\n', '***\nready\n'],
  ['all lines', 'first-line-CANARY\nsecond-line-CANARY\n', 'first-line-CANARY\nsecond-line-CANARY\nready\n', '***\nready\n'],
  ['lines of another system', 'first-line\nin-between\n', 'first-line\r\nin-between\r\nready', '***\r\nready'],
  ['three characters, in quotes', 'abc', 'abc and "abc"', 'abc and ***'],
  ['four characters', 'abcd', `abcd ${base64('abcd')} 61626364`, '*** *** ***'],
  ['a color beside a value', 'CANARY-value', '\u001b[31mred CANARY-value', '\u001b[31mred ***'],
  ['nothing', '', 'a text', 'a text'],
  ['only spaces', '   \n', 'a    text', 'a    text'],
])('%s', (_, value, text, shown) => {
  expect(masked(value, text)).toBe(shown);
});

test('a value that is no text is hidden in base64 and hex', () => {
  const bytes = Buffer.from([0xff, 0xfe, 0x80, 0x81, 0x90, 0xa0, 0xb0]);
  const secrets = new SecretMasker([{ apiVersion: 'v1', kind: 'Secret', data: { key: bytes.toString('base64') } }]);
  expect(secrets.mask(`${bytes.toString('base64')} ${bytes.toString('hex')}`)).toBe('*** ***');
});

test('a Secret in an annotation of a Secret is known, however deep', () => {
  const inner = { apiVersion: 'v1', kind: 'Secret', data: { pw: base64('CANARY-former') } };
  const copy = { ...inner, data: {}, metadata: { annotations: { original: JSON.stringify(inner) } } };
  const secrets = new SecretMasker([{ apiVersion: 'v1', kind: 'Secret', metadata: { annotations: { applied: JSON.stringify(copy) } } }]);
  expect(secrets.mask('was CANARY-former')).toBe('was ***');
});

test('fields of other objects hide values of eight characters or more', () => {
  const secrets = new SecretMasker([secretOf({ a: 'CANARY-value-17', b: 'true', c: 'shop' })]);
  const value = { url: 'https://u:CANARY-value-17@host', debug: 'true', list: ['shop', 7, true] };
  expect(secrets.maskJson(value)).toEqual({ url: 'https://u:***@host', debug: 'true', list: ['shop', 7, true] });
});

test('ten thousand Secrets and a long log take little time', () => {
  const secrets = new SecretMasker(
    Array.from({ length: 10_000 }, (_, index) =>
      secretOf({
        url: `postgres://user:password-${index}@host/db`,
        key: `key-of-number-${index}`,
        json: `{"password":"password-${index}"}`,
      }),
    ),
  );
  const log = 'INFO handled the request in 12 ms %20 eyJhbGciOi postgres://user:x@host\n'.repeat(5_000);
  expect(secrets.mask(`${log}password-9999`)).toBe(`${log}***`);
});

test.each([
  '%'.repeat(100_000),
  '\\'.repeat(100_000),
  '=A'.repeat(50_000),
  `${'a'.repeat(100_000)}%zz`,
  '\u001b['.repeat(50_000),
  '\\u00'.repeat(25_000),
])('a hostile text (%#) takes little time', (text) => {
  expect(masked('CANARY-value-17', text)).toBe(text);
});
