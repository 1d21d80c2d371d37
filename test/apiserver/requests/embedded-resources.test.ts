import { expect, test } from 'vitest';
import { ValueCheck } from '../../../src/builders/check-value.js';
import { readCrd, type TypeRef } from '../../../src/schema/index.js';
import type { Json } from '../../../src/util/json.js';
import { causesOf } from '../../harness/causes-of.js';
import { crdOf } from '../../harness/crd.js';
import { TestEnvironment } from '../../harness/test-environment.js';

/** Objects in fields of objects: a build of a whole object refuses what the server refuses. */

const testEnvironment = await TestEnvironment.create('embedded-resources');
const { cluster, namespace } = testEnvironment;
const group = `${namespace}.example.com`;

const whole = { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true };
const withFields = { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: { type: 'string' } } };
const definition = crdOf(group, 'Holder', {
  spec: { type: 'object', properties: { whole, withFields, list: { type: 'array', items: whole } } },
});
await testEnvironment.crd(definition);
let objects = 0;
const [root] = readCrd(definition).roots;
const pod = { apiVersion: 'v1', kind: 'Pod' };

test.each<readonly [spec: object, refused: readonly string[]]>([
  [{ whole: { ...pod, metadata: { name: 'a' } } }, []],
  [{ whole: pod }, []],
  [{ whole: { kind: 'Pod' } }, ['spec.whole.apiVersion: Required value']],
  [{ whole: { apiVersion: 'v1' } }, ['spec.whole.kind: Required value']],
  [{ withFields: { spec: 'x' } }, ['spec.withFields.apiVersion: Required value', 'spec.withFields.kind: Required value']],
  [{ list: [pod, { kind: 'Pod' }] }, ['spec.list[1].apiVersion: Required value']],
])('%j is taken, or refused for %j', async (spec, refused) => {
  const object = { ...testEnvironment.ref(`${group}/v1`, 'Holder', `h${objects++}`), spec };
  const causes = await causesOf(cluster.create('one', object));
  expect(causes).toEqual(refused.map((text) => expect.stringContaining(text)));
  const check = new ValueCheck(root!.schema, { root: root!, complete: true });
  check.check(object as unknown as Json, root!.type as TypeRef);
  expect(check.diagnostics.map(({ path, message }) => `${path}: ${message}`)).toEqual(
    refused.map((text) => `.${text.split(':')[0]}: the schema requires this field`),
  );
});
