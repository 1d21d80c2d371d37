import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FieldPath, formatPath, resolvePath, valueAt, valueOrItemsAt, withoutPath } from '../../../src/fields/index.js';

const object = {
  metadata: { annotations: { 'example.com/a.b': 'x', 'example.com/a': 'y', 'odd[0]': 'z' } },
  spec: {
    replicas: 2,
    'a.b': { c: 1 },
    a: { b: { c: 2 } },
    ports: [
      { containerPort: 80, name: 'http' },
      { containerPort: 443, protocol: 'UDP', name: 'quic' },
    ],
    hosts: [{ name: 'a]b', paths: ['/', '/x=1'] }],
    args: ['-v'],
  },
};

describe('a path as the server writes it, read against an object', () => {
  test.each([
    ['.spec.replicas', 2],
    ['.metadata.annotations.example.com/a.b', 'x'],
    ['.metadata.annotations.example.com/a', 'y'],
    ['.metadata.annotations.odd[0]', 'z'],
    ['.spec.a.b.c', 1],
    ['.spec.ports[containerPort=80,protocol="TCP"].name', 'http'],
    ['.spec.ports[containerPort=443,protocol="UDP"].name', 'quic'],
    ['.spec.hosts[name="a]b"].paths[="/x=1"]', '/x=1'],
    ['.spec.args[0]', '-v'],
    ['.', object],
  ])('%s', (text, expected) => {
    const path = resolvePath(text, object);
    expect(path).toBeDefined();
    expect(valueAt(object, path as FieldPath)).toEqual(expected);
  });

  test.each([
    '.spec.missing',
    '.spec.ports[containerPort=1]',
    '.spec.replicas.x',
    '.spec.replicas.',
    'spec',
    '.spec.args[7]',
    '.spec.ports[x',
  ])('%s leads nowhere', (text) => expect(resolvePath(text, object)).toBeUndefined());
});

test('an item that leaves a defaulted key out gives way to one that has it', () => {
  const ports = { ports: [{ port: 53 }, { port: 53, protocol: 'UDP' }] };
  expect(valueAt(ports, resolvePath('.ports[port=53,protocol="UDP"]', ports) as FieldPath)).toEqual({ port: 53, protocol: 'UDP' });
});

describe('leaving a field out', () => {
  test.each([
    ['.spec.replicas', (left: typeof object) => expect(left.spec).not.toHaveProperty('replicas')],
    ['.spec.ports[containerPort=80]', (left: typeof object) => expect(left.spec.ports).toEqual([object.spec.ports[1]])],
    ['.spec.hosts[name="a]b"].paths[="/"]', (left: typeof object) => expect(left.spec.hosts).toEqual([{ name: 'a]b', paths: ['/x=1'] }])],
    ['.spec.args[0]', (left: typeof object) => expect(left.spec.args).toEqual([])],
  ])('%s', (text, check) => {
    const before = structuredClone(object);
    check(withoutPath(object, resolvePath(text, object) as FieldPath) as typeof object);
    expect(object).toEqual(before);
  });
});

test('text and path are each other’s inverse for every field of an object', () => {
  const name = fc.string({ minLength: 1 }).filter((text) => text !== '__proto__');
  const value = fc.letrec((tie) => ({
    tree: fc.oneof({ maxDepth: 3 }, fc.integer(), fc.dictionary(name, tie('tree'), { maxKeys: 3 })),
  })).tree;
  fc.assert(
    fc.property(fc.dictionary(name, value, { minKeys: 1, maxKeys: 3 }), (root) => {
      for (const path of fieldPaths(root)) {
        const read = resolvePath(formatPath(path), root as never);
        expect(read && formatPath(read)).toBe(formatPath(path));
      }
    }),
    { numRuns: 300 },
  );
});

function fieldPaths(value: unknown, prefix: FieldPath = []): FieldPath[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, below]) => {
    const path = [...prefix, { kind: 'field' as const, name }];
    return [path, ...fieldPaths(below, path)];
  });
}

describe('the value at a path, with items that have the same keys', () => {
  const [one, two, other] = [
    { name: 'a', value: '1' },
    { name: 'a', value: '2' },
    { name: 'b', value: '1' },
  ];
  const item: FieldPath = [
    { kind: 'field', name: 'env' },
    { kind: 'key', keys: [['name', 'a']] },
  ];

  test.each([
    { env: [one, other, two], found: [one, two] },
    { env: [other, one], found: one },
    { env: [one, one], found: [one, one] },
    { env: [other], found: undefined },
    { env: null, found: undefined },
  ])('$env', ({ env, found }) => expect(valueOrItemsAt({ env }, item)).toEqual(found));

  test('is the first one below such an item', () => {
    expect(valueOrItemsAt({ env: [one, two] }, [...item, { kind: 'field', name: 'value' }])).toBe('1');
  });
});
