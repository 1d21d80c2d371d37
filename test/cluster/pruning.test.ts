import { expect, test } from 'vitest';
import { ValueCheck } from '../../src/builders/check-value.js';
import { readCrd, type TypeRef } from '../../src/schema/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../src/util/json.js';
import type { ResponseBody } from '../harness/api-client.js';
import { crdOf } from '../harness/crd.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

/** The fields that a server prunes without an error, beside those that the schema model and `build()` name. */

const testEnvironment = await TestEnvironment.create('pruning');
const group = `${testEnvironment.namespace}.example.com`;

const preserve = { 'x-kubernetes-preserve-unknown-fields': true };
const known = { type: 'object', properties: { a: { type: 'string' } } };
const spec = {
  type: 'object',
  ...preserve,
  properties: {
    object: known,
    empty: { type: 'object' },
    map: { type: 'object', additionalProperties: known },
    anyMap: { type: 'object', additionalProperties: true },
    list: { type: 'array', items: known },
    emptyItems: { type: 'array', items: { type: 'object' } },
    keyed: { type: 'array', items: { ...known, required: ['a'] }, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] },
    preservedList: { type: 'array', ...preserve, items: { type: 'object', properties: { a: { type: 'string' }, inner: known } } },
    preservedKeyed: {
      type: 'array',
      ...preserve,
      items: { ...known, required: ['a'] },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['a'],
    },
    preservedLists: { type: 'array', ...preserve, items: { type: 'array', items: known } },
    again: { type: 'object', ...preserve, properties: { inner: known } },
    anything: preserve,
    embedded: { type: 'object', ...preserve, 'x-kubernetes-embedded-resource': true, properties: { spec: known } },
    strictEmbedded: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: known } },
  },
};
const crd = crdOf(group, 'Pruned', { spec });
const [root] = readCrd(crd).roots;
const embedded = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'x' } };

const declarations: Readonly<Record<string, readonly [spec: JsonObject, pruned: readonly string[]]>> = {
  'an undeclared member of an object that preserves': [{ free: { deep: { er: [1] } } }, []],
  'an object below it': [{ object: { a: 'x', b: false } }, ['.spec.object.b']],
  'an object without properties': [{ empty: { b: 1 } }, ['.spec.empty.b']],
  'the values of a map': [{ map: { k: { a: 'x', b: 1 } } }, ['.spec.map.k.b']],
  'a map of any values': [{ anyMap: { text: 'x', list: ['x'], object: { b: 1 } } }, ['.spec.anyMap.object.b']],
  'items of a list': [{ list: [{ a: 'x', b: 1 }] }, ['.spec.list[0].b']],
  'items without properties': [{ emptyItems: [{ b: 1 }] }, ['.spec.emptyItems[0].b']],
  'items of a list by keys': [{ keyed: [{ a: 'x', b: 1 }] }, ['.spec.keyed[0].b']],
  'items of a list that preserves': [{ preservedList: [{ a: 'x', b: 1, inner: { a: 'x', b: 1 } }] }, ['.spec.preservedList[0].inner.b']],
  'items of a list by keys that preserves': [{ preservedKeyed: [{ a: 'x', b: 1 }] }, []],
  'lists in a list that preserves': [{ preservedLists: [[{ a: 'x', b: 1 }]] }, []],
  'an object that preserves again': [{ again: { b: 1, inner: { b: 1 } } }, ['.spec.again.inner.b']],
  'any value': [{ anything: { b: [{ c: 1 }] } }, []],
  'an embedded resource that preserves': [{ embedded: { ...embedded, b: 1, spec: { b: 1 } } }, ['.spec.embedded.spec.b']],
  'an embedded resource': [
    { strictEmbedded: { ...embedded, b: 1, spec: { a: 'x', b: 1 } } },
    ['.spec.strictEmbedded.b', '.spec.strictEmbedded.spec.b'],
  ],
};

test('the server prunes what the schema model says, and nothing else', async () => {
  await testEnvironment.crd(crd);
  const found: Record<string, unknown> = {};
  const expected: Record<string, unknown> = {};
  for (const [index, [name, [declared, pruned]]] of Object.entries(declarations).entries()) {
    const object = { ...testEnvironment.ref(`${group}/v1`, 'Pruned', `pruned-${index}`), spec: declared };
    const applied = await testEnvironment.cluster.apply('test', object, { force: true });
    found[name] = { server: missing(declared, applied.spec, '.spec'), build: reported(object as unknown as JsonObject) };
    expected[name] = { server: pruned, build: pruned };
  }
  expect(found).toEqual(expected);
});

test('a plan names the declared fields that the server drops; synth knows no schema of the kind', async () => {
  await testEnvironment.crd(crd);
  const spec = { free: 1, object: { a: 'x', b: false }, list: [{ a: 'x', b: 1 }], keyed: [{ a: 'x', b: { c: 1 } }] };
  const object = { apiVersion: `${group}/v1`, kind: 'Pruned', metadata: { name: 'declared' }, spec };
  const program = testEnvironment.program({ one: [own(object)] });
  const text = 'without an error: .spec.list[0].b, .spec.keyed[a="x"].b, .spec.object.b.';
  const said = (events: readonly ResponseBody[]) => events.filter(({ event, code }) => event === 'warning' && code === 'field-pruned');
  const warning = [
    expect.objectContaining({ message: expect.stringContaining(text), next: expect.stringContaining('Correct their names') }),
  ];
  expect(said((await program.run(['diff', '-o', 'json'])).events)).toEqual(warning);
  expect(said((await program.run(['diff', '-o', 'json', '--read-only'])).events)).toEqual(warning);
  expect((await program.run(['deploy', '-o', 'json'])).exitCode).toBe(0);
  expect(said((await program.run(['diff', '-o', 'json'])).events)).toEqual(warning);
  await program.run(['destroy', '-o', 'json']);
});

test('zero values that a built-in kind does not store are no news', async () => {
  const pod = { hostNetwork: false, containers: [{ name: 'c', image: 'i', stdin: false, command: [], args: [''] }], nodeSelector: {} };
  const spec = { paused: false, selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: pod } };
  const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'zeros', annotations: { empty: '' } }, spec };
  const program = testEnvironment.program({ one: [own(object)] });
  const warnings = async () => (await program.run(['diff', '-o', 'json'])).events.filter(({ event }) => event === 'warning');
  expect(await warnings()).toEqual([]);
  expect((await program.run(['deploy', '-o', 'json'])).exitCode).toBe(0);
  expect(await warnings()).toEqual([]);
  await program.run(['destroy', '-o', 'json']);
});

/** Paths of declared values that a stored value lacks. */
function missing(declared: Json, stored: Json | undefined, path: string): string[] {
  if (stored === undefined) return [path];
  if (Array.isArray(declared))
    return declared.flatMap((item: Json, index) => missing(item, (stored as Json[])[index], `${path}[${index}]`));
  if (!isJsonObject(declared)) return [];
  return Object.entries(declared).flatMap(([name, member]) => missing(member as Json, (stored as JsonObject)[name], `${path}.${name}`));
}

/** Paths that `build()` names, with list indices. */
function reported(object: JsonObject): string[] {
  const check = new ValueCheck(root!.schema);
  check.check(object, root!.type as TypeRef);
  return check.diagnostics.map(({ path, message }) => {
    expect(message).toContain('which the server drops without an error');
    return path.replace('[a="x"]', '[0]');
  });
}
