import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { EmbeddedApiServer } from '../../../../src/embedded/index.js';
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

test('a log that is missing is named', async () => {
  const data = freshDirectory();
  const server = await EmbeddedApiServer.start({ data, port: false });
  await server.handle({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: 'shop' } } });
  await server.stop();
  for (const name of fs.readdirSync(data)) if (name.startsWith('log-')) fs.rmSync(path.join(data, name));
  await expect(EmbeddedApiServer.start({ data, port: false })).rejects.toMatchObject({ code: 'cluster-data-damaged' });
});
