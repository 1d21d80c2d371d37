import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { selfSignedCertificate } from '../../../src/apiserver/http/certificate.js';
import { ApiServer, EmbeddedApiServer } from '../../../src/apiserver/index.js';
import type { JsonObject } from '../../../src/util/json.js';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at by tests that know their shape
type AnyObject = any;

const certificate = selfSignedCertificate(new Date());
let hook: Server;
let clientConfig: object;
/** Awaited before each answer. */
let beforeAnswer: () => Promise<unknown> = async () => {};

beforeAll(async () => {
  hook = createServer(certificate, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { kind, apiVersion, request: asked } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    await beforeAnswer();
    const convertedObjects = asked.objects.map((object: AnyObject) => ({ ...object, apiVersion: asked.desiredAPIVersion }));
    response.end(JSON.stringify({ kind, apiVersion, response: { uid: asked.uid, convertedObjects, result: { status: 'Success' } } }));
  });
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  const url = `https://127.0.0.1:${(hook.address() as AddressInfo).port}/`;
  clientConfig = { url, caBundle: Buffer.from(certificate.cert).toString('base64') };
});
afterAll(() => new Promise((resolve) => hook.close(resolve)));

const schema = {
  openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } } },
};
const definition = (): JsonObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' },
    versions: ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === 'v1', schema })),
    conversion: { strategy: 'Webhook', webhook: { clientConfig: clientConfig as JsonObject, conversionReviewVersions: ['v1'] } },
  },
});
const widget = (version: string, metadata: object = {}): JsonObject => ({
  apiVersion: `example.com/${version}`,
  kind: 'Widget',
  metadata: { name: 'w', namespace: 'default', ...metadata },
  spec: { size: 1 },
});
const pathOf = (version: string, name = '') => `/apis/example.com/${version}/namespaces/default/widgets${name && `/${name}`}`;
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

async function start(options: object = {}): Promise<(method: string, path: string, body?: object) => Promise<AnyObject>> {
  const server = await EmbeddedApiServer.start({ port: false, ...options });
  const send = async (method: string, path: string, body?: object) => {
    const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
    const { code, body: answer, watch, warnings } = await server.handle({ method, path, headers, ...(body === undefined ? {} : { body }) });
    return { code, body: answer as AnyObject, watch, warnings };
  };
  expect(await send('POST', definitions, definition())).toMatchObject({ code: 201, warnings: [] });
  return send;
}

describe('a server that calls no webhooks says so', () => {
  const message =
    'conversion webhook for example.com/v1, Kind=Widget failed: this server calls no webhooks: it was started with `webhooks: false`';

  test('to a request that needs one', async () => {
    const send = await start({ webhooks: false });
    expect(await send('POST', pathOf('v1'), widget('v1'))).toMatchObject({ code: 201 });
    expect(await send('GET', pathOf('v1', 'w'))).toMatchObject({ code: 200 });
    for (const path of [pathOf('v2', 'w'), pathOf('v2')]) {
      expect(await send('GET', path)).toMatchObject({ code: 500, body: { status: 'Failure', message } });
    }
    expect(await send('DELETE', pathOf('v2', 'w'))).toMatchObject({ code: 500, body: { message } });
  });

  test('to a watch, which ends', async () => {
    const send = await start({ webhooks: false });
    await send('POST', pathOf('v1'), widget('v1'));
    const { watch } = await send('GET', `${pathOf('v2')}?watch=1`);
    const events: unknown[] = [];
    await new Promise<void>((resolve) => watch((event: unknown) => events.push(event), resolve));
    expect(events).toMatchObject([{ type: 'ERROR', object: { code: 500, message } }]);
    // A watch that has ended gets no further events.
    expect(await send('POST', pathOf('v1'), widget('v1', { name: 'later' }))).toMatchObject({ code: 201 });
    expect(events).toHaveLength(1);
  });

  test('of a policy that reads an object in another version', async () => {
    const server = await ApiServer.create({ controllers: false, webhooks: false });
    server.load(definition());
    const [group, version] = ['admissionregistration.k8s.io', 'v1'];
    const policy = {
      spec: {
        matchConstraints: {
          resourceRules: [{ apiGroups: ['example.com'], apiVersions: ['v2'], operations: ['CREATE'], resources: ['widgets'] }],
        },
        validations: [{ expression: 'object.spec.size < 1' }],
      },
    };
    const binding = { spec: { policyName: 'p', validationActions: ['Deny'] } };
    for (const [plural, object] of Object.entries({ validatingadmissionpolicies: policy, validatingadmissionpolicybindings: binding })) {
      const path = `/apis/${group}/${version}/${plural}`;
      const body = JSON.stringify({ metadata: { name: 'p' }, ...object });
      expect((await server.handle({ method: 'POST', path, query: new URLSearchParams(), headers: {}, body })).code).toBe(201);
    }
    const review = await server.policyReviewer(() => false);
    const of = { apiVersion: 'example.com/v1', kind: 'Widget', namespace: 'default', name: 'w', manager: 'm' };
    const { findings, notEvaluated } = review({ operation: 'CREATE', ...of, object: widget('v1'), oldObject: null });
    expect(findings).toEqual([]);
    expect(notEvaluated).toEqual([{ policy: 'p', binding: 'p', reads: 'an object in example.com/v2, to which a webhook converts it' }]);
  });

  test('of an apply that only the server of the object can judge', async () => {
    const server = await ApiServer.create({ controllers: false, webhooks: false });
    server.load(definition());
    const managedFields = [
      {
        ...{ manager: 'other', operation: 'Apply', apiVersion: 'example.com/v2', time: '2026-01-01T00:00:00Z', fieldsType: 'FieldsV1' },
        fieldsV1: { 'f:spec': { 'f:size': {} } },
      },
    ];
    expect(server.wouldBeNoop(widget('v1', { managedFields }), widget('v1'), 'm')).toBe(false);
  });
});

test('a webhook in the process of the server', async () => {
  const send = await start();
  expect(await send('POST', pathOf('v2'), widget('v2'))).toMatchObject({
    code: 201,
    body: { apiVersion: 'example.com/v2', spec: { size: 1 } },
  });
  const { body } = await send('GET', pathOf('v1'));
  expect(body.items).toMatchObject([{ apiVersion: 'example.com/v1', spec: { size: 1 } }]);
});

test('an object of a definition that is deleted while the webhook works is not stored', async () => {
  const send = await start();
  beforeAnswer = async () => {
    beforeAnswer = async () => {};
    await send('DELETE', `${definitions}/widgets.example.com`);
  };
  expect(await send('POST', pathOf('v2'), widget('v2'))).toMatchObject({ code: 404 });
  await send('POST', definitions, definition());
  expect((await send('GET', pathOf('v1'))).body.items).toEqual([]);
});

test('an object that others write while the webhook works is converted as it is then', async () => {
  const send = await start();
  await send('POST', pathOf('v1'), widget('v1'));
  beforeAnswer = async () => {
    beforeAnswer = async () => {};
    await send('PATCH', pathOf('v1', 'w'), { metadata: { labels: { other: 'yes' } } });
  };
  const { code, body } = await send('PATCH', pathOf('v2', 'w'), { spec: { size: 2 } });
  expect(code).toBe(200);
  expect(body).toMatchObject({ metadata: { labels: { other: 'yes' } }, spec: { size: 2 } });
});

test('many requests at once, each with its own conversions', async () => {
  const send = await start();
  const names = Array.from({ length: 40 }, (_, index) => `w${index}`);
  const made = await Promise.all(names.map((name, size) => send('POST', pathOf('v2'), { ...widget('v2', { name }), spec: { size } })));
  expect(made.map(({ body }) => [body.metadata.name, body.spec.size])).toEqual(names.map((name, size) => [name, size]));
});

test('the garbage collector needs no webhook', async () => {
  const send = await start({ webhooks: false });
  const ofOwner = async (name: string) => {
    const { body } = await send('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name } });
    return { apiVersion: 'v1', kind: 'ConfigMap', name, uid: body.metadata.uid };
  };
  const [first, second] = [await ofOwner('first'), await ofOwner('second')];
  await send('POST', pathOf('v1'), widget('v1', { ownerReferences: [first, second] }));
  await send('DELETE', '/api/v1/namespaces/default/configmaps/first');
  expect((await send('GET', pathOf('v1', 'w'))).body.metadata.ownerReferences).toEqual([second]);
  await send('DELETE', '/api/v1/namespaces/default/configmaps/second');
  expect(await send('GET', pathOf('v1', 'w'))).toMatchObject({ code: 404 });
});
