import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { clockDifference } from '../../../src/kubernetes/transport/server-clock.js';
import { Transport } from '../../../src/kubernetes/transport/transport.js';
import { createCertificates } from '../../kubeconfigs/certificates.js';

const at = Date.parse('2026-11-30T12:00:00Z');
const minute = 60_000;

test.each([
  ['within the second of the header', at, at + 900, at + 950, 0],
  ['written while the request was on its way', at, at - minute, at + minute, 0],
  ['this machine is ahead', at, at + 10 * minute, at + 10 * minute + 5, 10 * minute - 1000],
  ['this machine is behind', at, at - 10 * minute, at - 10 * minute + 5, -10 * minute + 5],
  ['not a date', Number.NaN, at, at, undefined],
])('the certain difference of two clocks: %s', (_, date, sent, received, expected) => {
  expect(clockDifference(date, sent, received)).toBe(expected);
});

const certificates = createCertificates();
let ahead = 0;
const server = createServer(certificates.expired, (_, response) => {
  response.setHeader('date', new Date(Date.now() + ahead).toUTCString());
  response.end('{}');
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
afterAll(() => server.close());

async function refusalOf(facts: object = {}): Promise<Error & { next?: string }> {
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const tls = { ca: certificates.authority };
  const transport = new Transport({
    server: url,
    tls,
    headers: async () => ({}),
    namespace: undefined,
    context: 'c',
    facts: facts as never,
  });
  return transport.send({ method: 'GET', path: '/version' }).then(
    () => new Error('accepted'),
    (error: Error) => error,
  );
}

test('a certificate that is not valid now: the clock of this machine is named if the server has another time', async () => {
  ahead = -3 * 24 * 60 * minute;
  const wrong = await refusalOf();
  expect(wrong.message).toMatch(
    /is not valid now: certificate has expired: this machine says that it is \S+Z, and the server that it is \S+Z$/,
  );
  expect(wrong.next).toMatch(
    /^Set the clock of this machine, which is \d days ahead\. If it is right, renew the certificate of the server\.$/,
  );
  ahead = 0;
  const expired = await refusalOf();
  expect(expired.message).toMatch(/certificate has expired; this machine says that it is \S+Z, and so does the server$/);
  expect(expired.next).toBe('Renew the certificate of the server.');
  const behindProxy = await refusalOf({ proxy: 'http://127.0.0.1:9', cluster: 'c', hasAuthority: true });
  expect(behindProxy.message).toMatch(/certificate has expired; this machine says that it is \S+Z$/);
  expect(behindProxy.next).toBe('If that time is wrong, set the clock of this machine; else renew the certificate of the server.');
});
