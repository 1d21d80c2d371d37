import { beforeEach, describe, expect, test } from 'vitest';
import type { ApiCallError, ResponseBody } from '../../harness/api-client.js';
import { converted, scriptedConversion } from '../../harness/conversion-webhook.js';
import { poll } from '../../harness/poll.js';
import { TestEnvironment } from '../../harness/test-environment.js';
import { watchObject } from '../../harness/watch.js';

/** Which requests need a conversion webhook, and what they leave behind if it fails. */
const testEnvironment = await TestEnvironment.create('conversions');
const { cluster } = testEnvironment;
const { client } = cluster;
const group = `${testEnvironment.namespace}.example.com`;
const webhook = await scriptedConversion(testEnvironment);

const integers = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, { type: 'integer' }]));
const schema = {
  openAPIV3Schema: {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { ...integers('size', 'length', 'replicas'), d: { type: 'string', default: 'dd' } } },
      status: { type: 'object', properties: { ready: { type: 'boolean' }, ...integers('replicas') } },
    },
  },
};
const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { kind: 'Widget', plural: 'widgets' },
    versions: ['v1', 'v2', 'v3'].map((name) => ({
      name,
      served: true,
      storage: name === 'v1',
      schema,
      subresources: { status: {}, scale },
    })),
    conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig: webhook.clientConfig } },
  },
};
await testEnvironment.crd(definition);

const widget = (of: string, name: string, spec: object = {}, metadata: object = {}) => {
  const { metadata: own, ...object } = testEnvironment.ref(`${group}/${of}`, 'Widget', name);
  return { ...object, metadata: { ...own, ...metadata }, spec };
};
const pathOf = (of: string, name = '') => `/apis/${group}/${of}/namespaces/${testEnvironment.namespace}/widgets${name && `/${name}`}`;
const patchTypes = { merge: 'application/merge-patch+json', apply: 'application/apply-patch+yaml' };

/** Sends a request; returns the body, or the code and message of a refusal. */
async function send(
  method: string,
  path: string,
  body?: object,
  { type, ...query }: { readonly type?: keyof typeof patchTypes; readonly [name: string]: string | undefined } = {},
): Promise<ResponseBody> {
  const contentType = type === undefined ? 'application/json' : patchTypes[type];
  const call = client.call(method, path, { ...(body === undefined ? {} : { body }), contentType, query });
  return call.catch(({ status, body: refusal }: ApiCallError) => `${status} ${String(refusal.message).replaceAll(group, 'GROUP')}`);
}

/** Lets the webhook fail for some versions. */
function failFor(...versions: readonly string[]): void {
  webhook.answer = (review) => {
    const { desiredAPIVersion, uid } = review.request;
    if (!versions.some((each) => desiredAPIVersion === `${group}/${each}`)) return converted(review);
    return { ...converted(review), response: { uid, result: { status: 'Failure', message: 'no' } } };
  };
}
const failure = (from: string) => `500 conversion webhook for GROUP/${from}, Kind=Widget failed: no`;
const owners = ({ metadata }: ResponseBody) =>
  (metadata.managedFields ?? []).map(({ manager, apiVersion, fieldsV1 }: ResponseBody) => [
    manager,
    apiVersion.split('/')[1],
    Object.keys(fieldsV1['f:spec'] ?? fieldsV1['f:status'] ?? {}).join(' '),
  ]);

await poll('the server stores widgets', () =>
  cluster.create('test', widget('v1', 'first', { size: 1 })).then(
    () => true,
    () => false,
  ),
);
beforeEach(() => failFor());

describe('an object in all versions', () => {
  test('is created in one and read in another', async () => {
    const { spec, apiVersion } = await send('POST', pathOf('v2'), widget('v2', 'made', { length: 3 }));
    expect({ spec, apiVersion }).toEqual({ spec: { length: 3, d: 'dd' }, apiVersion: `${group}/v2` });
    expect((await send('GET', pathOf('v1', 'made'))).spec).toEqual({ size: 3, d: 'dd' });
    expect((await send('GET', pathOf('v3', 'made'))).spec).toEqual({ length: 3, d: 'dd' });
  });

  test('is updated, patched and applied in another than the stored one', async () => {
    await send('POST', pathOf('v1'), widget('v1', 'changed', { size: 1 }));
    const read = await send('GET', pathOf('v2', 'changed'));
    expect((await send('PUT', pathOf('v2', 'changed'), { ...read, spec: { ...read.spec, length: 2 } })).spec.length).toBe(2);
    expect((await send('PATCH', pathOf('v3', 'changed'), { spec: { length: 3 } }, { type: 'merge' })).spec.length).toBe(3);
    const intent = widget('v2', 'changed', { length: 4 });
    expect((await send('PATCH', pathOf('v2', 'changed'), intent, { type: 'apply', fieldManager: 'm', force: 'true' })).spec.length).toBe(4);
    const { metadata, spec } = await send('GET', pathOf('v1', 'changed'));
    expect({ generation: metadata.generation, size: spec.size }).toEqual({ generation: 4, size: 4 });
  });

  test('is not written by an update that changes nothing', async () => {
    await send('POST', pathOf('v1'), widget('v1', 'same', { size: 1 }));
    const read = await send('GET', pathOf('v2', 'same'));
    expect(await send('PUT', pathOf('v2', 'same'), read)).toEqual(read);
  });

  test('is listed and deleted in another', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `listed-${index + 10}`);
    for (const name of names) await send('POST', pathOf('v1'), widget('v1', name, { size: 1 }, { labels: { listed: 'yes' } }));
    const { items } = await send('GET', pathOf('v2'), undefined, { labelSelector: 'listed=yes' });
    expect(items.map(({ metadata, spec, apiVersion }: ResponseBody) => [metadata.name, apiVersion, spec.length])).toEqual(
      names.map((name) => [name, `${group}/v2`, 1]),
    );
    const page = await send('GET', pathOf('v2'), undefined, { labelSelector: 'listed=yes', limit: '7' });
    const rest = await send('GET', pathOf('v2'), undefined, { labelSelector: 'listed=yes', continue: page.metadata.continue });
    expect([...page.items, ...rest.items].map(({ metadata }: ResponseBody) => metadata.name)).toEqual(names);
    const deleted = await send('DELETE', pathOf('v3'), undefined, { labelSelector: 'listed=yes' });
    expect(deleted.items.map(({ apiVersion, spec }: ResponseBody) => [apiVersion, spec.length])).toEqual(
      names.map(() => [`${group}/v3`, 1]),
    );
    expect((await send('GET', pathOf('v1'), undefined, { labelSelector: 'listed=yes' })).items).toEqual([]);
  });

  test('has its status and scale in another', async () => {
    await send('POST', pathOf('v1'), widget('v1', 'scaled', { size: 1, replicas: 1 }));
    const patched = await send('PATCH', `${pathOf('v2', 'scaled')}/status`, { status: { ready: true, replicas: 1 } }, { type: 'merge' });
    expect({ spec: patched.spec, status: patched.status }).toEqual({
      spec: { length: 1, replicas: 1, d: 'dd' },
      status: { ready: true, replicas: 1 },
    });
    expect((await send('GET', `${pathOf('v3', 'scaled')}/scale`)).spec).toEqual({ replicas: 1 });
    expect((await send('PATCH', `${pathOf('v3', 'scaled')}/scale`, { spec: { replicas: 5 } }, { type: 'merge' })).spec).toEqual({
      replicas: 5,
    });
    expect((await send('GET', pathOf('v1', 'scaled'))).spec).toEqual({ size: 1, replicas: 5, d: 'dd' });
  });

  test('is removed by the write that takes its last finalizer', async () => {
    await send('POST', pathOf('v2'), widget('v2', 'final', { length: 1 }, { finalizers: ['example.com/wait'] }));
    expect((await send('DELETE', pathOf('v2', 'final'))).spec).toEqual({ length: 1, d: 'dd' });
    const last = await send('PATCH', pathOf('v3', 'final'), { metadata: { finalizers: null } }, { type: 'merge' });
    expect({ apiVersion: last.apiVersion, spec: last.spec }).toEqual({ apiVersion: `${group}/v3`, spec: { length: 1, d: 'dd' } });
    expect(await send('GET', pathOf('v1', 'final'))).toBe('404 widgets.GROUP "final" not found');
  });

  test('gets the labels that the webhook gives it, in the store too', async () => {
    webhook.answer = (review) => {
      const answer = converted(review);
      for (const { metadata } of answer.response.convertedObjects) metadata.labels = { ...metadata.labels, by: 'webhook' };
      return answer;
    };
    expect((await send('POST', pathOf('v2'), widget('v2', 'labeled', { length: 1 }))).metadata.labels).toEqual({ by: 'webhook' });
    failFor();
    expect((await send('GET', pathOf('v1', 'labeled'))).metadata.labels).toEqual({ by: 'webhook' });
  });
});

describe('owners in several versions', () => {
  const apply = (of: string, name: string, manager: string, spec: object, more: { readonly force?: string } = {}) =>
    send('PATCH', pathOf(of, name), widget(of, name, spec), { type: 'apply', fieldManager: manager, ...more });

  test('are compared in their own version', async () => {
    await apply('v2', 'owned', 'm2', { length: 7, replicas: 2 });
    await apply('v3', 'owned', 'm3', { length: 7 });
    expect(owners(await apply('v1', 'owned', 'm1', { size: 7 }))).toEqual([
      ['m1', 'v1', 'f:size'],
      ['m3', 'v3', 'f:length'],
      ['m2', 'v2', 'f:length f:replicas'],
    ]);
    expect(await apply('v3', 'owned', 'm4', { length: 8 })).toBe(
      '409 Apply failed with 3 conflicts: conflicts with "m1":\n- .spec.size\nconflicts with "m2":\n- .spec.length\nconflicts with "m3":\n- .spec.length',
    );
    const forced = await apply('v3', 'owned', 'm4', { length: 8 }, { force: 'true' });
    expect(owners(forced)).toEqual([
      ['m2', 'v2', 'f:replicas'],
      ['m4', 'v3', 'f:length'],
    ]);
    const updated = await send('PATCH', pathOf('v1', 'owned'), { spec: { size: 9 } }, { type: 'merge', fieldManager: 'u' });
    expect(owners(updated)).toEqual([
      ['m2', 'v2', 'f:replicas'],
      ['u', 'v1', 'f:size'],
    ]);
  });

  test('an owner that applies in another version releases what it no longer declares', async () => {
    await apply('v2', 'moved', 'm', { length: 1, replicas: 2 });
    const moved = await apply('v1', 'moved', 'm', { size: 1 });
    expect(moved.spec).toEqual({ size: 1, d: 'dd' });
    expect(owners(moved)).toEqual([['m', 'v1', 'f:size']]);
  });

  test('if the webhook fails, an apply is refused, and another write drops all owners', async () => {
    await apply('v3', 'unowned', 'm3', { length: 3 });
    await apply('v1', 'unowned', 'm1', { d: 'x' });
    failFor('v3');
    expect(await apply('v1', 'unowned', 'm1', { d: 'x' })).toBe(failure('v1'));
    expect(await apply('v2', 'unowned', 'm9', { length: 3 })).toBe(failure('v2'));
    const scaled = await send('PATCH', `${pathOf('v1', 'unowned')}/scale`, { spec: { replicas: 2 } }, { type: 'merge', fieldManager: 's' });
    expect(scaled.spec).toEqual({ replicas: 2 });
    const patched = await send('PATCH', pathOf('v1', 'unowned'), { spec: { replicas: 5 } }, { type: 'merge', fieldManager: 'u' });
    expect(patched.spec).toEqual({ size: 3, replicas: 5, d: 'x' });
    expect(owners(patched)).toEqual([]);
  });

  test('values that do not fit the version of an owner', async () => {
    webhook.answer = (review) => {
      const answer = converted(review);
      for (const object of answer.response.convertedObjects) if (object.apiVersion === `${group}/v3`) object.spec.replicas = 'x';
      return answer;
    };
    await apply('v3', 'odd', 'm3', { length: 3 });
    expect(await apply('v1', 'odd', 'm1', { d: 'y' })).toBe('500 .spec.replicas: expected numeric (int or float), got string');
  });
});

describe('a webhook that fails', () => {
  const name = 'kept';
  beforeEach(async () => {
    await send('POST', pathOf('v1'), widget('v1', name, { size: 1 }));
  });

  test('for the version of the request', async () => {
    failFor('v3');
    expect(await send('GET', pathOf('v3', name))).toBe(failure('v1'));
    expect(await send('GET', `${pathOf('v3', name)}/scale`)).toBe(failure('v1'));
    expect(await send('DELETE', pathOf('v3', name))).toBe(failure('v1'));
    expect(await send('POST', pathOf('v3'), widget('v3', 'dry', { length: 1 }), { dryRun: 'All' })).toBe(failure('v1'));
    expect((await send('GET', pathOf('v1', name))).spec).toEqual({ size: 1, d: 'dd' });
  });

  test('for the version of the request, after the object was created', async () => {
    failFor('v3');
    expect(await send('POST', pathOf('v3'), widget('v3', 'created', { length: 1 }))).toBe(failure('v1'));
    expect((await send('GET', pathOf('v1', 'created'))).spec).toEqual({ size: 1, d: 'dd' });
  });

  test('for the stored version', async () => {
    await send('GET', pathOf('v2', name));
    failFor('v1');
    expect(await send('POST', pathOf('v2'), widget('v2', 'absent', { length: 1 }))).toBe(failure('v2'));
    expect(await send('POST', pathOf('v2'), widget('v2', name, { length: 1 }))).toBe(failure('v2'));
    expect(await send('PATCH', pathOf('v2', name), { spec: { length: 2 } }, { type: 'merge' })).toBe(failure('v2'));
    expect(await send('PATCH', `${pathOf('v2', name)}/status`, { status: { ready: true } }, { type: 'merge' })).toBe(failure('v2'));
    expect(await send('PATCH', `${pathOf('v2', name)}/scale`, { spec: { replicas: 4 } }, { type: 'merge' })).toBe(failure('v2'));
    expect(await send('GET', pathOf('v1', 'absent'))).toBe('404 widgets.GROUP "absent" not found');
  });

  test('is not called for what is refused before', async () => {
    failFor('v1', 'v2');
    expect(await send('POST', pathOf('v2'), widget('v2', 'invalid', { length: 'x' }))).toMatch(/^422 Widget.GROUP "invalid" is invalid/);
    expect(await send('PUT', pathOf('v2', 'absent'), widget('v2', 'absent'))).toBe('404 widgets.GROUP "absent" not found');
    expect(await send('PUT', pathOf('v1', name), widget('v1', name, { size: 2 }))).toMatch(/metadata.resourceVersion: Invalid value: 0/);
  });
});

describe('a watch', () => {
  const specs = (events: readonly ResponseBody[]) => events.map(({ type, object }) => [type, object.apiVersion, object.spec]);

  test('has each state in its version, and waits for a webhook that fails', async () => {
    await send('POST', pathOf('v1'), widget('v1', 'watched', { size: 1 }));
    const watched = await watchObject(cluster, widget('v2', 'watched'));
    await send('PATCH', pathOf('v1', 'watched'), { spec: { size: 2 } }, { type: 'merge' });
    await watched.until(({ object }) => object.spec.length === 2);
    failFor('v2');
    await send('PATCH', pathOf('v1', 'watched'), { spec: { size: 3 } }, { type: 'merge' });
    await send('PATCH', pathOf('v1', 'watched'), { spec: { size: 4 } }, { type: 'merge' });
    expect(specs(watched.events)).toHaveLength(2);
    failFor();
    await watched.until(({ object }) => object.spec.length === 4);
    await send('DELETE', pathOf('v1', 'watched'));
    await watched.until(({ type }) => type === 'DELETED');
    expect(specs(watched.events)).toEqual([
      ['ADDED', `${group}/v2`, { length: 1, d: 'dd' }],
      ['MODIFIED', `${group}/v2`, { length: 2, d: 'dd' }],
      ['MODIFIED', `${group}/v2`, { length: 3, d: 'dd' }],
      ['MODIFIED', `${group}/v2`, { length: 4, d: 'dd' }],
      ['DELETED', `${group}/v2`, { length: 4, d: 'dd' }],
    ]);
    watched.stop();
  });
});
