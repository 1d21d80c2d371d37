import { expect, test } from 'vitest';
import { EmbeddedApiServer, type InProcessRequest } from '../../../src/entry/embedded.js';

const server = await EmbeddedApiServer.start({ port: false });
const path = '/api/v1/namespaces/default/configmaps';
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'first' }, data: { color: 'blue' } };

test('a request needs a method and a path, and nothing else', async () => {
  const { code, body } = await server.handle({ method: 'GET', path: '/api/v1/namespaces/default' });
  expect([code, body]).toMatchObject([200, { kind: 'Namespace', metadata: { name: 'default' } }]);
});

test('a body may be an object', async () => {
  expect(await server.handle({ method: 'POST', path, body: configMap })).toMatchObject({ code: 201, body: { data: { color: 'blue' } } });
});

test.each<[string, Omit<InProcessRequest, 'method'>]>([
  ['after the path', { path: `${path}?dryRun=All&fieldManager=tests` }],
  ['as an object', { path, query: { dryRun: 'All', fieldManager: 'tests', labelSelector: undefined } }],
  ['as URLSearchParams', { path, query: new URLSearchParams('dryRun=All&fieldManager=tests') }],
])('a query %s', async (_, request) => {
  const response = await server.handle({ ...request, method: 'POST', body: { ...configMap, metadata: { name: 'planned' } } });
  expect(response).toMatchObject({ code: 201, body: { metadata: { managedFields: [{ manager: 'tests' }] } } });
  expect(await server.handle({ method: 'GET', path: `${path}/planned` })).toMatchObject({ code: 404 });
});

test('names of headers have any case', async () => {
  const headers = { 'Content-Type': 'application/merge-patch+json', ACCEPT: undefined };
  const response = await server.handle({ method: 'PATCH', path: `${path}/first`, headers, body: { data: { color: 'red' } } });
  expect(response).toMatchObject({ code: 200, body: { data: { color: 'red' } } });
});

test('the administrator sends it, unless a user does', async () => {
  const user = { name: 'jane', groups: ['system:authenticated'] };
  expect(await server.handle({ method: 'GET', path, user })).toMatchObject({ code: 403 });
});

test.each<[string, unknown, string]>([
  ['nothing', undefined, '`request`'],
  ['no method', { path }, '`method`'],
  ['no path', { method: 'GET' }, '`path`'],
  ['a method in lower case', { method: 'get', path }, '`method` of the request has the value "get"'],
  ['a URL', { method: 'GET', path: 'https://127.0.0.1/api' }, '`path`'],
  ['a member with another name', { method: 'GET', path, url: path }, '`url`'],
  ['a query of numbers', { method: 'GET', path, query: { limit: 1 } }, '`query`'],
  ['a query as text', { method: 'GET', path, query: 'limit=1' }, '`query`'],
  ['two queries', { method: 'GET', path: `${path}?limit=1`, query: { limit: '2' } }, '`path`'],
  ['headers as a list', { method: 'GET', path, headers: [['accept', 'application/json']] }, '`headers`'],
  ['a body that is a number', { method: 'POST', path, body: 1 }, '`body`'],
  ['a user by name', { method: 'GET', path, user: 'jane' }, '`user`'],
])('%s is refused', async (_, request, named) => {
  const refusal = { code: 'option-invalid', kind: 'usage', message: expect.stringContaining(named), next: expect.any(String) };
  await expect(server.handle(request as never)).rejects.toMatchObject(refusal);
});
