import { beforeAll, expect, test } from 'vitest';
import { ApiCallError } from '../../harness/api-client.js';
import { TestEnvironment } from '../../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('lists');
const { namespace, cluster } = testEnvironment;
const { client } = cluster;
const path = `/api/v1/namespaces/${namespace}/configmaps`;
const refOf = (name: string) => testEnvironment.ref('v1', 'ConfigMap', name);
// Every namespace of a cluster gets a ConfigMap with the certificate of the cluster.
const ours = 'lists=yes';

interface Page {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string; readonly remainingItemCount?: number };
  readonly items: readonly { readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> } }[];
}

const page = async (query: Readonly<Record<string, string>>) =>
  (await client.call('GET', path, { query: { labelSelector: ours, ...query } })) as unknown as Page;
const namesOf = ({ items }: Page) => items.map(({ metadata }) => metadata.name);

beforeAll(async () => {
  for (const name of ['c1', 'c2', 'c3', 'c4', 'c5'])
    await cluster.apply('lists', { ...refOf(name), metadata: { name, namespace, labels: { lists: 'yes' } } });
});

test('all pages of a list show the moment of the first', async () => {
  const first = await page({ limit: '2' });
  expect(namesOf(first)).toEqual(['c1', 'c2']);
  const before = await page({});
  await cluster.apply('lists', { ...refOf('c25'), metadata: { name: 'c25', namespace, labels: { lists: 'yes' } } });
  await cluster.apply('other', { ...refOf('c3'), metadata: { name: 'c3', namespace, labels: { later: 'yes' } } });
  await client.call('DELETE', `${path}/c4`);
  const second = await page({ limit: '2', continue: first.metadata.continue as string });
  expect(namesOf(second)).toEqual(['c3', 'c4']);
  expect(second.items[0]?.metadata.labels).toEqual({ lists: 'yes' });
  expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  const third = await page({ continue: second.metadata.continue as string });
  expect(namesOf(third)).toEqual(['c5']);
  expect(third.metadata.continue).toBeUndefined();
  expect(namesOf(await page({}))).toEqual(['c1', 'c2', 'c25', 'c3', 'c5']);
  const { resourceVersion } = before.metadata;
  expect(namesOf(await page({ resourceVersion, resourceVersionMatch: 'Exact' }))).toEqual(['c1', 'c2', 'c3', 'c4', 'c5']);
  expect(namesOf(await page({ resourceVersion, limit: '3' }))).toEqual(['c1', 'c2', 'c3']);
  expect(namesOf(await page({ resourceVersion: '0', limit: '1' }))).toEqual(['c1', 'c2', 'c25', 'c3', 'c5']);
});

const token = Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: 1, start: '/c2\0' })).toString('base64url');

test.each<[query: Record<string, string>, code: number, message: string]>([
  [{ resourceVersion: '5', continue: token }, 400, 'specifying resource version is not allowed when using continue'],
  [{ continue: 'xxx' }, 400, 'invalid continue token: continue key is not valid: invalid character'],
  [{ continue: '!!' }, 400, 'invalid continue token: continue key is not valid: illegal base64 data at input byte 0'],
  [{ continue: 'e30' }, 400, 'invalid continue token: continue key is not valid: server does not recognize this encoded version '],
  [
    { resourceVersion: '99999999999999999999999' },
    400,
    'invalid resource version: resourceVersion: Invalid value: "99999999999999999999999": strconv.ParseUint: parsing "99999999999999999999999": value out of range',
  ],
  [
    { resourceVersionMatch: 'Exact' },
    422,
    'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
  ],
  [{ resourceVersion: '0', resourceVersionMatch: 'Exact' }, 422, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'],
  [
    { resourceVersion: '5', resourceVersionMatch: 'Other' },
    422,
    'Unsupported value: "Other": supported values: "Exact", "NotOlderThan", ""',
  ],
  [{ resourceVersion: '99999999' }, 504, 'Timeout: Too large resource version: 99999999, current: '],
  [
    { resourceVersion: 'abc' },
    400,
    'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
  ],
  [{ resourceVersion: '-1' }, 400, 'invalid resource version: resourceVersion: Invalid value: "-1"'],
  [{ limit: 'abc' }, 400, 'strconv.ParseInt: parsing "abc": invalid syntax'],
  [{ sendInitialEvents: 'true' }, 422, 'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list'],
  [{ watch: '1', resourceVersion: 'abc' }, 500, 'resourceVersion: Invalid value: "abc": strconv.ParseUint'],
  [
    { watch: '1', resourceVersionMatch: 'Exact' },
    422,
    '[resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided, resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"]',
  ],
  [{ watch: '1', sendInitialEvents: 'true' }, 422, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'],
])('%o is answered with %i', async (query, code, message) => {
  const failure = (await client.call('GET', path, { query }).catch((error: unknown) => error)) as ApiCallError;
  expect(failure).toBeInstanceOf(ApiCallError);
  expect(failure.message).toContain(message);
  expect(failure.status).toBe(code);
});
