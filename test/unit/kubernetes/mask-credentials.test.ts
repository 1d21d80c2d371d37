import { expect, test } from 'vitest';
import { credentialMasker, credentialsIn, withoutUser } from '../../../src/kubernetes/mask-credentials.js';

const long = 'abcdefgh01234567';

test.each([
  [[long], `x${long}y ${long}${long}`, 'x***y ******'],
  [['pass'], 'the password pass is "pass"; passpass', 'the password *** is "***"; passpass'],
  [['p/a ss'], 'p/a ss, p%2Fa%20ss', '***, ***'],
  [['pa"ss'], '{"said":"pa\\"ss"}', '{"said":"***"}'],
  [['abc', ''], 'abc is too short to be masked', 'abc is too short to be masked'],
  [['long-secret', 'secret'], 'long-secret and secret', '*** and ***'],
  [['aaaa'], 'aaaaa aaaa', 'aaaaa ***'],
  [['hunter2pass'], 'password%3Dhunter2pass user_hunter2pass', 'password%3D*** user_***'],
  [['hu&nt<r"2'], 'hu&amp;nt&lt;r&quot;2', '***'],
])('of %j in %j', (secrets, text, shown) => {
  expect(credentialMasker(secrets)(text)).toBe(shown);
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
