import { buildLiteral } from 'fieldwise/builders';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { readCrd } from '../../src/schema/index.js';
import type { ApiCallError } from '../harness/api-client.js';
import type { ObjectRef } from '../harness/cluster.js';
import { crdOf } from '../harness/crd.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('patterns');
const group = `${testEnvironment.namespace}.example.com`;

/** A pattern, texts that it is in, and texts that it is not in. */
const patterns: readonly (readonly [pattern: string, fits: readonly string[], misfits: readonly string[]])[] = [
  ['^[a-z]+$', ['abc'], ['a1', '', 'abc\n']],
  ['b', ['abc'], ['ac']],
  ['^(a+)+$', ['a'.repeat(5000)], [`${'a'.repeat(5000)}b`]],
  ['^(([a-z])+.)+[A-Z]([a-z])+$', ['abcAb'], ['a'.repeat(5000)]],
  ['(?i)^k$', ['k', 'K', '\u212a'], ['kk']],
  ['(?i:a)b', ['Ab', 'ab'], ['AB']],
  ['(?s)^a.b$', ['a\nb'], ['ab']],
  ['^a.b$', ['axb', 'a😀b', 'a\rb'], ['a\nb']],
  ['(?m)^b$', ['a\nb\nc'], ['a\rb\rc']],
  ['^[[:alpha:]]+$', ['abc'], ['é', 'a1']],
  ['[[:^digit:]]', ['a'], ['1']],
  ['\\Aabc\\z', ['abc'], ['abc\n', 'xabc']],
  ['^\\Qa.b\\E$', ['a.b'], ['axb']],
  ['^(?P<name>a)(?<other>b)$', ['ab'], ['a']],
  ['^\\pL\\p{Greek}$', ['aω'], ['ab']],
  ['^\\x41\\x{1F600}\\012$', ['A😀\n'], ['A']],
  ['^[\\d-z]$', ['5', '-', 'z'], ['a']],
  ['^[]a]$', [']', 'a'], ['b']],
  ['^\\w\\s\\b?$', ['a ', 'a\t'], ['é ', 'a\v', 'a\u00a0']],
  ['^[a-z\\._\\-\\/]{1,3}$', ['a._', '-/'], ['abcd', '']],
  ['^x{,2}$', ['x{,2}'], ['x']],
  ['^.$', ['😀', '\u0301'], ['e\u0301']],
];

/** Patterns that the server does not read, and why not. */
const refused: readonly (readonly [pattern: string, reason: string])[] = [
  ['(', 'missing closing ): `(`'],
  [')', 'unexpected ): `)`'],
  ['(?=a)', 'invalid or unsupported Perl syntax: `(?=`'],
  ['^(?!ab).*$', 'invalid or unsupported Perl syntax: `(?!`'],
  ['(?<=a)b', 'invalid named capture: `(?<=a)b`'],
  ['(?>a)', 'invalid or unsupported Perl syntax: `(?>`'],
  ['(a)\\1', 'invalid escape sequence: `\\1`'],
  ['a**', 'invalid nested repetition operator: `**`'],
  ['a{1001}', 'invalid repeat count: `{1001}`'],
  ['(a{1000}){1000}', 'invalid repeat count: `{1000}`'],
  ['[z-a]', 'invalid character class range: `z-a`'],
  ['[a', 'missing closing ]: `[a`'],
  ['\\u0041', 'invalid escape sequence: `\\u`'],
  ['\\p{Foo}', 'invalid character class range: `\\p{Foo}`'],
  ['\\', 'trailing backslash at end of expression: ``'],
  ['*a', 'missing argument to repetition operator: `*`'],
];

const definition = crdOf(group, 'Pattern', {
  spec: {
    type: 'object',
    properties: Object.fromEntries(patterns.map(([pattern], index) => [`p${index}`, { type: 'string', pattern }])),
  },
});
const [root] = readCrd(definition).roots;
const object = (spec: object) => ({ ...testEnvironment.ref(`${group}/v1`, 'Pattern', 'one'), spec });
const dryRunCreate = async (body: ObjectRef) => {
  const path = await testEnvironment.cluster.path(body);
  return testEnvironment.cluster.client.call('POST', path.slice(0, path.lastIndexOf('/')), { body, query: { dryRun: 'All' } });
};
const failure = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: ApiCallError) => error.body.message as string,
  );

beforeAll(async () => {
  testEnvironment.removeCrdLater(definition.metadata.name);
  await testEnvironment.cluster.create('somebody', definition);
  await vi.waitUntil(() => testEnvironment.cluster.serves(`${group}/v1`, 'Pattern'), { timeout: 30_000 });
});

describe.each(patterns.map((each, index) => [...each, `p${index}`] as const))('%j', (pattern, fits, misfits, name) => {
  test.each(fits)('is in %j, for the server and for a builder', async (text) => {
    expect(await failure(dryRunCreate(object({ [name]: text })))).toBeUndefined();
    expect(() => buildLiteral(root!, object({ [name]: text }))).not.toThrow();
  });

  test.each(misfits)('is not in %j, for the server and for a builder', async (text) => {
    expect(await failure(dryRunCreate(object({ [name]: text })))).toContain(`spec.${name} in body should match '${pattern}'`);
    expect(() => buildLiteral(root!, object({ [name]: text }))).toThrow('does not match');
  });
});

test.each(refused)('a definition with the pattern %j is refused: %s', async (pattern, reason) => {
  const bad = crdOf(group, 'Bad', { spec: { type: 'object', properties: { a: { type: 'string', pattern } } } });
  expect(await failure(dryRunCreate(bad))).toBe(
    `CustomResourceDefinition.apiextensions.k8s.io "bads.${group}" is invalid: spec.validation.openAPIV3Schema.properties[spec].properties[a].pattern: ` +
      `Invalid value: ${JSON.stringify(pattern)}: must be a valid regular expression, but isn't: error parsing regexp: ${reason}`,
  );
  // Such a definition never gets into a cluster; of its schema a builder checks the rest.
  expect(() => buildLiteral(readCrd(bad).roots[0]!, { metadata: { name: 'x' }, spec: { a: 'b' } })).not.toThrow();
});

test('a bad pattern is found everywhere in a schema', async () => {
  const a = { type: 'string', allOf: [{ pattern: 'a(' }], anyOf: [{}, { not: { pattern: 'b(' } }], oneOf: [{ pattern: 'c(' }] };
  const properties = {
    a: { ...a, not: { pattern: 'd(' } },
    list: { type: 'array', items: { type: 'string', pattern: 'e(' } },
    map: { type: 'object', additionalProperties: { type: 'string', pattern: 'f(' } },
  };
  const message = await failure(dryRunCreate(crdOf(group, 'Bad', { spec: { type: 'object', properties } })));
  expect(
    [...(message ?? '').matchAll(/properties\[spec\]\.(\S+): Invalid value: "(\S+)"/g)].map(([, path, pattern]) => [path, pattern]),
  ).toEqual([
    ['properties[a].allOf[0].pattern', 'a('],
    ['properties[a].anyOf[1].not.pattern', 'b('],
    ['properties[a].not.pattern', 'd('],
    ['properties[a].oneOf[0].pattern', 'c('],
    ['properties[list].items.pattern', 'e('],
    ['properties[map].additionalProperties.pattern', 'f('],
  ]);
});
