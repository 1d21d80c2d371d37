import { expect, test } from 'vitest';
import { EmbeddedApiServer } from '../../../src/apiserver/index.js';

interface ListBody {
  readonly message?: string;
  readonly metadata: { readonly continue: string; readonly resourceVersion: string };
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

async function startWithChunks() {
  const server = await EmbeddedApiServer.start({ port: false });
  const path = '/api/v1/namespaces/default/configmaps';
  const call = async (method: string, parameters: Readonly<Record<string, string>>, body?: object, name = '') => {
    const request = { method, path: path + name, query: new URLSearchParams(parameters), headers: { 'content-type': 'application/json' } };
    const { code, body: answer } = await server.handle({ ...request, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    return { code, answer: answer as unknown as ListBody };
  };
  const create = (name: string) => call('POST', {}, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
  for (const name of ['c1', 'c2', 'c3']) await create(name);
  return { server, call, create };
}

test('a list that is too old to continue says so, and gives a token for the newest objects', async () => {
  const { server, call, create } = await startWithChunks();
  const first = (await call('GET', { limit: '1' })).answer;
  for (let index = 0; index < 2_100; index++) await call('PUT', {}, { metadata: { name: 'c3', labels: { index: String(index) } } }, '/c3');
  await create('c15');
  const expired = await call('GET', { continue: first.metadata.continue });
  expect(expired.code).toBe(410);
  expect(expired.answer.message).toContain('The provided continue parameter is too old to display a consistent list result.');
  const rest = (await call('GET', { continue: expired.answer.metadata.continue })).answer;
  expect(rest.items.map(({ metadata }) => metadata.name)).toEqual(['c15', 'c2', 'c3']);
  const exact = await call('GET', { resourceVersion: first.metadata.resourceVersion, resourceVersionMatch: 'Exact' });
  expect(exact).toMatchObject({ code: 410, answer: { message: 'The resourceVersion for the provided list is too old.' } });
  await server.stop();
});

test('a limit holds for deletecollection, too', async () => {
  const { server, call } = await startWithChunks();
  expect((await call('DELETE', { limit: '2' })).answer.items).toHaveLength(2);
  expect((await call('GET', {})).answer.items.map(({ metadata }) => metadata.name)).toEqual(['c3']);
  await server.stop();
});

test('a watch from a version that is too old is answered by one event, which says so', async () => {
  const { server, call } = await startWithChunks();
  for (let index = 0; index < 2_100; index++) await call('PUT', {}, { metadata: { name: 'c3', labels: { index: String(index) } } }, '/c3');
  const query = new URLSearchParams({ watch: '1', resourceVersion: '2' });
  const { code, watch } = await server.handle({ method: 'GET', path: '/api/v1/namespaces/default/configmaps', query, headers: {} });
  const events: unknown[] = [];
  await new Promise<void>((resolve) => watch?.((event) => events.push(event), resolve));
  expect(code).toBe(200);
  expect(events).toEqual([{ type: 'ERROR', object: expect.objectContaining({ kind: 'Status', code: 410, reason: 'Expired' }) }]);
  await server.stop();
});
