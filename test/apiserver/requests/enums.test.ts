import { expect, test } from 'vitest';
import { ValueCheck } from '../../../src/builders/check-value.js';
import { readCrd, type TypeRef } from '../../../src/schema/index.js';
import type { Json } from '../../../src/util/json.js';
import { causesOf } from '../../harness/causes-of.js';
import { crdOf } from '../../harness/crd.js';
import { TestEnvironment } from '../../harness/test-environment.js';

/** Enums of nodes of each type and of none, and null beside them: builders refuse what the server refuses. */

const testEnvironment = await TestEnvironment.create('enums');
const { cluster, namespace } = testEnvironment;
const group = `${namespace}.example.com`;

const preserve = { 'x-kubernetes-preserve-unknown-fields': true };
const intOrString = { 'x-kubernetes-int-or-string': true };
const nodes = {
  level: { ...intOrString, enum: ['max', 1, 2] },
  level2: { ...intOrString, anyOf: [{ type: 'integer' }, { type: 'string' }], enum: ['max', 1] },
  any: { ...preserve, enum: ['a', 1, true] },
  whole: { ...preserve, enum: [{ a: 1 }, [1], 'x'] },
  maybe: { type: 'string', nullable: true, enum: ['a', null] },
  maybe2: { type: 'string', nullable: true, enum: ['a'] },
  anyOrNull: { ...preserve, nullable: true, enum: ['a', null] },
  levelOrNull: { ...intOrString, nullable: true, enum: [1, null] },
  plainOrNull: { type: 'string', nullable: true },
  levels: { type: 'array', items: { ...intOrString, enum: ['max', 1] } },
  anys: { type: 'array', items: { ...preserve, enum: ['a'] } },
  maybes: { type: 'array', items: { type: 'string', nullable: true, enum: ['a', null] } },
  byName: { type: 'object', additionalProperties: { type: 'string', nullable: true, enum: ['a', null] } },
};
const definition = crdOf(group, 'Choice', { spec: { type: 'object', properties: nodes } });
await testEnvironment.crd(definition);
let objects = 0;
const [root] = readCrd(definition).roots;

test.each<readonly [spec: object, refused: string | undefined]>([
  [{ level: 1 }, undefined],
  [{ level: 'max' }, undefined],
  [{ level: 3 }, 'spec.level: Unsupported value: 3: supported values: "max", "1", "2"'],
  [{ level: '1' }, 'spec.level: Unsupported value: "1": supported values: "max", "1", "2"'],
  [{ level2: 2 }, 'spec.level2: Unsupported value: 2: supported values: "max", "1"'],
  [{ any: 'a' }, undefined],
  [{ any: true }, undefined],
  [{ any: 'b' }, 'spec.any: Unsupported value: "b": supported values: "a", "1", "true"'],
  [{ any: { a: 1 } }, 'spec.any: Unsupported value: {"a":1}: supported values: "a", "1", "true"'],
  [{ any: [1] }, 'spec.any: Unsupported value: [1]: supported values: "a", "1", "true"'],
  [{ whole: { a: 1 } }, undefined],
  [{ whole: [1] }, undefined],
  [{ whole: 'x' }, undefined],
  [{ whole: 'y' }, 'spec.whole: Unsupported value: "y": supported values'],
  [{ maybe: 'a' }, undefined],
  [{ maybe: null }, 'spec.maybe: Unsupported value: null: supported values: "a", "null"'],
  [{ maybe2: null }, 'spec.maybe2: Unsupported value: null: supported values: "a"'],
  [{ anyOrNull: null }, 'spec.anyOrNull: Unsupported value: null: supported values: "a", "null"'],
  [{ levelOrNull: null }, 'spec.levelOrNull: Unsupported value: null: supported values: "1", "null"'],
  [{ plainOrNull: null }, undefined],
  [{ levels: ['max', 1] }, undefined],
  [{ levels: [1, 2] }, 'spec.levels[1]: Unsupported value: 2: supported values: "max", "1"'],
  [{ anys: ['b'] }, 'spec.anys[0]: Unsupported value: "b": supported values: "a"'],
  [{ anys: [null] }, 'spec.anys[0]: Unsupported value: null: supported values: "a"'],
  [{ maybes: [null] }, 'spec.maybes[0]: Unsupported value: null: supported values: "a", "null"'],
  [{ byName: { a: null } }, 'spec.byName.a: Unsupported value: null: supported values: "a", "null"'],
])('%j is taken, or refused: %s', async (spec, refused) => {
  const object = { ...testEnvironment.ref(`${group}/v1`, 'Choice', `c${objects++}`), spec };
  const causes = await causesOf(cluster.create('one', object));
  expect(causes).toEqual(refused === undefined ? [] : [expect.stringContaining(refused)]);
  const check = new ValueCheck(root!.schema, { root: root! });
  check.check({ spec } as unknown as Json, root!.type as TypeRef);
  expect(check.diagnostics.map(({ message }) => message)).toEqual(refused === undefined ? [] : [expect.any(String)]);
});
