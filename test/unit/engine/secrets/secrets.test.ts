import { expect, test } from 'vitest';
import { maskField, SecretMasker } from '../../../../src/engine/secrets/secret-masker.js';

const secret = { apiVersion: 'v1', kind: 'Secret' };

test.each([
  ['.data.password', secret, '***'],
  ['.data', secret, '***'],
  ['.stringData.a', secret, '***'],
  ['.metadata.annotations.kubectl.kubernetes.io/last-applied-configuration', secret, '***'],
  ['.metadata.annotations.kapp.k14s.io/original', secret, '***'],
  ['.metadata.annotations["objectset.rio.cattle.io/applied"]', secret, '***'],
  ['.metadata.annotations', secret, '***'],
  ['.metadata.annotationsOfMine', secret, 'v'],
  ['.metadata.annotations.a', { apiVersion: 'v1', kind: 'ConfigMap' }, 'v'],
  ['.metadata.labels.a', secret, 'v'],
  ['.database', secret, 'v'],
  ['.data.password', { apiVersion: 'v1', kind: 'ConfigMap' }, 'v'],
])('%s of %o shows %s', (field, object, shown) => {
  expect(maskField({ field, oldValue: 'v', newValue: 'v' }, object)).toEqual({ field, oldValue: shown, newValue: shown });
});

test('a masked value keeps its shape and loses its content', () => {
  expect(maskField({ field: '.data', newValue: { a: 'x', b: ['y'] } }, secret).newValue).toEqual({ a: '***', b: ['***'] });
});

test('a warning does not show a value that it quotes', () => {
  const secrets = new SecretMasker([{ ...secret, stringData: { password: 'open sesame' } }]);
  const warning = {
    event: 'warning',
    code: 'server-without-apply',
    message: 'It refused "open sesame"',
    next: 'Change open sesame.',
  } as const;
  expect(secrets.maskEvent(warning)).toEqual({ ...warning, message: 'It refused "***"', next: 'Change ***.' });
});

test('a log that begins within a value of several lines hides its lines', () => {
  const key = '-----BEGIN KEY-----\nabcdefghijkl\nmnopqrstuvwx\n-----END KEY-----\n';
  const secrets = new SecretMasker([{ apiVersion: 'v1', kind: 'Secret', stringData: { key } }]);
  expect(secrets.mask('mnopqrstuvwx\nready\n')).toBe('***\nready\n');
});

test.each([
  // The names in a command and in a field manager stay, or the command would not run.
  [
    'run `fieldwise adopt shop --from manager:fieldwise/shop/prod/web` first',
    'run `fieldwise adopt shop --from manager:fieldwise/shop/prod/web` first',
  ],
  [
    "fieldwise/shop/prod/web owns it: `transferFrom: { from: 'fieldwise/shop/prod/web' }`",
    "fieldwise/shop/prod/web owns it: `transferFrom: { from: 'fieldwise/shop/prod/web' }`",
  ],
  // A value stays hidden anywhere else.
  ['the server says shop', 'the server says ***'],
  ['`kubectl get shop`', '`kubectl get ***`'],
  ['`fieldwise deploy -c token=shop`', '`fieldwise deploy -c token=***`'],
  ['`fieldwise adopt workshop`', '`fieldwise adopt work***`'],
  ['pull registry:5000/fieldwise/shop/app/x: unauthorized', 'pull registry:5000/fieldwise/***/app/x: unauthorized'],
  ['`fieldwise adopt web` of open sesame shop', '`fieldwise adopt web` of *** ***'],
])('in the sentence %s, only values are hidden', (sentence, shown) => {
  const secrets = new SecretMasker([{ ...secret, stringData: { name: 'shop', password: 'open sesame' } }]);
  expect(secrets.maskSentence(sentence)).toBe(shown);
});

test('a value that contains a command is hidden as a whole', () => {
  const script = 'echo shop; `fieldwise adopt shop`; exit';
  const secrets = new SecretMasker([{ ...secret, stringData: { script, name: 'shop' } }]);
  expect(secrets.maskSentence(`it refused ${script}!`)).toBe('it refused ***!');
});
