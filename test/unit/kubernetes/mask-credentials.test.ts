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
])('of %j in %j', (secrets, text, shown) => {
  expect(credentialMasker(secrets)(text)).toBe(shown);
});

test('reads the credentials of headers', () => {
  expect(credentialsIn({ Authorization: 'Bearer t.o.k', 'Impersonate-User': 'me' })).toEqual(['t.o.k']);
  const encoded = Buffer.from('me:a:b').toString('base64');
  expect(credentialsIn({ 'proxy-authorization': `Basic ${encoded}` })).toEqual([encoded, 'me:a:b', 'a:b']);
  expect(withoutUser('https://me:pw@host/path@x')).toBe('https://***@host/path@x');
});
