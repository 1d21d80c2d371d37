import { expect, test } from 'vitest';
import { credentialMasker, credentialsIn, withoutUser } from '../../../src/kubernetes/mask-credentials.js';

const long = 'abcdefgh01234567';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const hex = (text: string) => Buffer.from(text).toString('hex');

test.each<[secrets: string[], text: string, shown: string | RegExp]>([
  [[long], `x${long}y ${long}${long}`, 'x***y ******'],
  [['pass'], 'the password pass is "pass"; passpass', 'the password *** is "***"; passpass'],
  [['p/a ss'], 'p/a ss, p%2Fa%20ss', '***, ***'],
  [['pa"ss'], '{"said":"pa\\"ss"}', '{"said":"***"}'],
  [['abc', ''], 'abc is a word, and "abc" a credential', 'abc is a word, and "***" a credential'],
  [['on'], `on "on" 'on' \\"on\\" &quot;on&quot; &#34;on&#34;`, `on "***" '***' \\"***\\" &quot;***&quot; &#34;***&#34;`],
  [['on'], 'Bearer on, token=on, password: on; onto=only, token=once', 'Bearer ***, token=***, password: ***; onto=only, token=once'],
  [['a:on', 'on'], 'a:on is not on', '*** is not on'],
  [[long], `said ${base64(long)} and ${hex(long)}, ${hex(long).toUpperCase()}`, 'said *** and ***, ***'],
  [[long], `Basic ${base64(`me:${long}`)}`, `Basic ${base64('me:').slice(0, 4)}***`],
  [[long], base64(`x${long}y`).replace('=', ''), /^e\*\*\*.?$/],
  [['pass'], `${base64('pass')} ${base64('pass').replaceAll('=', '')} ${hex('pass')}`, '*** *** ***'],
  [['on'], `${base64('on')} ${base64(base64('me:pw'))}`, `*** ${base64(base64('me:pw'))}`],
  [['??>?'], 'Pz8+Pw== Pz8-Pw', '*** ***'],
  [['long-secret', 'secret'], 'long-secret and secret', '*** and ***'],
  [['aaaa'], 'aaaaa aaaa', 'aaaaa ***'],
  [['hunter2pass'], 'password%3Dhunter2pass user_hunter2pass', 'password%3D*** user_***'],
  [['hu&nt<r"2'], 'hu&amp;nt&lt;r&quot;2', '***'],
  [
    ['abcdef/ghi+jklm=='],
    'a abcdef%2fghi%2bjklm%3d%3d, abcdef&#x2F;ghi+jklm&#x3D;&#61; and abcdef\\u002fghi\\x2Bjklm==',
    'a ***, *** and ***',
  ],
  [['abc~def.ghi~jkl'], 'abc%7Edef.ghi%7Ejkl %61%62%63%7e%64%65%66.%67%68%69%7e%6a%6b%6c', '*** ***'],
  [
    ["Tom&Jerry's-2024"],
    "Tom%26Jerry%27s-2024 Tom&amp;Jerry&#x27;s-2024 Tom\\u0026Jerry's-2024 Tom%2526Jerry%2527s-2024",
    '*** *** *** ***',
  ],
  [["Tom&Jerry's-2024"], '{"said":"Tom\\\\u0026Jerry\\\\u0027s-2024"}', '{"said":"***"}'],
  [['gr\u00fc\u00dfe-an-alle'], 'gr%C3%BC%C3%9Fe-an-alle', '***'],
  [['on'], 'c%6fnfig 100%on', 'c%6fnfig 100%on'],
])('of %j in %j', (secrets, text, shown) => {
  expect(credentialMasker(secrets)(text)).toEqual(typeof shown === 'string' ? shown : expect.stringMatching(shown));
});

test('reads the credentials of headers', () => {
  expect(credentialsIn({ Authorization: 'Bearer t.o.k', 'Impersonate-User': 'me' })).toEqual(['t.o.k']);
  const encoded = Buffer.from('me:a:b').toString('base64');
  expect(credentialsIn({ 'proxy-authorization': `Basic ${encoded}` })).toEqual([encoded, 'me:a:b', 'a:b']);
  expect(withoutUser('https://me:pw@host/path@x')).toBe('https://***@host/path@x');
});

test.each([
  ['http://me:p/w@host:80', 'http://***@host:80'],
  ['me:pw@host:80', '***@host:80'],
  ['https://me:p/w@host/path', 'https://***@host/path'],
  ['http:/me:pw@host', 'http://***@host/'],
  ['https://host/@scope', 'https://host/@scope'],
  ['not a URL', 'not a URL'],
])('%s is shown as %s', (url, shown) => {
  expect(withoutUser(url)).toBe(shown);
});
