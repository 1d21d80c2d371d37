import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { formatPath, membersOf, readFieldsV1 } from '../../../src/fields/index.js';
import { customKind, type VersionedKind, versionedKind } from '../../../src/merge/index.js';
import { type ApplyOutcome, applyRequest, managedFieldsOf, updateRequest, withoutNewTimes } from '../../../src/ownership/index.js';
import { readCrd } from '../../../src/schema/index.js';
import type { Json, JsonObject } from '../../../src/util/json.js';
import { kiosk } from '../merge/kiosk.js';

const kind: VersionedKind = versionedKind(kiosk);
const apiVersion = 'example.com/v1';
const at = (second: number) => `2030-01-01T00:00:${String(second).padStart(2, '0')}Z`;
const object = (yaml: string, metadata: JsonObject = {}): JsonObject => ({
  apiVersion,
  kind: 'Kiosk',
  metadata: { name: 'k', ...metadata },
  spec: parse(yaml) as Json,
});
/** `m1 Apply @1: .spec.title` */
const owners = (value: JsonObject | undefined) =>
  managedFieldsOf(value).map(({ manager, operation, time, fields }) => {
    const paths = [...membersOf(fields)].map(({ path }) => formatPath(path));
    return `${manager} ${operation}${time ? ` @${Number(time.slice(-3, -1))}` : ''}: ${paths.join(' ')}`;
  });

function applied(outcome: ApplyOutcome): JsonObject {
  if (outcome.outcome !== 'applied') throw new Error(outcome.message);
  return { ...outcome.object, metadata: { uid: 'u', ...(outcome.object.metadata as JsonObject) } };
}

const apply = (live: JsonObject | undefined, manager: string, yaml: string, second: number, more: object = {}) =>
  applyRequest({ kind, apiVersion, manager, live, intent: object(yaml), now: at(second), ...more });
const update = (live: JsonObject | undefined, manager: string, yaml: string, second: number, metadata: JsonObject = {}) =>
  updateRequest({ kind, apiVersion, manager, live, object: object(yaml, { uid: 'u', ...metadata }), now: at(second) });

describe('times', () => {
  const first = applied(apply(undefined, 'a', '{ title: x, size: 1 }', 1));

  test('a share without a change has no time, and comes first', () => {
    expect(owners(applied(apply(first, 'b', '{ title: x }', 2)))).toEqual(['b Apply: .spec.title', 'a Apply @1: .spec.size .spec.title']);
  });

  test('the owner who loses a field keeps its time', () => {
    expect(owners(applied(apply(first, 'b', '{ title: y }', 2, { force: true })))).toEqual([
      'a Apply @1: .spec.size',
      'b Apply @2: .spec.title',
    ]);
  });

  test('the same again brings the old time back, unless entries change places', () => {
    const again = applied(apply(first, 'a', '{ title: x, size: 1 }', 5));
    expect(withoutNewTimes(first, again)).toEqual(first);
    const two = applied(apply(first, 'b', '{ open: true }', 2));
    const touched = { ...two, metadata: { ...(two.metadata as JsonObject), managedFields: (managedOf(two) as Json[]).toReversed() } };
    expect(withoutNewTimes(two, touched)).toBe(touched);
  });

  test('an update takes a time only with a field', () => {
    expect(owners(update(first, 'u', '{ title: x, size: 1 }', 3))).toEqual(['a Apply @1: .spec.size .spec.title']);
    expect(owners(update(first, 'u', '{ title: x, size: 2 }', 3))).toEqual(['a Apply @1: .spec.title', 'u Update @3: .spec.size']);
  });
});

describe('objects that nobody tracks', () => {
  const untracked = object('{ title: x, tags: [a] }', { uid: 'u' });

  test('an update leaves them so', () => {
    expect(owners(update(untracked, 'u', '{ title: y }', 1))).toEqual([]);
  });

  test('the first apply finds an owner for what is there', () => {
    expect(owners(applied(apply(untracked, 'a', '{ size: 1 }', 1)))).toEqual([
      'a Apply @1: .spec.size',
      'before-first-apply Update @1: .spec .spec.tags .spec.title .spec.tags[="a"]',
    ]);
    expect(apply(untracked, 'a', '{ title: y }', 1)).toMatchObject({
      message: 'Apply failed with 1 conflict: conflict with "before-first-apply" using example.com/v1: .spec.title',
    });
  });
});

describe('managedFields in a request', () => {
  const live = applied(apply(undefined, 'a', '{ title: x }', 1));
  const entry = {
    manager: 'z',
    operation: 'Apply',
    apiVersion,
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': { 'f:title': {} } },
    time: at(0),
  };
  const kept = ['a Apply @1: .spec.title'];
  test.each<[string, Json, string[]]>([
    ['one empty entry resets', [{}], []],
    ['an empty list resets', [], []],
    ['entries are taken', [entry], ['z Apply @0: .spec.title']],
    ['null is ignored', null, kept],
    ['an unknown operation is ignored', [{ ...entry, operation: 'Odd' }], kept],
    ['an unknown fieldsType is ignored', [{ ...entry, fieldsType: 'FieldsV9' }], kept],
    ['an entry without a version is ignored', [{ ...entry, apiVersion: '' }], kept],
    ['what cannot be read is ignored', [{ ...entry, fieldsV1: { 'f:a': 1 } }], kept],
    ['fields of no known form leave nothing', [{ ...entry, fieldsV1: { 'x:a': {} } }], []],
  ])('%s', (_, managedFields, expected) => {
    expect(owners(update(live, 'u', '{ title: x }', 2, { managedFields }))).toEqual(expected);
  });

  test('a subresource keeps the live ones', () => {
    const status = { kind, apiVersion, manager: 'u', subresource: 'status', live, now: at(2) };
    expect(owners(updateRequest({ ...status, object: object('{ title: x }', { uid: 'u', managedFields: [{}] }) }))).toEqual(kept);
  });

  test('an apply refuses them', () => {
    const intent = object('{ title: x }', { managedFields: [] });
    expect(applyRequest({ kind, apiVersion, manager: 'a', live, intent, now: at(2) })).toEqual({
      outcome: 'error',
      code: 400,
      message: 'metadata.managedFields must be nil',
    });
  });
});

describe('more than ten Update entries', () => {
  test('the oldest fold into one, with the time of the youngest of them', () => {
    let live = {
      ...update(undefined, 'u00', '{ labels: { k00: x } }', 0),
      metadata: { uid: 'u', ...metadataOf(update(undefined, 'u00', '{ labels: { k00: x } }', 0)) },
    };
    for (let index = 1; index <= 12; index++) {
      const names = Array.from({ length: index + 1 }, (_, name) => `k${String(name).padStart(2, '0')}: x`);
      live = update(live, `u${String(index).padStart(2, '0')}`, `{ labels: { ${names.join(', ')} } }`, index) as typeof live;
    }
    const entries = owners(live);
    expect(entries.length).toBe(10);
    expect(entries[0]).toBe(
      'ancient-changes Update @3: .spec .spec.labels .spec.labels.k00 .spec.labels.k01 .spec.labels.k02 .spec.labels.k03',
    );
    expect(entries.at(-1)).toBe('u12 Update @12: .spec.labels.k12');
  });
});

describe('the manager kubectl after client-side apply', () => {
  const last = 'kubectl.kubernetes.io/last-applied-configuration';
  const config = JSON.stringify({ apiVersion, kind: 'Kiosk', metadata: { name: 'k' }, spec: { title: 'x', size: 1 } });
  const clientSide = (yaml: string, annotation = config) => ({
    ...update(undefined, 'kubectl-client-side-apply', yaml, 1, { annotations: { [last]: annotation } }),
  });

  test('takes over what the annotation holds, and renews it', () => {
    const result = apply(clientSide('{ title: x, size: 1 }'), 'kubectl', '{ title: y }', 2);
    expect(metadataOf(applied(result)).annotations).toEqual({
      [last]: '{"apiVersion":"example.com/v1","kind":"Kiosk","metadata":{"name":"k"},"spec":{"title":"y"}}\n',
    });
    expect(owners(applied(result))[0]).toBe('kubectl Apply @2: .spec.title');
  });

  test('an annotation that it declares as null is renewed as empty', () => {
    const intent = object('{ title: x }', { annotations: { a: null } });
    const result = apply(clientSide('{ title: x, size: 1 }'), 'kubectl', '{}', 2, { intent });
    expect(metadataOf(applied(result)).annotations).toMatchObject({ [last]: expect.stringContaining('"annotations":{"a":""}') });
  });

  test.each([
    ['another manager', 'other', '{ title: x, size: 1 }', config],
    ['a value that has changed since', 'kubectl', '{ title: z, size: 1 }', config],
    ['an item that the live object has twice', 'kubectl', '{ title: x, size: 1, tags: [a, a] }', config],
    ['an annotation that is no JSON', 'kubectl', '{ title: x }', 'no'],
    ['an empty annotation', 'kubectl', '{ title: x }', ''],
  ])('%s: a conflict', (_, manager, yaml, annotation) => {
    expect(apply(clientSide(yaml, annotation), manager, '{ title: y }', 2).outcome).toBe('conflict');
  });
});

describe('a list whose items are gone while null is declared for it', () => {
  const first = applied(apply(undefined, 'a', '{ title: x, tags: [a] }', 1));

  test.each<['keep-empty' | 'null', Json]>([
    ['keep-empty', undefined as unknown as Json],
    ['null', { tags: null }],
  ])('servers that leave %s', (prunedContainers, expected) => {
    const result = applied(apply(first, 'a', '{ tags: null }', 2, { prunedContainers }));
    expect(result.spec).toEqual(expected);
    expect(owners(result)).toEqual(['a Apply @2: .spec.tags']);
  });
});

describe('versions', () => {
  const roots = ['v1', 'v2'].map((version) => ({ ...kiosk, apiVersion: `example.com/${version}` }));
  const gone = (live: JsonObject) => ({
    ...live,
    metadata: {
      ...metadataOf(live),
      managedFields: [
        {
          manager: 'old',
          operation: 'Apply',
          apiVersion: 'example.com/v0',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:spec': { 'f:title': {} } },
        },
      ],
    },
  });
  const live = object('{ title: x, size: 1 }', { uid: 'u' });

  test('the entry of an applier moves with the version it speaks', () => {
    const first = applied(
      applyRequest({
        kind: versionedKind(...roots),
        apiVersion,
        manager: 'a',
        live: undefined,
        intent: object('{ title: x, size: 1 }'),
        now: at(1),
      }),
    );
    const intent = { ...object('{ size: 1 }'), apiVersion: 'example.com/v2' };
    const second = applied(
      applyRequest({
        kind: versionedKind(...roots),
        apiVersion: 'example.com/v2',
        manager: 'a',
        live: { ...first, apiVersion: 'example.com/v2' },
        intent,
        now: at(2),
      }),
    );
    expect(second.spec).toEqual({ size: 1 });
    expect(managedFieldsOf(second).map((entry) => `${entry.manager} ${entry.apiVersion}`)).toEqual(['a example.com/v2']);
  });

  test('owners of a version that is gone are dropped, without a conflict', () => {
    expect(owners(applied(apply(gone(live), 'a', '{ title: y }', 1)))).toEqual(['a Apply @1: .spec.title']);
  });

  test('custom resources refuse what speaks of a version that they lack; an update forgets all owners', () => {
    const custom = customKind(...roots);
    const request = { kind: custom, apiVersion, manager: 'a', live: gone(live), now: at(1) };
    expect(applyRequest({ ...request, intent: object('{ title: y }') })).toEqual({
      outcome: 'error',
      code: 500,
      message: 'request to convert CR to an invalid group/version: example.com/v0',
    });
    expect(owners(updateRequest({ ...request, object: object('{ title: y }', { uid: 'u' }) }))).toEqual([]);
  });

  test('what has become atomic is owned at its root', () => {
    const fieldsV1 = { 'f:spec': { 'f:frame': { 'f:width': {} }, 'f:any': { 'f:a': { 'f:b': {} } } } };
    const entry = { manager: 'old', operation: 'Update', apiVersion, fieldsType: 'FieldsV1', fieldsV1 };
    const before = object('{ frame: { width: 1 }, any: { a: { b: 1 } }, title: x }', { uid: 'u', managedFields: [entry] });
    expect(owners(applied(apply(before, 'a', '{ title: x }', 1)))).toEqual([
      'a Apply: .spec.title',
      'old Update: .spec.frame .spec.any.a.b',
    ]);
  });
});

test('a stranger’s schema error names the object', () => {
  const crd = readCrd({
    kind: 'CustomResourceDefinition',
    apiVersion: 'apiextensions.k8s.io/v1',
    spec: {
      group: 'g.example',
      scope: 'Cluster',
      names: { kind: 'T', plural: 'ts' },
      versions: [{ name: 'v1', schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  });
  const intent = { apiVersion: 'g.example/v1', kind: 'T', metadata: { name: 't', nope: 1 } };
  const request = { kind: customKind(...crd.roots), apiVersion: 'g.example/v1', manager: 'a', live: undefined, intent, now: at(1) };
  expect(applyRequest(request)).toMatchObject({
    code: 500,
    message: 'failed to create typed patch object (/t; g.example/v1, Kind=T): .metadata.nope: field not declared in schema',
  });
});

test('entries of other writers keep their bytes', () => {
  const fieldsV1 = {
    'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } },
    'f:spec': { 'f:parts': { 'k:{"name":"p"}': { '.': {}, 'f:name': {} } }, 'f:title': {} },
  };
  const entry = { manager: 'u', operation: 'Update', apiVersion, time: at(1), fieldsType: 'FieldsV1', fieldsV1, subresource: 'x' };
  const before = object('{ title: x, parts: [{ name: p }] }', { uid: 'u', labels: { a: 'x' }, managedFields: [entry] });
  const [, other] = managedOf(applied(apply(before, 'a', '{ size: 1 }', 2))) as Json[];
  expect(JSON.stringify(other)).toBe(JSON.stringify(entry));
  expect(readFieldsV1(fieldsV1).members.size).toBe(0);
});

function metadataOf(value: JsonObject): JsonObject {
  return value.metadata as JsonObject;
}

function managedOf(value: JsonObject): Json {
  return metadataOf(value).managedFields ?? [];
}
