import { describe, expect, test } from 'vitest';
import type { ApiCallError, ResponseBody } from '../../harness/api-client.js';
import { crdOf } from '../../harness/crd.js';
import { poll } from '../../harness/poll.js';
import { TestEnvironment } from '../../harness/test-environment.js';

/** Rules of CustomResourceDefinitions: which values they see, by which words an object is refused, and when a change is not. */
const testEnvironment = await TestEnvironment.create('custom-rules');
const group = `${testEnvironment.namespace}.example.com`;
const { cluster } = testEnvironment;

const text = { type: 'string', maxLength: 20 };
const rules = (...list: readonly (string | object)[]) => ({
  'x-kubernetes-validations': list.map((rule) => (typeof rule === 'string' ? { rule } : rule)),
});

const definition = (kind: string) =>
  crdOf(group, kind, {
    spec: {
      type: 'object',
      properties: {
        min: { type: 'integer' },
        max: { type: 'integer', maximum: 100 },
        class: { ...text, ...rules({ rule: 'self == oldSelf', message: 'class is immutable' }) },
        once: {
          ...text,
          ...rules({ rule: '!oldSelf.hasValue() || self == oldSelf.value()', message: 'set once', optionalOldSelf: true }),
        },
        mode: { ...text, enum: ['a', 'b'] },
        name: { ...text, pattern: '^[a-z]+$', ...rules({ rule: 'self != "bad"', messageExpression: '"not " + self' }) },
        scores: { type: 'object', maxProperties: 5, additionalProperties: { type: 'integer', ...rules('self >= 0') } },
        words: { type: 'array', maxItems: 5, items: { ...text, ...rules('self.size() > 1') } },
        ports: {
          type: 'array',
          maxItems: 5,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            properties: { name: text, port: { type: 'integer', maximum: 10 } },
            ...rules({ rule: 'self.port >= oldSelf.port', message: 'ports only rise', fieldPath: '.port', reason: 'FieldValueForbidden' }),
          },
        },
      },
      ...rules(
        { rule: '!has(self.min) || !has(self.max) || self.min <= self.max', message: 'min is at most max', fieldPath: '.min' },
        'self.?mode.orValue("a") != "b" || has(self.class)',
      ),
    },
    status: { type: 'object', properties: { phase: { ...text, ...rules('self in ["x", "y"]') }, count: { type: 'integer', maximum: 5 } } },
  });

const kind = 'Ruled';
await testEnvironment.crd(definition(kind));

const object = (name: string, spec: object, more: object = {}) => ({ ...testEnvironment.ref(`${group}/v1`, kind, name), spec, ...more });
const messageOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: ApiCallError) => error.body.message.replace(/^.*? is invalid: /, '') as string,
  );
let count = 0;
const created = async (spec: object) => {
  const wanted = object(`o${count++}`, spec);
  await cluster.create('creator', wanted);
  return wanted;
};

describe('a create', () => {
  test.each<readonly [spec: object, message: string | undefined]>([
    [{}, undefined],
    [{ min: 1, max: 2, class: 'a', once: 'b' }, undefined],
    [{ min: 3, max: 2 }, 'spec.min: Invalid value: min is at most max'],
    [{ mode: 'b' }, 'spec: Invalid value: failed rule: self.?mode.orValue("a") != "b" || has(self.class)'],
    [{ name: 'bad' }, 'spec.name: Invalid value: "bad": not bad'],
    [{ scores: { a: 1, b: -1 } }, 'spec.scores[b]: Invalid value: -1: failed rule: self >= 0'],
    [{ words: ['ab', 'c'] }, 'spec.words[1]: Invalid value: "c": failed rule: self.size() > 1'],
    [
      { mode: 'c', min: 3, max: 2 },
      '[spec.mode: Unsupported value: "c": supported values: "a", "b", ' +
        '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; ' +
        'correct the existing errors to complete validation]',
    ],
  ])('%j: %s', async (spec, message) => {
    const path = await cluster.path(object('dry', spec));
    const call = cluster.client.call('POST', path.slice(0, path.lastIndexOf('/')), { body: object('dry', spec), query: { dryRun: 'All' } });
    const found = await messageOf(call);
    expect(found).toBe(message === undefined ? undefined : message);
  });
});

describe('a change', () => {
  test.each<readonly [before: object, after: object, message: string | undefined]>([
    [{ class: 'a' }, { class: 'a', min: 1 }, undefined],
    [{ class: 'a' }, { class: 'b' }, 'spec.class: Invalid value: "b": class is immutable'],
    [{}, { class: 'b' }, undefined],
    [{ once: 'a' }, { once: 'b' }, 'spec.once: Invalid value: "b": set once'],
    [{}, { once: 'b' }, undefined],
    [{ ports: [{ name: 'a', port: 2 }] }, { ports: [{ name: 'b', port: 1 }] }, undefined],
    [
      { ports: [{ name: 'a', port: 2 }] },
      {
        ports: [
          { name: 'b', port: 1 },
          { name: 'a', port: 1 },
        ],
      },
      'spec.ports[1].port: Forbidden: ports only rise',
    ],
  ])('from %j to %j: %s', async (before, after, message) => {
    const existing = await created(before);
    const { metadata } = await cluster.get(existing);
    const call = cluster.client.call('PUT', await cluster.path(existing), { body: { ...existing, metadata, spec: after } });
    expect(await messageOf(call)).toBe(message);
  });

  test('by an apply is refused in the same words', async () => {
    const existing = await created({ class: 'a' });
    const call = cluster.apply('other', { ...existing, spec: { class: 'b' } } as never, { force: true });
    expect(await messageOf(call)).toBe('spec.class: Invalid value: "b": class is immutable');
  });

  test('of the status evaluates the rules of the whole object', async () => {
    const existing = await created({});
    const put = async (status: object) => {
      const { metadata } = await cluster.get(existing);
      return cluster.client.call('PUT', `${await cluster.path(existing)}/status`, { body: { ...existing, metadata, status } });
    };
    expect(await messageOf(put({ phase: 'z' }))).toBe('status.phase: Invalid value: "z": failed rule: self in ["x", "y"]');
    expect(await messageOf(put({ count: 6 }))).toContain('status.count: Invalid value: 6');
    expect(await messageOf(put({ phase: 'x' }))).toBeUndefined();
  });
});

/** Returns the warnings of an update that changes a label, and perhaps more. */
const warningsOfUpdate = async (existing: ResponseBody, change: object = {}) => {
  const live = await cluster.get(existing as never);
  const body = { ...live, metadata: { ...live.metadata, labels: { changed: 'yes' } }, spec: { ...live.spec, ...change } };
  const url = new URL(cluster.client.connection.server.replace(/\/$/, '') + (await cluster.path(existing as never)));
  const { headers } = await cluster.client.raw('PUT', url, { 'content-type': 'application/json' }, Buffer.from(JSON.stringify(body)));
  return [headers.warning ?? []].flat();
};

describe('after a definition became stricter', () => {
  test.each<readonly [change: object, message: string | undefined]>([
    [{ other: 'x' }, undefined],
    [{ name: 'still-bad' }, '"still-bad"'],
    [{ list: [{ k: 'a', v: 'toolong' }, { k: 'b' }] }, undefined],
    [{ list: [{ k: 'a', v: 'longer-yet' }] }, 'spec.list[0].v'],
    [{ plain: ['toolong', 'x'] }, 'spec.plain[0]'],
    [{ other: 'no' }, 'spec.other'],
  ])('%j: %s', async (change, message) => {
    const strict = `Strict${count++}`;
    const item = (limit: object) => ({ type: 'object', required: ['k'], properties: { k: text, v: { type: 'string', ...limit } } });
    const schema = (limit: object, rule: object) =>
      crdOf(group, strict, {
        spec: {
          type: 'object',
          properties: {
            name: { ...text, ...rule },
            other: { ...text, ...rules('self != "no"') },
            list: { type: 'array', items: item(limit), 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] },
            plain: { type: 'array', items: { type: 'string', ...limit } },
          },
        },
      });
    await testEnvironment.crd(schema({}, {}));
    const spec = { name: 'Bad', list: [{ k: 'a', v: 'toolong' }], plain: ['toolong'] };
    const existing = { ...testEnvironment.ref(`${group}/v1`, strict, 'one'), spec } as ResponseBody;
    await cluster.create('creator', existing as never);
    await testEnvironment.crd(schema({ maxLength: 3 }, rules('self == self.lowerAscii() && !self.contains("bad")')));
    const path = await cluster.path(existing as never);
    const refused = { ...testEnvironment.ref(`${group}/v1`, strict, 'refused'), spec: { plain: ['toolong'] } };
    await poll('the stricter definition is used', async () => {
      const created = cluster.client.call('POST', path.slice(0, path.lastIndexOf('/')), { body: refused, query: { dryRun: 'All' } });
      return (await messageOf(created)) !== undefined;
    });
    const update = async () => {
      const live = await cluster.get(existing as never);
      return cluster.client.call('PUT', path, { body: { ...live, spec: { ...live.spec, ...change } } });
    };
    const found = await messageOf(update());
    if (message === undefined) {
      expect(found).toBeUndefined();
      expect(await warningsOfUpdate(existing)).toEqual([expect.stringContaining('spec.name: Invalid value')]);
    }
    if (message !== undefined) expect(found).toContain(message);
    // What is refused for a rule warns of the others, too.
    if (message === 'spec.other') {
      expect(await warningsOfUpdate(existing, change)).toEqual([expect.stringContaining('spec.name: Invalid value')]);
    }
  });

  test('an item without the key of a list that became a map list is compared with none; a write that mends it leaves no owners', async () => {
    const strict = `Strict${count++}`;
    const items = { type: 'object', properties: { k: text, v: text } };
    const schema = (list: object) => crdOf(group, strict, { spec: { type: 'object', properties: { other: text, list } } });
    await testEnvironment.crd(schema({ type: 'array', items }));
    const list = [{ k: 'a' }, { v: 'x' }];
    const existing = { ...testEnvironment.ref(`${group}/v1`, strict, 'one'), spec: { list } } as ResponseBody;
    await cluster.create('creator', existing as never);
    const keyed = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] };
    await testEnvironment.crd(schema({ ...keyed, items: { ...items, required: ['k'] } }));
    const change = (spec: object) => cluster.patch('editor', existing as never, { spec });
    await poll('the map list is used', async () => (await messageOf(change({ list: [...list, { v: 'y' }] }))) !== undefined);
    expect(await messageOf(change({ other: 'y' }))).toContain('spec.list[1].k: Required value');
    const { metadata, spec } = await change({ list: [{ k: 'a' }] });
    expect([metadata.managedFields, spec]).toEqual([undefined, { list: [{ k: 'a' }] }]);
  });
});

describe('a definition', () => {
  const list = (listType: object, items: object) => ({
    type: 'object',
    properties: { l: { type: 'array', maxItems: 3, ...listType, items } },
  });
  test.each<readonly [spec: object, message: string]>([
    [{ type: 'object', ...rules('') }, 'x-kubernetes-validations[0].rule: Required value: rule is not specified'],
    [{ type: 'object', ...rules({ rule: 'true', message: ' ' }) }, 'message: Invalid value: " ": must be non-empty if specified'],
    [{ type: 'object', ...rules({ rule: 'true', message: 'a\nb' }) }, 'must not contain line breaks'],
    [{ type: 'object', ...rules('true &&\ntrue') }, 'message: Required value: message must be specified if rule contains line breaks'],
    [{ type: 'object', ...rules({ rule: 'true', reason: 'Because' }) }, 'reason: Unsupported value: "Because": supported values: '],
    [{ type: 'object', ...rules({ rule: 'true', fieldPath: '.x' }) }, 'fieldPath: Invalid value: ".x": must be a valid path'],
    [{ type: 'object', ...rules({ rule: 'true', optionalOldSelf: true }) }, 'may not be set if oldSelf is not used in rule'],
    [{ type: 'object', ...rules('1') }, 'cel expression must evaluate to a bool'],
    [{ type: 'object', ...rules({ rule: 'true', messageExpression: '1' }) }, 'messageExpression must evaluate to a string'],
    [list({}, { ...text, ...rules('self == oldSelf') }), 'oldSelf cannot be used on the uncorrelatable portion of the schema within '],
    [
      { type: 'object', properties: { l: { type: 'array', items: { type: 'string' } } }, ...rules('self.l.all(x, self.l.all(y, x == y))') },
      'rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x',
    ],
  ])('with %j is refused: %s', async (spec, message) => {
    const bad = crdOf(group, 'Bad', { spec });
    const path = await cluster.path(bad as never);
    const call = cluster.client.call('POST', path.slice(0, path.lastIndexOf('/')), { body: bad as never, query: { dryRun: 'All' } });
    expect(await messageOf(call)).toContain(message);
  });
});
