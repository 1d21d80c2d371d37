import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { matchesPattern, patternError } from '../../../src/schema/index.js';

// What patterns mean is compared with an API server in test/cluster/patterns.test.ts.

test('a text of a megabyte is matched against patterns that backtrack', () => {
  const text = 'a'.repeat(1e6);
  for (const pattern of ['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '(x+x+)+y', '^([a-z]+)*[0-9]$', '(.*)*#']) {
    expect(matchesPattern(pattern, `${text}!`), pattern).toBe(false);
  }
});

test('a pattern that cannot be read says nothing of a text', () => {
  expect([matchesPattern('(?=a)', 'a'), matchesPattern('(', 'a')]).toEqual([undefined, undefined]);
  expect(patternError('(')).toBe('error parsing regexp: missing closing ): `(`');
});

test('groups of one name, which Go reads and re2js does not, are no reason to refuse a pattern', () => {
  expect([patternError('(?P<n>a)(?P<n>b)'), matchesPattern('(?P<n>a)(?P<n>b)', 'ab')]).toEqual([undefined, undefined]);
});

test('more patterns than are kept are matched', () => {
  for (let round = 0; round < 2; round++) {
    for (let index = 0; index < 1500; index++) expect(matchesPattern(`^a${index}$`, `a${index}`)).toBe(true);
  }
});

test('what evaluates patterns is loaded at the first pattern that is checked', async () => {
  const program = `
    import { createRequire } from 'node:module';
    import { buildLiteral } from 'fieldwise/builders';
    import { readCrd } from ${JSON.stringify(new URL('../../../lib/src/schema/index.js', import.meta.url))};
    const loaded = () => Object.keys(createRequire(import.meta.url).cache).some((file) => /[\\\\/]re2js[\\\\/]/.test(file));
    const properties = { a: { type: 'string', maxLength: 2 }, b: { type: 'string', pattern: '^b$' } };
    const spec = { type: 'object', properties };
    const [root] = readCrd({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', spec: {
      group: 'rules.example.com', scope: 'Namespaced', names: { kind: 'Rule', plural: 'rules' },
      versions: [{ name: 'v1', served: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } }],
    } }).roots;
    const before = loaded();
    buildLiteral(root, { metadata: { name: 'x' }, spec: { a: 'a' } });
    const between = loaded();
    buildLiteral(root, { metadata: { name: 'x' }, spec: { b: 'b' } });
    console.log(JSON.stringify([before, between, loaded()]));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    cwd: new URL('../../..', import.meta.url),
  });
  expect(JSON.parse(stdout)).toEqual([false, false, true]);
});
