import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { $table } from '../../../../generated/core/v1.js';
import { formatPath } from '../../../../src/fields/index.js';
import {
  type DigestKey,
  digestKey,
  digestSecretValues,
  equalsStored,
  type ListKeys,
  listRules,
  mergePatchOf,
  resolveDigests,
  type ThreeWayInput,
  threeWayMerge,
} from '../../../../src/merge/dynamic/index.js';
import { rootTypes } from '../../../../src/schema/index.js';
import type { Json, JsonObject } from '../../../../src/util/json.js';
import { frozen } from '../arbitrary.js';
import { kiosk } from '../kiosk.js';

/** A thing of a kind without a schema, its spec in YAML. */
function thing(spec: string | undefined): JsonObject {
  return frozen({ apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'a' }, spec: parse(spec ?? '{}') as Json });
}

interface Case {
  readonly base?: string;
  readonly intent?: string;
  readonly live: string;
  readonly merged: string;
  readonly contested?: Readonly<Record<string, Json>>;
  readonly vanishing?: readonly string[];
  readonly kept?: Readonly<Record<string, 'owned' | 'changed'>>;
  readonly listKeys?: Readonly<Record<string, ListKeys>>;
  readonly others?: Partial<ThreeWayInput>;
}

function merged({ base, intent, live, listKeys, others }: Omit<Case, 'merged'>) {
  return threeWayMerge({
    base: base === undefined ? undefined : thing(base),
    intent: thing(intent),
    live: thing(live),
    rules: listRules({ listKeys }),
    ...others,
  });
}

/** Fields that somebody else holds. */
function heldBy(...fields: string[]): Partial<ThreeWayInput> {
  return { isOwnedByOthers: (path) => fields.includes(formatPath(path)) };
}

describe('threeWayMerge', () => {
  it.each<[string, Case]>([
    ['what is declared is added, the rest stays', { intent: 'a: 1', live: 'b: 2', merged: 'b: 2\na: 1' }],
    ['a changed declaration wins over what was applied', { base: 'a: 1', intent: 'a: 2', live: 'a: 1', merged: 'a: 2' }],
    ['what is declared and was removed by others comes back', { base: 'a: 1', intent: 'a: 1', live: '{}', merged: 'a: 1' }],
    [
      'what others changed is contested, and declared wins',
      { base: 'a: 1', intent: 'a: 1', live: 'a: 3', merged: 'a: 1', contested: { '.spec.a': 3 } },
    ],
    [
      'at first contact every other value is contested',
      { intent: 'a: {b: 1, c: 1}', live: 'a: {b: 2, c: 1}', merged: 'a: {b: 1, c: 1}', contested: { '.spec.a.b': 2 } },
    ],
    ['two who change to the same do not contend', { base: 'a: 1', intent: 'a: 2', live: 'a: 2', merged: 'a: 2' }],
    [
      'a change of what somebody else holds too is contested',
      { base: 'a: 1', intent: 'a: 2', live: 'a: 1', merged: 'a: 2', contested: { '.spec.a': 1 }, others: heldBy('.spec.a') },
    ],
    ['what is no longer declared goes', { base: 'a: 1\nb: 1', intent: 'b: 1', live: 'a: 1\nb: 1\nc: 1', merged: 'b: 1\nc: 1' }],
    [
      'unless somebody else holds it',
      { base: 'a: 1', live: 'a: 1', merged: 'a: 1', kept: { '.spec.a': 'owned' }, others: heldBy('.spec.a') },
    ],
    ['or has changed it since', { base: 'a: 1', live: 'a: 2', merged: 'a: 2', kept: { '.spec.a': 'changed' } }],
    ['a map that this empties goes too', { base: 'a: {b: {c: 1}}', live: 'a: {b: {c: 1}}', merged: '{}' }],
    ['a map with something of others in it stays', { base: 'a: {b: {c: 1}}', live: 'a: {b: {c: 1}, d: 1}', merged: 'a: {d: 1}' }],
    ['an empty map is declared as such', { intent: 'a: {}', live: '{}', merged: 'a: {}' }],
    ['an empty map does nothing to a full one', { intent: 'a: {}', live: 'a: {b: 1}', merged: 'a: {b: 1}' }],
    [
      'a map declared empty keeps standing while its members go',
      { base: 'a: {b: 1}', intent: 'a: {}', live: 'a: {b: 1}', merged: 'a: {}' },
    ],
    ['an empty map that was declared goes', { base: 'a: {}', live: 'a: {}', merged: '{}' }],
    ['null takes a scalar away', { intent: 'a: null', live: 'a: 1', merged: '{}', contested: { '.spec.a': 1 } }],
    ['null over what we applied ourselves is contested by nobody', { base: 'a: 1', intent: 'a: null', live: 'a: 1', merged: '{}' }],
    [
      'null does nothing to what others have in a map',
      { base: 'a: {b: 1}', intent: 'a: null', live: 'a: {b: 1, c: 1}', merged: 'a: {c: 1}' },
    ],
    ['null takes a list away that has one value', { base: 'a: [1]', intent: 'a: null', live: 'a: [1]', merged: '{}' }],
    [
      'a scalar takes the place of a map',
      { base: 'a: 1', intent: 'a: 1', live: 'a: {b: 2}', merged: 'a: 1', contested: { '.spec.a': { b: 2 } } },
    ],
    ['a map takes the place of a list', { intent: 'a: {b: 1}', live: 'a: [1]', merged: 'a: {b: 1}', contested: { '.spec.a': [1] } }],
    ['a list takes the place of a scalar', { base: 'a: x', intent: 'a: [x]', live: 'a: x', merged: 'a: [x]' }],
    [
      'a list of scalars is one value',
      { base: 'a: [x]', intent: 'a: [y]', live: 'a: [x, z]', merged: 'a: [y]', contested: { '.spec.a': ['x', 'z'] } },
    ],
  ])('%s', (_, { merged: expected, contested = {}, vanishing = [], kept = {}, ...given }) => {
    const result = merged(given);
    expect(result.merged.spec).toEqual(parse(expected));
    expect(Object.fromEntries(result.contested.map(({ field, live }) => [field, live]))).toEqual(contested);
    expect(result.collateral.map(({ field }) => field)).toEqual(vanishing);
    expect(Object.fromEntries(result.retained.map(({ field, reason }) => [field, reason]))).toEqual(kept);
  });

  const pod = (...containers: string[]) => `containers: [${containers.join(', ')}]`;

  it.each<[string, Case]>([
    [
      'an injected sidecar survives, before and behind what is declared',
      {
        base: pod('{name: web, image: a}'),
        intent: pod('{name: web, image: b}'),
        live: pod('{name: proxy, image: p}', '{name: web, image: a, policy: Always}', '{name: log, image: l}'),
        merged: pod('{name: proxy, image: p}', '{name: web, image: b, policy: Always}', '{name: log, image: l}'),
      },
    ],
    [
      'new items stand behind the live ones, in the order in which they are declared',
      {
        intent: pod('{name: z}', '{name: a}', '{name: m}'),
        live: pod('{name: b}', '{name: m}'),
        merged: pod('{name: b}', '{name: m}', '{name: z}', '{name: a}'),
      },
    ],
    [
      'an item that is no longer declared goes with what others have in it',
      {
        base: pod('{name: a, image: x}', '{name: b, image: y}'),
        intent: pod('{name: a, image: x}'),
        live: pod('{name: a, image: x}', '{name: b, image: z, env: [{name: E, value: v}], args: [q]}'),
        merged: pod('{name: a, image: x}'),
        vanishing: ['.spec.containers[name="b"].image', '.spec.containers[name="b"].env', '.spec.containers[name="b"].args'],
      },
    ],
    [
      'an item that somebody else holds stays with what is theirs, its keys among it',
      {
        base: pod('{name: a, image: x}', '{name: b, image: y}'),
        intent: pod('{name: a, image: x}'),
        live: pod('{name: a, image: x}', '{name: b, image: y, args: [q]}'),
        merged: pod('{name: a, image: x}', '{name: b, args: [q]}'),
        kept: { '.spec.containers[name="b"]': 'owned' },
        others: heldBy('.spec.containers[name="b"]'),
      },
    ],
    ['a list that this empties goes too', { base: pod('{name: a}'), live: pod('{name: a}'), merged: '{}' }],
    [
      'lists in items',
      {
        base: pod('{name: a, env: [{name: A, value: "1"}, {name: B, value: "1"}]}'),
        intent: pod('{name: a, env: [{name: A, value: "2"}]}'),
        live: pod('{name: a, env: [{name: X, value: x}, {name: B, value: "1"}, {name: A, value: "1"}]}'),
        merged: pod('{name: a, env: [{name: X, value: x}, {name: A, value: "2"}]}'),
      },
    ],
    [
      'items that one name does not tell apart are told apart by another key',
      {
        base: 'mounts: [{name: v, mountPath: /a}]',
        intent: 'mounts: [{name: v, mountPath: /a, readOnly: true}]',
        live: 'mounts: [{name: v, mountPath: /a}, {name: v, mountPath: /b}]',
        merged: 'mounts: [{name: v, mountPath: /a, readOnly: true}, {name: v, mountPath: /b}]',
      },
    ],
    [
      'items that nothing tells apart are one value',
      {
        base: 'a: [{b: 1}]',
        intent: 'a: [{b: 2}]',
        live: 'a: [{b: 1}, {b: 3}]',
        merged: 'a: [{b: 2}]',
        contested: { '.spec.a': [{ b: 1 }, { b: 3 }] },
      },
    ],
    [
      'one item without the key makes the list one value',
      {
        intent: 'a: [{name: x}]',
        live: 'a: [{name: y}, {host: z}]',
        merged: 'a: [{name: x}]',
        contested: { '.spec.a': [{ name: 'y' }, { host: 'z' }] },
      },
    ],
    [
      'explicit keys of several fields',
      {
        listKeys: { '.spec.ports': ['port', 'protocol'] },
        base: 'ports: [{port: 53, protocol: UDP, to: a}]',
        intent: 'ports: [{port: 53, protocol: UDP, to: b}]',
        live: 'ports: [{port: 53, protocol: TCP, to: x}, {port: 53, protocol: UDP, to: a}]',
        merged: 'ports: [{port: 53, protocol: TCP, to: x}, {port: 53, protocol: UDP, to: b}]',
      },
    ],
    [
      'an item that leaves a key out is the one that fits: servers fill in defaults',
      {
        listKeys: { 'spec.ports': ['port', 'protocol'] },
        base: 'ports: [{port: 53, to: a}]',
        intent: 'ports: [{port: 53, to: b}, {port: 53, protocol: UDP}]',
        live: 'ports: [{port: 53, protocol: TCP, to: a}]',
        merged: 'ports: [{port: 53, protocol: TCP, to: b}, {port: 53, protocol: UDP}]',
      },
    ],
    [
      'scalars declared to be a set',
      {
        listKeys: { 'spec.hosts': 'set' },
        base: 'hosts: [a, b]',
        intent: 'hosts: [c, b]',
        live: 'hosts: [x, b, a]',
        merged: 'hosts: [x, b, c]',
      },
    ],
    [
      'objects declared to be one value',
      {
        listKeys: { 'spec.a': 'atomic' },
        base: 'a: [{name: x}]',
        intent: 'a: [{name: x}]',
        live: 'a: [{name: x}, {name: y}]',
        merged: 'a: [{name: x}]',
        contested: { '.spec.a': [{ name: 'x' }, { name: 'y' }] },
      },
    ],
    [
      'an unconventional key that is not the first in the list of conventions',
      {
        listKeys: { 'spec.routes': ['host'] },
        base: 'routes: [{host: h, name: n}]',
        intent: 'routes: [{host: h, name: m}]',
        live: 'routes: [{host: g, name: n}, {host: h, name: n}]',
        merged: 'routes: [{host: g, name: n}, {host: h, name: m}]',
      },
    ],
    [
      'items that stand several times give way to the declared one',
      {
        listKeys: { 'spec.env': ['name'] },
        intent: 'env: [{name: A, value: c}]',
        live: 'env: [{name: A, value: a}, {name: B}, {name: A, value: b}]',
        merged: 'env: [{name: A, value: c}, {name: B}]',
        contested: {
          '.spec.env[name="A"]': [
            { name: 'A', value: 'a' },
            { name: 'A', value: 'b' },
          ],
        },
      },
    ],
  ])('lists: %s', (_, { merged: expected, contested = {}, vanishing = [], kept = {}, ...given }) => {
    const result = merged(given);
    expect(result.merged.spec).toEqual(parse(expected));
    expect(Object.fromEntries(result.contested.map(({ field, live }) => [field, live]))).toEqual(contested);
    expect(result.collateral.map(({ field }) => field)).toEqual(vanishing);
    expect(Object.fromEntries(result.retained.map(({ field, reason }) => [field, reason]))).toEqual(kept);
  });

  it.each([
    ['lacks what tells it apart: id', 'a: [{id: 1}, {name: x}]'],
    ['are both [id=1]', 'a: [{id: 1}, {id: 1}]'],
  ])('declared items must be told apart: %s', (message, intent) => {
    const merge = () => merged({ intent, live: 'a: [{id: 2}]', listKeys: { 'spec.a': ['id'] } });
    expect(merge).toThrow(expect.objectContaining({ code: 'list-item-ambiguous', location: { field: '.spec.a' } }));
    expect(merge).toThrow(message);
  });

  it('yields contested fields, and only them, and does not remember them as its own', () => {
    const yields = { yields: () => true };
    const one = merged({ base: 'a: 1\nb: 1', intent: 'a: 2\nb: 2', live: 'a: 9\nb: 1', others: yields });
    expect(one.merged.spec).toEqual({ a: 9, b: 2 });
    expect(one.applied.spec).toEqual({ b: 2 });
    const released = threeWayMerge({
      base: one.applied,
      intent: thing('{}'),
      live: one.merged,
      rules: listRules({}),
      preexisting: one.preexisting,
    });
    expect(released.merged.spec).toEqual({ a: 9 });
  });

  it('remembers what was there before, so that it stays when it is no longer declared', () => {
    const rules = listRules({});
    const one = merged({ intent: 'a: 1\nitems: [{name: x, b: 1}, {name: y}]', live: 'a: 1\nitems: [{name: x}]' });
    expect(one.merged.spec).toEqual({ a: 1, items: [{ name: 'x', b: 1 }, { name: 'y' }] });
    const two = threeWayMerge({ base: one.applied, preexisting: one.preexisting, intent: thing('{}'), live: one.merged, rules });
    expect(two.merged.spec).toEqual({ a: 1, items: [{ name: 'x' }] });
    const forgetful = threeWayMerge({ base: one.applied, intent: thing('{}'), live: one.merged, rules });
    expect(forgetful.merged.spec).toEqual({});
  });

  it('a change of what was there before is contested; once taken, it goes when it is no longer declared', () => {
    const rules = listRules({});
    const one = merged({ intent: 'a: 1', live: 'a: 1' });
    const two = threeWayMerge({ base: one.applied, preexisting: one.preexisting, intent: thing('a: 2'), live: one.merged, rules });
    expect(two.contested.map(({ field }) => field)).toEqual(['.spec.a']);
    const three = threeWayMerge({ base: two.applied, preexisting: two.preexisting, intent: thing('{}'), live: two.merged, rules });
    expect(three.merged.spec).toEqual({});
  });

  it('leaves alone what names an object or is the server’s, pins of the intent among it', () => {
    const live = frozen({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', uid: 'u', resourceVersion: '7' }, data: { a: '1' } });
    const intent = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', uid: 'v', resourceVersion: '3' }, data: { a: '1' } };
    const result = threeWayMerge({ base: undefined, intent, live, rules: listRules({}) });
    expect(result.merged).toBe(live);
    expect(result.contested).toEqual([]);
  });
});

describe('listRules', () => {
  const at = (...names: string[]) => names.map((name) => ({ kind: 'field', name }) as const);
  const rules = listRules({ root: kiosk, listKeys: { 'spec.parts': 'atomic' } });

  it.each<[string, string[], Json[], unknown]>([
    ['the policy goes before the schema', ['spec', 'parts'], [{ name: 'a' }], { type: 'atomic' }],
    [
      'keys of the schema, with their defaults',
      ['spec', 'ports'],
      [{ port: 1 }],
      { type: 'map', keys: ['port', 'protocol'], defaults: { protocol: 'TCP' } },
    ],
    ['a set of the schema', ['spec', 'tags'], ['a'], { type: 'set' }],
    ['what the schema says nothing of', ['spec', 'words'], ['a'], { type: 'atomic' }],
    ['what no schema describes', ['spec', 'any', 'x'], [{ name: 'a' }], { type: 'map', keys: ['name'], conventional: true }],
    ['finalizers', ['metadata', 'finalizers'], ['a'], { type: 'set' }],
    ['ownerReferences', ['metadata', 'ownerReferences'], [{ name: 'a', uid: 'b' }], { type: 'map', keys: ['uid'] }],
  ])('%s', (_, path, items, expected) => {
    expect(rules(at(...path), [items])).toEqual(expected);
  });

  it('built-in kinds write every list type out', () => {
    const root = rootTypes($table).find(({ kind }) => kind === 'Pod');
    const pod = listRules({ root });
    expect(pod(at('spec', 'tolerations'), [[{ key: 'a' }]])).toEqual({ type: 'atomic' });
    expect(pod(at('spec', 'volumes'), [[{ name: 'a' }]])).toEqual({ type: 'map', keys: ['name'] });
  });

  it.each<[string, Json[][], unknown]>([
    ['nothing', [[]], undefined],
    ['scalars', [['a']], undefined],
    ['objects and scalars', [[{ name: 'a' }, 'b']], undefined],
    ['the first key that all have', [[{ type: 'a', ip: 'x' }], [{ ip: 'y' }]], ['ip']],
    ['name before type', [[{ type: 'a', name: 'x' }]], ['name']],
    ['a key that does not tell apart', [[{ name: 'a' }, { name: 'a' }]], undefined],
    ['a key that only one side does not tell apart', [[{ name: 'a' }], [{ name: 'b' }, { name: 'b' }]], undefined],
    [
      'the next key, then',
      [
        [{ name: 'a', ip: '1' }],
        [
          { name: 'b', ip: '1' },
          { name: 'b', ip: '2' },
        ],
      ],
      ['ip'],
    ],
    ['a key whose value is an object', [[{ name: { x: 1 } }]], undefined],
    ['mounts of one volume', [[{ name: 'v', mountPath: '/a' }]], ['mountPath']],
  ])('by convention: %s', (_, sides, keys) => {
    expect(listRules({})(at('spec', 'x'), sides)).toEqual(
      keys === undefined ? { type: 'atomic' } : { type: 'map', keys, conventional: true },
    );
  });
});

describe('what is remembered of a Secret', () => {
  const secret = (password: string, name = 'db') => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'n' },
    data: { password, other: password },
    type: 'Opaque',
  });

  const key = digestKey(Buffer.alloc(32, 1));
  const another = digestKey(Buffer.alloc(32, 2));

  it('are digests by a key, the same for the same intent, and different for each field, object and key', () => {
    const remembered = digestSecretValues(secret('aHVudGVyMg=='), key);
    expect(JSON.stringify(remembered)).not.toContain('aHVudGVyMg');
    expect(remembered).toEqual(digestSecretValues(secret('aHVudGVyMg=='), key));
    const form = new RegExp(`^fieldwise\\.dev/hmac:${key.id}:[0-9a-f]{64}$`);
    expect(remembered).toMatchObject({ type: 'Opaque', data: { password: expect.stringMatching(form) } });
    const others = [digestSecretValues(secret('aHVudGVyMg==', 'another'), key), digestSecretValues(secret('aHVudGVyMg=='), another)];
    const digests = [remembered, ...others].flatMap(({ data }) => Object.values(data as JsonObject));
    expect(new Set(digests.map((digest) => String(digest).split(':').at(-1))).size).toBe(6);
  });

  it('is the live value where that is the one that was applied, and equal to nothing where it is not, or by another key', () => {
    const live = secret('aHVudGVyMg==');
    const read = (remembered: JsonObject, by: DigestKey | undefined) => {
      const { data } = resolveDigests(remembered, live, by) as { data: JsonObject };
      return [equalsStored(live.data.password, data.password), data.password === live.data.password];
    };
    expect(read(digestSecretValues(live, key), key)).toEqual([true, true]);
    expect(read(digestSecretValues(secret('aHVudGVyMw=='), key), key)).toEqual([false, false]);
    expect(read(digestSecretValues(live, key), another)).toEqual([false, false]);
    expect(read(digestSecretValues(live, key), undefined)).toEqual([false, false]);
    expect(read(digestSecretValues(live), key)).toEqual([false, false]);
    expect(read(digestSecretValues(secret('aHVudGVyMg==', 'another'), key), key)).toEqual([true, true]); // as the digests say, by their object
    expect(read({ ...digestSecretValues(live, key), metadata: { name: 'another', namespace: 'n' } }, key)).toEqual([false, false]);
  });

  it('without a key is nothing of the value', () => {
    expect(digestSecretValues(secret('YQ==')).data).toEqual({ password: 'fieldwise.dev/unknown', other: 'fieldwise.dev/unknown' });
  });

  it('in the form of older versions, which needs no key, is still read', () => {
    const salt = '0123456789abcdef';
    const salted = `fieldwise.dev/sha256:${salt}:${createHmac('sha256', salt).update('"YQ=="').digest('hex')}`;
    expect(equalsStored('YQ==', salted)).toBe(true);
    expect(equalsStored('Yg==', salted)).toBe(false);
    expect(equalsStored(undefined, salted)).toBe(false);
    expect(resolveDigests({ ...secret(''), data: { password: salted } }, secret('YQ=='), key).data).toEqual({ password: salted });
  });

  it('is enough for a merge', () => {
    const merge = (intent: JsonObject, now: JsonObject = secret('YQ=='), by: DigestKey = key) => {
      const base = resolveDigests(digestSecretValues(secret('YQ=='), key), now, by);
      return threeWayMerge({ base, intent, live: now, rules: listRules({}) });
    };
    const live = frozen(secret('YQ=='));
    expect(merge(secret('YQ=='), live).merged).toBe(live);
    expect(merge(secret('Yg=='))).toMatchObject({ merged: { data: { password: 'Yg==' } }, contested: [] });
    const both = ['.data.password', '.data.other'];
    expect(merge(secret('Yg=='), secret('Yw==')).contested.map(({ field }) => field)).toEqual(both);
    expect(merge(secret('Yg=='), secret('YQ=='), another).contested.map(({ field }) => field)).toEqual(both);
    expect(merge({ ...secret('YQ=='), data: { other: 'YQ==' } }).merged.data).toEqual({ other: 'YQ==' });
    const kept = merge({ ...secret('YQ=='), data: { other: 'YQ==' } }, secret('YQ=='), another);
    expect(kept.merged.data).toEqual({ password: 'YQ==', other: 'YQ==' });
    expect(kept.retained).toMatchObject([{ field: '.data.password', reason: 'changed' }]);
  });

  it('every other object is remembered as it is', () => {
    const intent = { ...secret('YQ=='), kind: 'ConfigMap' };
    expect(digestSecretValues(intent)).toBe(intent);
  });
});

describe('mergePatchOf', () => {
  it.each<[string, string, string, string | undefined]>([
    ['nothing', 'a: 1', 'a: 1', undefined],
    ['a change', 'a: {b: 1, c: 1}', 'a: {b: 2, c: 1}', 'a: {b: 2}'],
    ['what goes', 'a: {b: 1, c: 1}', 'a: {c: 1}', 'a: {b: null}'],
    ['what comes, without nulls', 'a: 1', 'a: 1\nb: {c: {}, d: null}', 'b: {c: {}}'],
    ['lists as a whole', 'a: [1, 2]', 'a: [1, 3]', 'a: [1, 3]'],
    ['a map that is emptied', 'a: {b: {c: 1}}', 'a: {b: {}}', 'a: {b: {c: null}}'],
    ['another kind of value', 'a: {b: 1}', 'a: [1]', 'a: [1]'],
    ['a null that stays', 'a: null', 'a: null', undefined],
  ])('%s', (_, live, then, patch) => {
    const made = mergePatchOf(parse(live) as JsonObject, parse(then) as JsonObject);
    expect(made).toEqual(patch === undefined ? undefined : parse(patch));
  });
});
