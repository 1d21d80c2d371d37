import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readKubeconfig } from '../../harness/kubeconfig.js';
import { RawConnection, requestText } from '../../harness/raw-http.js';
import { TestEnvironment } from '../../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('large-writes');
const connection = readKubeconfig(testEnvironment.kubeconfig);
const maps = `/api/v1/namespaces/${testEnvironment.namespace}/configmaps`;
const text = 'x'.repeat(200_000);

async function send(method: string, target: string, type: string, body: object | undefined, accept = 'application/json') {
  const raw = await RawConnection.open(connection);
  const content = body === undefined ? '' : JSON.stringify(body);
  raw.write(requestText(method, target, { authorization: `Bearer ${connection.token}`, 'content-type': type, accept }, content));
  const response = await raw.response(method, 60);
  raw.close();
  return { status: response?.status, body: parse(response?.body ?? '{}') };
}

const merge = (data: object) => send('PATCH', `${maps}/shared`, 'application/merge-patch+json', { data });

test('large and small patches of one object, side by side, lose none of them', async () => {
  await send('POST', maps, 'application/json', { metadata: { name: 'shared' } });
  const numbers = Array.from({ length: 12 }, (_, index) => index);
  const large = numbers.slice(0, 4).map((number) => merge({ [`large-${number}`]: text }));
  const small = numbers.map((number) => merge({ [`small-${number}`]: String(number) }));
  const answers = await Promise.all([...large, ...small]);
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  const { body } = await send('GET', `${maps}/shared`, '', undefined);
  expect(Object.keys(body.data).toSorted()).toEqual(
    [...numbers.slice(0, 4).map((number) => `large-${number}`), ...numbers.map((number) => `small-${number}`)].toSorted(),
  );
});

test('of large creates of one name, side by side, one succeeds', async () => {
  const create = () => send('POST', maps, 'application/json', { metadata: { name: 'once' }, data: { text } });
  const answers = await Promise.all([create(), create(), create(), create()]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
});

test('a large update of an old version is refused, and one of the present version is stored with its owners', async () => {
  const created = await send('POST', `${maps}?fieldManager=first`, 'application/json', { metadata: { name: 'versioned' }, data: { text } });
  const update = (resourceVersion: string, more: string) =>
    send('PUT', `${maps}/versioned?fieldManager=second`, 'application/json', {
      metadata: { name: 'versioned', resourceVersion },
      data: { text, more },
    });
  expect((await update('1', 'a')).status).toBe(409);
  const updated = await update(created.body.metadata.resourceVersion, 'b');
  expect(updated.status).toBe(200);
  expect(updated.body.metadata.managedFields).toMatchObject([
    { manager: 'first', operation: 'Update', fieldsV1: { 'f:data': { 'f:text': {} } } },
    { manager: 'second', operation: 'Update', fieldsV1: { 'f:data': { 'f:more': {} } } },
  ]);
});

test('a large apply conflicts, and takes the field by force', async () => {
  await send('POST', `${maps}?fieldManager=first`, 'application/json', { metadata: { name: 'fought' }, data: { text, field: 'a' } });
  const apply = (query: string) =>
    send('PATCH', `${maps}/fought?fieldManager=second${query}`, 'application/apply-patch+yaml', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      data: { text, field: 'b' },
    });
  const refused = await apply('');
  expect([refused.status, refused.body.message]).toEqual([
    409,
    'Apply failed with 1 conflict: conflict with "first" using v1: .data.field',
  ]);
  const forced = await apply('&force=true');
  expect([forced.status, forced.body.data.field]).toEqual([200, 'b']);
});

test('a large create is answered in the form that the client accepts', async () => {
  const create = (name: string, accept: string) => send('POST', maps, 'application/json', { metadata: { name }, data: { text } }, accept);
  const metadata = { name: 'yaml', namespace: testEnvironment.namespace };
  const whole = { apiVersion: 'v1', kind: 'ConfigMap', data: { text } };
  expect(await create('yaml', 'application/yaml')).toMatchObject({ status: 201, body: { ...whole, metadata } });
  const meta = ';g=meta.k8s.io;v=v1';
  const { body: partial } = await create('metadata', `application/json;as=PartialObjectMetadata${meta}`);
  expect(partial).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { ...metadata, name: 'metadata' } });
  expect(partial.data).toBeUndefined();
  const { body: table } = await create('table', `application/json;as=Table${meta}`);
  expect(table).toMatchObject({ kind: 'Table', rows: [{ cells: ['table', 1, expect.anything()] }] });
});
