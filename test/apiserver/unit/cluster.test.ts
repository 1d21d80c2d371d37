import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EmbeddedApiServer } from '../../../src/apiserver/index.js';
import type { Json } from '../../../src/util/json.js';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at by tests that know their shape
type AnyObject = any;

let now = Date.UTC(2030, 0, 1);
let cluster: EmbeddedApiServer;

const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'lamps.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Lamp', plural: 'lamps' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                required: ['color'],
                properties: {
                  color: { type: 'string', enum: ['red', 'blue'] },
                  watts: { type: 'integer', minimum: 1, default: 40 },
                  code: { type: 'string', pattern: '^[a-z]+$', maxLength: 3 },
                  limit: {
                    oneOf: [{ required: ['a'] }, { required: ['b'] }],
                    type: 'object',
                    properties: { a: { type: 'string' }, b: { type: 'string' } },
                  },
                },
              },
              status: { type: 'object', properties: { on: { type: 'boolean' } } },
            },
          },
        },
      },
    ],
  },
};

async function ask(
  method: string,
  path: string,
  body?: unknown,
  options: { type?: string; query?: Record<string, string>; accept?: string } = {},
) {
  const { type = 'application/json', query = {}, accept = 'application/json' } = options;
  const headers = { 'content-type': type, accept, 'user-agent': 'test/1.0' };
  const request = { method, path, query: new URLSearchParams(query), headers };
  const answer = await cluster.handle(body === undefined ? request : { ...request, body: JSON.stringify(body) });
  return { code: answer.code, body: answer.body as AnyObject, warnings: answer.warnings, watch: answer.watch };
}

const apply = (path: string, fieldManager: string, body: unknown, query: Record<string, string> = {}) =>
  ask('PATCH', path, body, { type: 'application/apply-patch+yaml', query: { fieldManager, ...query } });

const lamps = '/apis/example.com/v1/namespaces/default/lamps';
const lamp = (name: string, spec: object, metadata: object = {}) => ({
  apiVersion: 'example.com/v1',
  kind: 'Lamp',
  metadata: { name, ...metadata },
  spec,
});

beforeAll(async () => {
  cluster = await EmbeddedApiServer.start({ now: () => new Date(now), port: false });
  expect(await ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd)).toMatchObject({ code: 201 });
});
afterAll(() => cluster.stop());

describe('custom resources', () => {
  test('a definition is established and served by discovery', async () => {
    const { body } = await ask('GET', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/lamps.example.com');
    expect(body.status.conditions.map(({ type, status }: AnyObject) => `${type}=${status}`)).toEqual([
      'NamesAccepted=True',
      'Established=True',
    ]);
    expect((await ask('GET', '/apis/example.com/v1')).body.resources.map(({ name }: AnyObject) => name)).toEqual(['lamps', 'lamps/status']);
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const groups = (await ask('GET', '/apis', undefined, { accept })).body.items;
    expect(groups.find(({ metadata }: AnyObject) => metadata.name === 'example.com').versions[0].resources[0].resource).toBe('lamps');
  });

  test('defaults are added, and unknown fields are removed with a warning', async () => {
    const { code, body, warnings } = await ask('POST', lamps, lamp('a', { color: 'red', nope: 1 }));
    expect([code, body.spec, warnings]).toEqual([201, { color: 'red', watts: 40 }, ['unknown field "spec.nope"']]);
  });

  test.each([
    [{}, 'spec.color: Required value'],
    [{ color: 'green' }, 'spec.color: Unsupported value: "green": supported values: "red", "blue"'],
    [{ color: 'red', watts: 0 }, 'spec.watts: Invalid value: 0: spec.watts in body should be greater than or equal to 1'],
    [{ color: 'red', code: 'A' }, 'spec.code: Invalid value: "A": spec.code in body should match \'^[a-z]+$\''],
    [{ color: 'red', limit: {} }, 'must validate one and only one schema (oneOf)'],
  ])('%j is invalid', async (spec, text) => {
    const { code, body } = await ask('POST', lamps, lamp('wrong', spec));
    expect([code, body.reason]).toEqual([422, 'Invalid']);
    expect(body.message).toContain(text);
  });

  test('a conflict names the owner; force takes the field; an apply without changes writes nothing', async () => {
    const created = await apply(`${lamps}/b`, 'alice', lamp('b', { color: 'red' }));
    expect(created.code).toBe(201);
    const refused = await apply(`${lamps}/b`, 'bob', lamp('b', { color: 'blue' }));
    expect([refused.code, refused.body.message]).toEqual([409, 'Apply failed with 1 conflict: conflict with "alice": .spec.color']);
    const same = await apply(`${lamps}/b`, 'alice', lamp('b', { color: 'red' }));
    expect(same.body.metadata.resourceVersion).toBe(created.body.metadata.resourceVersion);
    now += 1000;
    const forced = await apply(`${lamps}/b`, 'bob', lamp('b', { color: 'blue' }), { force: 'true' });
    expect(forced.body.metadata.managedFields.map(({ manager, time }: AnyObject) => `${manager} ${time}`)).toEqual([
      `bob ${new Date(now).toISOString().replace('.000Z', 'Z')}`,
    ]);
    expect(forced.body.metadata.generation).toBe(2);
  });

  test('only the subresource writes the status', async () => {
    await apply(`${lamps}/s`, 'alice', { ...lamp('s', { color: 'red' }), status: { on: true } });
    expect((await ask('GET', `${lamps}/s`)).body.status).toBeUndefined();
    const written = await apply(`${lamps}/s/status`, 'alice', { ...lamp('s', { color: 'blue' }), status: { on: true } });
    expect([written.body.spec.color, written.body.status, written.body.metadata.generation]).toEqual(['red', { on: true }, 1]);
  });
});

describe('verbs', () => {
  test('lists by selectors and in pages', async () => {
    for (const [name, tier] of [
      ['p1', 'x'],
      ['p2', 'y'],
      ['p3', 'x'],
    ]) {
      await ask('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name, labels: { tier } } });
    }
    const names = async (query: Record<string, string>) => {
      const { body } = await ask('GET', '/api/v1/namespaces/default/configmaps', undefined, { query });
      return [body.items.map(({ metadata }: AnyObject) => metadata.name), body.metadata.continue];
    };
    expect(await names({ labelSelector: 'tier=x' })).toEqual([['p1', 'p3'], undefined]);
    expect(await names({ labelSelector: 'tier in (y)' })).toEqual([['p2'], undefined]);
    expect(await names({ fieldSelector: 'metadata.name=p3' })).toEqual([['p3'], undefined]);
    const [first, token] = await names({ limit: '2' });
    expect(first).toEqual(['p1', 'p2']);
    expect(await names({ limit: '2', continue: token })).toEqual([['p3'], undefined]);
  });

  test('a client can request metadata only', async () => {
    const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';
    const { body } = await ask('GET', '/api/v1/namespaces', undefined, { accept });
    expect([body.kind, Object.keys(body.items[0]).toSorted()]).toEqual(['PartialObjectMetadataList', ['apiVersion', 'kind', 'metadata']]);
  });

  test('a watch reports each change', async () => {
    const events: string[] = [];
    const { watch } = await ask('GET', '/api/v1/namespaces/default/secrets', undefined, { query: { watch: 'true' } });
    const stop = watch?.(
      (event: Json) => events.push(`${(event as AnyObject).type} ${(event as AnyObject).object.metadata.name}`),
      () => {},
    );
    await ask('POST', '/api/v1/namespaces/default/secrets', { metadata: { name: 'w' } });
    await ask(
      'PATCH',
      '/api/v1/namespaces/default/secrets/w',
      { metadata: { labels: { a: 'b' } } },
      { type: 'application/merge-patch+json' },
    );
    await ask('DELETE', '/api/v1/namespaces/default/secrets/w');
    stop?.();
    expect(events).toEqual(['ADDED w', 'MODIFIED w', 'DELETED w']);
  });

  test('an object is deleted after its last finalizer is removed; a wrong uid deletes nothing', async () => {
    await apply(`${lamps}/f`, 'alice', lamp('f', { color: 'red' }, { finalizers: ['example.com/x'] }));
    expect(await ask('DELETE', `${lamps}/f`, { preconditions: { uid: 'other' } })).toMatchObject({ code: 409 });
    expect((await ask('DELETE', `${lamps}/f`)).body.metadata.deletionTimestamp).toBeDefined();
    await apply(`${lamps}/f`, 'alice', lamp('f', { color: 'red' }));
    expect(await ask('GET', `${lamps}/f`)).toMatchObject({ code: 404, body: { message: 'lamps.example.com "f" not found' } });
  });

  test('a dry run leaves nothing behind', async () => {
    expect(await apply(`${lamps}/dry`, 'alice', lamp('dry', { color: 'red' }), { dryRun: 'All' })).toMatchObject({ code: 201 });
    expect(await ask('GET', `${lamps}/dry`)).toMatchObject({ code: 404 });
  });

  test('no object is created in a missing namespace; deleting a namespace deletes its objects', async () => {
    const missing = await ask('POST', '/api/v1/namespaces/gone/configmaps', { metadata: { name: 'c' } });
    expect([missing.code, missing.body.message]).toEqual([404, 'namespaces "gone" not found']);
    await ask('POST', '/api/v1/namespaces', { metadata: { name: 'short' } });
    await ask('POST', '/api/v1/namespaces/short/configmaps', { metadata: { name: 'c' } });
    expect((await ask('DELETE', '/api/v1/namespaces/short')).body.status.phase).toBe('Terminating');
    expect(await ask('GET', '/api/v1/namespaces/short')).toMatchObject({ code: 404 });
    expect((await ask('GET', '/api/v1/configmaps')).body.items.map(({ metadata }: AnyObject) => metadata.namespace)).not.toContain('short');
  });

  test('a strategic merge patch merges lists by their key', async () => {
    const path = '/apis/apps/v1/namespaces/default/deployments';
    const containers = [{ name: 'a', image: 'a:1' }];
    const template = { metadata: { labels: { app: 'x' } }, spec: { containers } };
    await ask('POST', path, { metadata: { name: 'd' }, spec: { selector: { matchLabels: { app: 'x' } }, template } });
    const patch = { spec: { template: { spec: { containers: [{ name: 'a', image: 'a:2' }] } } } };
    const { body } = await ask('PATCH', `${path}/d`, patch, { type: 'application/strategic-merge-patch+json' });
    expect(body.spec.template.spec.containers).toMatchObject([{ name: 'a', image: 'a:2', imagePullPolicy: 'IfNotPresent' }]);
    expect(body.metadata.generation).toBe(2);
  });
});

describe('over HTTP', () => {
  test('requests without the token are refused; the data outlives the server and has one writer', async () => {
    const data = mkdtempSync(join(tmpdir(), 'fieldwise-embedded-'));
    try {
      const first = await EmbeddedApiServer.start({ data });
      const code = (token?: string) =>
        new Promise<number | undefined>((resolve, reject) => {
          const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
          get(`${first.url}/api/v1/namespaces`, { ca: first.ca, headers, agent: false }, (response) => {
            response.resume();
            resolve(response.statusCode);
          }).on('error', reject);
        });
      expect([await code(), await code('wrong'), await code(first.token)]).toEqual([403, 401, 200]);
      await expect(EmbeddedApiServer.start({ data })).rejects.toMatchObject({ code: 'cluster-data-locked' });
      const body = JSON.stringify({ metadata: { name: 'kept' } });
      const create = { method: 'POST', path: '/api/v1/namespaces', query: new URLSearchParams(), headers: {}, body };
      expect(await first.handle(create)).toMatchObject({ code: 201 });
      await first.stop();
      const second = await EmbeddedApiServer.start({ data, port: false });
      const found = await second.handle({ method: 'GET', path: '/api/v1/namespaces/kept', query: new URLSearchParams(), headers: {} });
      await second.stop();
      expect(found.code).toBe(200);
    } finally {
      rmSync(data, { recursive: true });
    }
  });
});
