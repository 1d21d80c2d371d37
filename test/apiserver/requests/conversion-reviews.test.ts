import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { selfSignedCertificate } from '../../../src/apiserver/http/certificate.js';
import type { ApiCallError, ResponseBody } from '../../harness/api-client.js';
import { converted, type ScriptedConversion, scriptedConversion } from '../../harness/conversion-webhook.js';
import { poll } from '../../harness/poll.js';
import type { ReviewExchange } from '../../harness/review-server.js';
import { TestEnvironment } from '../../harness/test-environment.js';

/** What a server says of the answers of a conversion webhook, and what it takes of them. */
const testEnvironment = await TestEnvironment.create('conversion-reviews');
const { cluster } = testEnvironment;
const { client } = cluster;
const webhook = await scriptedConversion(testEnvironment);

const spec = {
  type: 'object',
  properties: { size: { type: 'integer' }, length: { type: 'integer' }, d: { type: 'string', default: 'dd' } },
};
const version = (name: string) => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
});
let count = 0;

/** Defines a kind in two versions, with an object `a` of v1; returns its group. */
async function define(conversion: object): Promise<string> {
  count += 1;
  const group = `g${count}.${testEnvironment.namespace}.example.com`;
  webhook.answer = converted;
  await testEnvironment.crd({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: 'Widget', plural: 'widgets' },
      versions: ['v1', 'v2'].map(version),
      conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig: webhook.clientConfig, ...conversion } },
    },
  });
  const labels = { l: '1' };
  const object = testEnvironment.ref(`${group}/v1`, 'Widget', 'a');
  const create = () => cluster.create('test', { ...object, metadata: { ...object.metadata, labels }, spec: { size: 1 } });
  // The server stores objects a moment after it tells of the kind.
  await poll('the server stores widgets', () => create().then(Boolean, () => false));
  return group;
}

const pathOf = (group: string, of: string, name = '') =>
  `/apis/${group}/${of}/namespaces/${testEnvironment.namespace}/widgets${name && `/${name}`}`;

/** Reads the object in v2, for which the webhook is called. */
async function read(group: string): Promise<{ readonly message?: string; readonly object?: ResponseBody }> {
  const normalized = (text: string) => text.replaceAll(group, 'GROUP').replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UID');
  return client.call('GET', pathOf(group, 'v2', 'a')).then(
    (object) => ({ object }),
    ({ status, body }: ApiCallError) => ({ message: `${status} ${body.reason ?? 'no reason'}: ${normalized(body.message)}` }),
  );
}

const group = await define({});
const failed = (text: string) => `500 no reason: conversion webhook for GROUP/v1, Kind=Widget failed: ${text}`;
const returned = (text: string) => `500 no reason: conversion webhook for GROUP/v1, Kind=Widget returned ${text}`;
const plain = (text: string) => `500 no reason: ${text}`;

test('a review as it is sent', async () => {
  const seen: { review?: ResponseBody; request?: ReviewExchange['request'] } = {};
  webhook.answer = (review, { request }) => {
    if (review.request.desiredAPIVersion === `${group}/v2`) Object.assign(seen, { review, request });
    return converted(review);
  };
  const { object } = await read(group);
  expect(object.spec).toEqual({ length: 1, d: 'dd' });
  const { request, ...review } = seen.review;
  expect(review).toEqual({
    kind: 'ConversionReview',
    apiVersion: 'apiextensions.k8s.io/v1',
    response: { uid: '', convertedObjects: null, result: { metadata: {} } },
  });
  const { uid, objects, ...others } = request;
  expect(uid).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
  expect(others).toEqual({ desiredAPIVersion: `${group}/v2` });
  expect(objects).toMatchObject([
    { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'a', labels: { l: '1' } }, spec: { size: 1, d: 'dd' } },
  ]);
  const { method, url, headers } = seen.request as ReviewExchange['request'];
  expect({ method, url }).toEqual({ method: 'POST', url: '/?timeout=30s' });
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    accept: 'application/json, */*',
    'user-agent': 'kube-apiserver-admission',
  });
});

/** Changes the response of an honest webhook. */
const response = (change: (response: ResponseBody) => object) => (review: ResponseBody) => {
  const honest = converted(review);
  return { ...honest, response: { ...honest.response, ...change(honest.response) } };
};
const object = (change: (object: ResponseBody) => unknown) =>
  response(({ convertedObjects }) => ({ convertedObjects: convertedObjects.map(change) }));
const metadata = (change: object) => object((each) => ({ ...each, metadata: { ...each.metadata, ...change } }));
const review = (change: object) => (asked: ResponseBody) => ({ ...converted(asked), ...change });
const unmarshal = (found: string, field: string) => failed(`json: cannot unmarshal ${found} into Go struct field ${field}`);
const expectedReview = 'expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got';
const namePart =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const unregistered = (kind: string, of: string) =>
  failed(`no kind "${kind}" is registered for version "${of}" in scheme "pkg/runtime/scheme.go:111"`);

describe('a webhook that lies is not believed', () => {
  test.each<readonly [lie: string, answer: ScriptedConversion['answer'], message: string]>([
    ['it fails', response(() => ({ result: { status: 'Failure', message: 'I will not' } })), failed('I will not')],
    [
      'it fails silently',
      response(() => ({ result: { status: 'Failure' } })),
      failed("response.result.status was 'Failure', not 'Success'"),
    ],
    ['another status', response(() => ({ result: { status: 'Maybe' } })), failed("response.result.status was 'Maybe', not 'Success'")],
    ['no result', response(() => ({ result: undefined })), failed("response.result.status was '', not 'Success'")],
    [
      'a result that is a text',
      response(() => ({ result: 'Success' })),
      unmarshal('string', 'ConversionResponse.response.result of type v1.Status'),
    ],
    ['another uid', response(() => ({ uid: 'other' })), failed('expected response.uid="UID", got "other"')],
    ['no uid', response(() => ({ uid: undefined })), failed('expected response.uid="UID", got ""')],
    ['a uid that is a number', response(() => ({ uid: 5 })), unmarshal('number', 'ConversionResponse.response.uid of type types.UID')],
    ['no response', review({ response: undefined }), failed('no response provided')],
    [
      'a response that is a text',
      review({ response: 'yes' }),
      unmarshal('string', 'ConversionReview.response of type v1.ConversionResponse'),
    ],
    [
      'a review of the other version',
      review({ apiVersion: 'apiextensions.k8s.io/v1beta1' }),
      failed('converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion'),
    ],
    ['a review without apiVersion', review({ apiVersion: undefined }), failed(`${expectedReview} /, Kind=ConversionReview`)],
    ['a review without kind', review({ kind: undefined }), failed(`${expectedReview} apiextensions.k8s.io/v1, Kind=`)],
    [
      'a review of admission',
      review({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' }),
      unregistered('AdmissionReview', 'admission.k8s.io/v1'),
    ],
    ['a review of an unknown kind', review({ kind: 'Foo' }), unregistered('Foo', 'apiextensions.k8s.io/v1')],
    [
      'a Status',
      () => ({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'no', code: 409 }),
      failed('converting (v1.Status) to (v1.ConversionReview): unknown conversion'),
    ],
    ['no objects', response(() => ({ convertedObjects: [] })), returned('0 objects, expected 1')],
    ['objects that are null', response(() => ({ convertedObjects: null })), returned('0 objects, expected 1')],
    [
      'objects that are no list',
      response(() => ({ convertedObjects: {} })),
      unmarshal('object', 'ConversionResponse.response.convertedObjects of type []runtime.RawExtension'),
    ],
    ['two objects', response(({ convertedObjects: [first] }) => ({ convertedObjects: [first, first] })), returned('2 objects, expected 1')],
    ['a text', object(() => 'x'), plain('json: cannot unmarshal string into Go value of type map[string]interface {}')],
    ['a list', object(() => []), plain('json: cannot unmarshal array into Go value of type map[string]interface {}')],
    ['null', object(() => null), plain('unexpected end of JSON input')],
    ['an empty object', object(() => ({})), plain("Object 'Kind' is missing in '{}'")],
    [
      'an object of another version',
      object((each) => ({ ...each, apiVersion: `${group}/v9` })),
      returned('invalid object at index 0: invalid groupVersion (expected GROUP/v2, received GROUP/v9)'),
    ],
    [
      'an object without apiVersion',
      object((each) => ({ ...each, apiVersion: undefined })),
      returned('invalid object at index 0: invalid groupVersion (expected GROUP/v2, received )'),
    ],
    [
      'an object of another kind',
      object((each) => ({ ...each, kind: 'Gadget' })),
      returned('invalid object at index 0: invalid kind (expected Widget, received Gadget)'),
    ],
    ['another name', metadata({ name: 'other' }), returned('invalid object: must have the same name: a != other')],
    ['a name that is a number', metadata({ name: 5 }), returned('invalid object: must have the same name: a != ')],
    ['another uid of the object', metadata({ uid: 'other' }), returned('invalid object: must have the same UID: UID != other')],
    ['no metadata', object((each) => ({ ...each, metadata: undefined })), returned('invalid object: must have the same name: a != ')],
    [
      'labels with a wrong key',
      metadata({ labels: { 'a b': 'b' } }),
      returned(`invalid metadata: metadata.labels: Invalid value: "a b": ${namePart}`),
    ],
    [
      'a label that is a number',
      metadata({ labels: { a: 5 } }),
      returned('invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object'),
    ],
    [
      'a label that is null',
      metadata({ labels: { a: null } }),
      returned('invalid metadata: metadata.labels[a] must be a string, but is <nil> in converted object'),
    ],
    [
      'labels that are a list',
      metadata({ labels: [] }),
      returned('invalid metadata: invalid metadata.labels of type []interface {} in converted object'),
    ],
    [
      'annotations with a wrong key',
      metadata({ annotations: { 'a b': 'b' } }),
      returned(`invalid metadata: metadata.annotation: Invalid value: "a b": ${namePart}`),
    ],
    [
      'annotations that are too long',
      metadata({ annotations: { a: 'x'.repeat(300_000) } }),
      returned('invalid metadata: metadata.annotation: Too long: may not be more than 262144 bytes'),
    ],
  ])('%s', async (_, answer, message) => {
    webhook.answer = answer;
    expect(await read(group)).toEqual({ message });
  });

  test('another namespace', async () => {
    webhook.answer = metadata({ namespace: 'other' });
    const message = returned(`invalid object: must have the same namespace: ${testEnvironment.namespace} != other`);
    expect(await read(group)).toEqual({ message });
  });
});

/** Writes a response that is no review. */
const raw =
  (code: number, text: string, type = 'application/json'): ScriptedConversion['answer'] =>
  (_, { response }) => {
    response.writeHead(code, { 'content-type': type }).end(text);
    return undefined;
  };
const typeMeta = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
const unreadable = (problem: string) => failed(`couldn't get version/kind; json parse error: ${problem}`);
const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: 'told', reason: 'Invalid', code: 422 };

describe('a webhook whose answer is no review', () => {
  test.each<readonly [what: string, answer: ScriptedConversion['answer'], message: string]>([
    ['500', raw(500, 'broken', 'text/plain'), failed('an error on the server ("broken") has prevented the request from succeeding')],
    ['500 with JSON', raw(500, '{"a":1}'), failed('an error on the server ("unknown") has prevented the request from succeeding')],
    [
      '500 with a long text',
      raw(500, 'x'.repeat(5_000), 'text/plain'),
      failed(`an error on the server ("${'x'.repeat(2_048)}") has prevented the request from succeeding`),
    ],
    ['a Status', raw(422, JSON.stringify(status)), failed('told')],
    ['400', raw(400, 'no', 'text/plain'), failed('the server rejected our request for an unknown reason')],
    ['401', raw(401, 'no', 'text/plain'), failed('the server has asked for the client to provide credentials')],
    ['403', raw(403, 'no', 'text/plain'), failed('no')],
    ['404', raw(404, 'no', 'text/plain'), failed('the server could not find the requested resource')],
    ['405', raw(405, 'no', 'text/plain'), failed('the server does not allow this method on the requested resource')],
    ['409', raw(409, 'no', 'text/plain'), failed('the server reported a conflict')],
    ['418', raw(418, 'no', 'text/plain'), failed('the server responded with the status code 418 but did not return more information')],
    ['422', raw(422, 'no', 'text/plain'), failed('the server rejected our request due to an error in our request')],
    ['429', raw(429, 'no', 'text/plain'), failed('the server has received too many requests and has asked us to try again later')],
    ['503', raw(503, 'no', 'text/plain'), failed('the server is currently unable to handle the request')],
    [
      '504',
      raw(504, 'no', 'text/plain'),
      failed('the server was unable to return a response in the time allotted, but may still be processing the request'),
    ],
    ['a text', raw(200, 'hello'), unreadable(`json: cannot unmarshal string into Go value of type ${typeMeta}`)],
    ['a list', raw(200, '[]'), unreadable(`json: cannot unmarshal array into Go value of type ${typeMeta}`)],
    ['half of a review', raw(200, '{"kind":"Conv'), unreadable('unexpected end of JSON input')],
    ['nothing', raw(200, ''), failed('0-length response with status code: 200 and content type: application/json')],
    ['null', raw(200, 'null'), failed(`${expectedReview} /, Kind=`)],
    ['a deep value', raw(200, `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`), unreadable("invalid character '[' exceeded max depth")],
    [
      'a body that is cut',
      (_, { request, response }) => {
        response.writeHead(200, { 'content-length': 1_000 }).write('{', () => request.socket.destroy());
        return undefined;
      },
      failed('unexpected error when reading response body. Please retry. Original error: unexpected EOF'),
    ],
  ])('%s', async (_, answer, message) => {
    webhook.answer = answer;
    expect(await read(group)).toEqual({ message });
  });

  test('a broken connection', async () => {
    webhook.answer = (_, { request }) => void request.socket.destroy();
    expect(await read(group)).toEqual({ message: failed(`Post "${webhook.clientConfig.url}?timeout=30s": EOF`) });
  });

  test('a review of 12 MB', async () => {
    webhook.answer = object((each) => ({ ...each, spec: { d: 'x'.repeat(12_000_000) } }));
    expect((await read(group)).object.spec.d).toHaveLength(12_000_000);
  });
});

describe('what the server takes of an answer', async () => {
  const taken = async (answer: ScriptedConversion['answer']) => {
    webhook.answer = answer;
    const { object: found } = await read(group);
    const { labels, annotations, ...others } = found.metadata;
    return { labels, annotations, spec: found.spec, others, ...('bar' in found ? { bar: found.bar } : {}) };
  };
  const honest = await taken(converted);

  test('no metadata but labels and annotations', async () => {
    const ignored = {
      resourceVersion: '5',
      generation: 77,
      finalizers: ['a/b'],
      managedFields: [],
      deletionTimestamp: '2020-01-01T00:00:00Z',
      foo: 1,
    };
    expect(await taken(metadata(ignored))).toEqual(honest);
    const kept = { labels: { a: 'b' }, annotations: { c: 'd' } };
    expect(await taken(metadata(kept))).toEqual({ ...honest, ...kept });
    expect(await taken(metadata({ labels: null }))).toEqual({ ...honest, labels: undefined });
  });

  test('no fields that the schema does not declare', async () => {
    expect(await taken(object((each) => ({ ...each, bar: 1, spec: { ...each.spec, foo: 1 } })))).toEqual(honest);
  });

  test('values of wrong types, and no defaults', async () => {
    expect((await taken(object((each) => ({ ...each, spec: { length: 'x' } })))).spec).toEqual({ length: 'x' });
    expect((await taken(object((each) => ({ ...each, spec: 'x' })))).spec).toBe('x');
    expect((await taken(object((each) => ({ ...each, spec: { d: null, length: null } })))).spec).toEqual({ d: null });
    expect((await taken(object((each) => ({ ...each, spec: null })))).spec).toBeUndefined();
  });
});

describe('a webhook that cannot be reached', () => {
  test.each<readonly [what: string, clientConfig: () => object | Promise<object>, message: string]>([
    [
      'nobody listens',
      () => ({ ...webhook.clientConfig, url: 'https://127.0.0.1:1/' }),
      failed('Post "https://127.0.0.1:1/?timeout=30s": dial tcp 127.0.0.1:1: connect: connection refused'),
    ],
    [
      'its certificate is not known',
      () => ({ url: webhook.clientConfig.url }),
      failed(
        `Post "${webhook.clientConfig.url}?timeout=30s": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
      ),
    ],
    [
      'another authority is given',
      () => ({ ...webhook.clientConfig, caBundle: Buffer.from(selfSignedCertificate(new Date()).cert).toString('base64') }),
      failed(
        `Post "${webhook.clientConfig.url}?timeout=30s": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
      ),
    ],
    [
      'a Service that does not exist',
      () => ({ service: { namespace: 'default', name: 'absent', path: '/convert' } }),
      failed('Post "https://absent.default.svc:443/convert?timeout=30s": service "absent" not found'),
    ],
  ])('%s', async (_, clientConfig, message) => {
    const found = await read(await define({ clientConfig: await clientConfig() }));
    // A server may add why it does not know an authority.
    expect(found.message?.slice(0, message.length)).toBe(message);
  });

  test('it speaks plain HTTP', async () => {
    const server = createServer((_, response) => response.end('plain'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    testEnvironment.onCleanup(() => new Promise((resolve) => server.close(resolve)));
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const found = await read(await define({ clientConfig: { ...webhook.clientConfig, url } }));
    expect(found).toEqual({ message: failed(`Post "${url}?timeout=30s": http: server gave HTTP response to HTTPS client`) });
  });

  test('it answers after half a minute', async () => {
    const slow = await define({});
    webhook.answer = () => new Promise<undefined>(() => {});
    const start = Date.now();
    // The words depend on what of a server ends first.
    expect((await read(slow)).message).toContain(failed(`Post "${webhook.clientConfig.url}?timeout=30s": `));
    expect(Date.now() - start).toBeGreaterThanOrEqual(29_900);
  });
});

describe('the version of reviews', () => {
  test.each([
    { versions: ['v1beta1'], sent: 'v1beta1' },
    { versions: ['v2', 'v1'], sent: 'v1' },
    { versions: ['v1beta1', 'v1'], sent: 'v1beta1' },
  ])('$versions', async ({ versions, sent }) => {
    const kind = await define({ conversionReviewVersions: versions });
    const seen = new Set<string>();
    webhook.answer = (asked) => {
      if (asked.request.desiredAPIVersion === `${kind}/v2`) seen.add(asked.apiVersion);
      const { uid, ...others } = converted(asked).response;
      // The older version need not name the request.
      return { ...converted(asked), response: sent === 'v1' ? { uid, ...others } : others };
    };
    expect((await read(kind)).object.spec).toEqual({ length: 1, d: 'dd' });
    expect([...seen]).toEqual([`apiextensions.k8s.io/${sent}`]);
  });
});
