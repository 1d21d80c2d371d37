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
