import { createPrivateKey, X509Certificate } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type Identity, serverIdentity } from '../../../../src/apiserver/identity.js';
import { EmbeddedApiServer } from '../../../../src/apiserver/index.js';
import { freshDirectory } from './directory.js';

test('clients go on after a restart: certificate, token and the tokens of ServiceAccounts stay', async () => {
  const data = freshDirectory();
  const first = await EmbeddedApiServer.start({ data });
  const { ca, token } = first;
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  await first.handle({ method: 'POST', path: accounts, body: { metadata: { name: 'robot' } } });
  const issued = await first.handle({ method: 'POST', path: `${accounts}/robot/token`, body: { spec: {} } });
  const { status } = issued.body as { status: { token: string } };
  await first.stop();
  const second = await EmbeddedApiServer.start({ data });
  expect([second.ca, second.token]).toEqual([ca, token]);
  const review = await second.handle({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/tokenreviews',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: status.token } },
  });
  expect(review.body).toMatchObject({ status: { authenticated: true, user: { username: 'system:serviceaccount:default:robot' } } });
  await second.stop();
  expect(fs.statSync(path.join(data, 'identity.json')).mode & 0o777).toBe(0o600);
  const named = await EmbeddedApiServer.start({ data, port: false, token: 'own' });
  expect(named.token).toBe('own');
  await named.stop();
});

test('an identity that cannot be read is named', async () => {
  const data = freshDirectory();
  await (await EmbeddedApiServer.start({ data, port: false })).stop();
  fs.writeFileSync(path.join(data, 'identity.json'), '{}');
  await expect(EmbeddedApiServer.start({ data, port: false })).rejects.toMatchObject({
    code: 'cluster-data-damaged',
    location: { file: path.join(data, 'identity.json') },
  });
});

/** Returns what an identity has beside its texts: the end of a line, or the form of a point, may be another. */
const keysOf = ({ certificate, signingKey }: Identity) => [
  new X509Certificate(certificate.cert).raw.toString('hex'),
  ...[certificate.key, signingKey].map((pem) => createPrivateKey(pem).export({ format: 'jwk' })),
];

function attempt<T>(action: () => T): T | Error {
  try {
    return action();
  } catch (error) {
    return error as Error;
  }
}

test('an identity with a flipped bit is told, or is the same', async () => {
  const data = freshDirectory();
  fs.mkdirSync(data);
  const now = new Date();
  const identity = serverIdentity(data, () => 'token', now);
  const file = path.join(data, 'identity.json');
  const whole = fs.readFileSync(file);
  const start = whole.indexOf('"certificate"');
  let told = 0;
  for (let bit = start * 8; bit < whole.length * 8; bit += 13) {
    const damaged = Buffer.from(whole);
    damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
    fs.writeFileSync(file, damaged);
    const found = attempt(() => serverIdentity(data, () => 'token', now));
    if (found instanceof Error) {
      told += 1;
      expect(found, String(bit)).toMatchObject({
        code: 'cluster-data-damaged',
        message: 'The data of the embedded API server is damaged: the file is not the identity of a server',
        location: { file },
        next: expect.stringContaining('remove it: the next start creates another identity'),
      });
    } else expect(keysOf(found), String(bit)).toEqual(keysOf(identity));
  }
  expect(told).toBeGreaterThan(500);
});

test('a log that is missing is named', async () => {
  const data = freshDirectory();
  const server = await EmbeddedApiServer.start({ data, port: false });
  await server.handle({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: 'shop' } } });
  await server.stop();
  for (const name of fs.readdirSync(data)) if (name.startsWith('log-')) fs.rmSync(path.join(data, name));
  await expect(EmbeddedApiServer.start({ data, port: false })).rejects.toMatchObject({ code: 'cluster-data-damaged' });
});
