import { isIP } from 'node:net';
import { expect, test } from 'vitest';
import { ipVersion } from '../../../src/util/ip-address.js';

const parts = ['', '0', '1', '::', ':', '.', '10.0.0.1', 'ffff', '12345', '1.2.3', '256', '01', 'g', '2001:db8', 'a:b:c:d:e:f'];

test.each([
  '10.0.0.1',
  '255.255.255.255',
  '256.0.0.1',
  '1.2.3',
  '01.2.3.4',
  '1.2.3.4.5',
  '',
  '::',
  '::1',
  '1::',
  '1::8',
  '1:2:3:4:5:6:7:8',
  '1:2:3:4:5:6:7::',
  '1:2:3:4:5:6:7:8::',
  '1:2:3:4:5:6:7',
  '::ffff:10.0.0.1',
  '1:2:3:4:5:6:10.0.0.1',
  '1:2:3:4:5:6:7:10.0.0.1',
  '10.0.0.1::',
  ':1',
  '1:',
  '1:::2',
  '1::2::3',
  '12345::',
  'g::',
  '10.0.0.1:1',
  '::10.0.0',
  '1:10.0.0.1::',
])('%j is read as Node reads it', (text) => {
  expect(ipVersion(text)).toBe(isIP(text));
});

test('so is everything that is put together of pieces', () => {
  for (const a of parts) {
    for (const b of parts) {
      for (const c of parts) for (const text of [a + b + c, `${a}:${b}:${c}`]) expect([text, ipVersion(text)]).toEqual([text, isIP(text)]);
    }
  }
});
