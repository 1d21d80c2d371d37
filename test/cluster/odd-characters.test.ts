import { describe, expect, test } from 'vitest';
import { crdOf } from '../harness/crd.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('odd-characters');
const group = `${testEnvironment.app}.example.com`;
const text = { type: 'string' };
const named = {
  type: 'array',
  items: { type: 'object', properties: { name: text }, required: ['name'] },
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
};
await testEnvironment.crd(
  crdOf(group, 'Note', { spec: { type: 'object', properties: { byKey: { type: 'object', additionalProperties: text }, named } } }),
);

/** Characters that a YAML parser refuses, takes for the end of a line or ignores: C0, DEL, C1, line ends, a byte order mark, no characters. */
const odd = [0, 1, 9, 10, 13, 0x1b, 0x1f, 0x7f, 0x80, 0x85, 0x9f, 0x2028, 0x2029, 0x202e, 0xfeff, 0xfffe, 0xffff, 0x1f600, 0x1ffff];
const texts = Object.fromEntries(odd.map((code) => [`u${code.toString(16)}`, `a ${String.fromCodePoint(code)} b`]));

describe.each([{}, { strategy: 'dynamic' }])('%j', (policy) => {
  const suffix = 'strategy' in policy ? 'dynamic' : 'server-side';

  test('every text arrives as it was declared: as a value, as a key, as the name of an item', async () => {
    const name = `texts-${suffix}`;
    const config = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, annotations: { all: Object.values(texts).join('') } },
      data: texts,
    };
    const spec = {
      byKey: Object.fromEntries(Object.values(texts).map((key) => [key, 'x'])),
      named: Object.values(texts).map((name) => ({ name })),
    };
    const note = { apiVersion: `${group}/v1`, kind: 'Note', metadata: { name }, spec };
    const project = testEnvironment.program({ main: [own(config, policy), own(note, policy)] });
    const first = await project.deploy();
    expect(first.exitCode, String(first)).toBe(0);
    const live = await testEnvironment.cluster.get(testEnvironment.ref('v1', 'ConfigMap', name));
    expect(live.data).toEqual(texts);
    expect(live.metadata.annotations.all).toBe(config.metadata.annotations.all);
    expect((await testEnvironment.cluster.get(testEnvironment.ref(`${group}/v1`, 'Note', name))).spec).toEqual(spec);
    const again = await project.deploy();
    expect(again.objects.map(({ result }) => result)).toEqual(['unchanged', 'unchanged']);
  });
});

test('a text that the server refuses as a label, and one that it refuses as a name, are refused before any request', async () => {
  const config = (name: string, labels: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels } });
  const labels = { team: 'a\u0085b' };
  const refused = testEnvironment.cluster.create('test', {
    ...testEnvironment.ref('v1', 'ConfigMap', 'labels'),
    metadata: { name: 'labels', namespace: testEnvironment.namespace, labels },
  });
  await expect(refused).rejects.toThrow(/metadata\.labels: Invalid value: "a\\u0085b"/);
  const labeled = await testEnvironment.program({ main: [own(config('labels', labels))] }).run(['synth']);
  expect(labeled.exitCode).toBe(2);
  expect(labeled.stderr).toContain('The label team cannot have the value');
  expect(labeled.stderr).toContain('(.metadata.labels)');
  const named = await testEnvironment.program({ main: [own(config('na\u007fme', {}))] }).run(['synth']);
  expect(named.exitCode).toBe(2);
  expect(named.stderr).toContain('A ConfigMap cannot be named "na<U+007F>me"');
  expect(named.stderr).toContain('(.metadata.name)');
});
