import { expect, test } from 'vitest';
import { EmbeddedApiServer } from '../../../../src/apiserver/index.js';
import { digestKeyName, readDigestKey, removeDigestKey } from '../../../../src/engine/inventory/digest-key.js';
import { inProcessClient } from '../../../../src/entry/in-process.js';

const server = async () => inProcessClient(await EmbeddedApiServer.start());
const secrets = { apiVersion: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true };
const addressOf = (manager: string) => ({ resource: secrets, namespace: 'records', name: digestKeyName(manager) });

test('a key is created once, and concurrent readers get the same one', async () => {
  const cluster = await server();
  expect(await readDigestKey(cluster, 'records', 'one', false)).toBeUndefined();
  expect(await cluster.tryGet(addressOf('one'))).toBeUndefined();
  const keys = await Promise.all(Array.from({ length: 8 }, () => readDigestKey(cluster, 'records', 'one', true)));
  const [first] = keys;
  expect(first).toMatchObject({ id: expect.stringMatching(/^[0-9a-f]{16}$/) });
  for (const key of keys) expect(key).toEqual(first);
  expect(await readDigestKey(cluster, 'records', 'one', false)).toEqual(first);
  expect(await readDigestKey(cluster, 'records', 'two', true)).not.toEqual(first);
});

test('a Secret without a key is distinguished from an absent one, and not changed', async () => {
  const cluster = await server();
  const { name } = addressOf('one');
  await readDigestKey(cluster, 'records', 'two', true); // Creates the namespace.
  for (const data of [{}, { key: '' }, { key: Buffer.alloc(31, 1).toString('base64') }]) {
    const made = await cluster.create(secrets, 'records', { apiVersion: 'v1', kind: 'Secret', metadata: { name }, data }, 'them');
    expect(await readDigestKey(cluster, 'records', 'one', true)).toBe('unreadable');
    expect(await cluster.tryGet(addressOf('one'))).toEqual(made);
    await cluster.delete(addressOf('one'), { uid: (made.metadata as { uid: string }).uid, propagationPolicy: 'Background' });
  }
});

test('a key is deleted with its stack, and no other key', async () => {
  const cluster = await server();
  const warn = (warning: unknown) => expect.unreachable(JSON.stringify(warning));
  await removeDigestKey(cluster, 'records', 'one', warn);
  for (const manager of ['one', 'two']) await readDigestKey(cluster, 'records', manager, true);
  await removeDigestKey(cluster, 'records', 'one', warn);
  expect(await cluster.tryGet(addressOf('one'))).toBeUndefined();
  expect(await cluster.tryGet(addressOf('two'))).toBeDefined();
});
