import { expect, test } from 'vitest';
import { decodeObject, encodeObject, readEnvelope } from '../../../src/apiserver/http/protobuf/envelope.js';
import { type Message, messageNamed, messageOfKind } from '../../../src/apiserver/http/protobuf/message.js';
import { messages } from '../../../src/apiserver/http/protobuf/message-table.js';
import { resolve, type Schema, type TypeRef } from '../../../src/schema/index.js';
import type { JsonObject } from '../../../src/util/json.js';
import { builtInRoots } from '../requests/field-facts/observe.js';

/** The envelope has them, not the message of a kind; claims inside a StatefulSet lose them. */
const ofEnvelope = ['apiVersion', 'kind'];

test('every field of every built-in kind has a number', async () => {
  const missing: string[] = [];
  const seen = new Set<string>();
  let fields = 0;
  const visit = (schema: Schema, ref: TypeRef) => {
    const { map, list } = resolve(schema, ref);
    if ('name' in ref) {
      if (seen.has(ref.name)) return;
      seen.add(ref.name);
    }
    if (list !== undefined) visit(schema, list.element);
    if (map === undefined) return;
    if (map.element !== undefined) visit(schema, map.element);
    if (!('name' in ref) || map.fields.size === 0) return;
    // A table root whose status is applied separately gives the type of the status another name.
    const name = ref.name.replace(/StatusFields$/, 'Status');
    const members = Object.hasOwn(messages, name) ? membersOf(messageNamed(name)) : undefined;
    for (const [member, { type }] of map.fields) {
      if (members?.has(member)) fields += 1;
      else if (!map.fields.has('metadata') || !ofEnvelope.includes(member)) missing.push(`${ref.name}.${member}`);
      visit(schema, type);
    }
  };
  for (const root of (await builtInRoots()).values()) {
    if (messageOfKind(root.apiVersion, root.kind) === undefined) missing.push(`${root.apiVersion} ${root.kind}`);
    visit(root.schema, root.type);
  }
  expect(missing).toEqual([]);
  expect(fields).toBeGreaterThan(1500);
});

/** The members of JSON, with those of inlined structs. */
function membersOf(message: Message): Set<string> {
  return new Set(message.fields.flatMap(({ name, type }) => (name === '' ? [...membersOf(type as Message)] : [name])));
}

const meta = { name: 'a' };
const shownSchema = (properties: JsonObject) => ({
  group: 'g',
  names: { plural: 'p', kind: 'K' },
  scope: 'Cluster',
  versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: properties } }],
});
const crdStatus = { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null };

test.each<JsonObject>([
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...meta, labels: { b: '', a: '1' } }, binaryData: { x: 'AP8=' }, immutable: false },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...meta, annotations: { __proto__x: '1', constructor: '2' } } },
  { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: meta, data: { z: [1, null, { a: true }], a: 1.5 }, revision: -1 },
  { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: meta, data: null, revision: 9223372036854775807n as unknown as number },
  { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: meta, data: null, revision: -9007199254740993n as unknown as number },
  {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { ...meta, creationTimestamp: '1969-12-31T23:59:59Z' },
    spec: { renewTime: '2026-01-02T03:04:05.000007Z' },
  },
  {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: meta,
    spec: { minAvailable: '50%', maxUnavailable: 0 },
    status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  },
  {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: meta,
    spec: shownSchema({
      type: 'object',
      maximum: 1.5,
      maxLength: 9007199254740993n as unknown as number,
      default: { a: [1] },
      enum: ['a', 1, null],
      items: { type: 'string' },
      additionalProperties: false,
      properties: { a: { additionalProperties: true }, b: { additionalProperties: { $ref: '#', 'x-kubernetes-int-or-string': true } } },
    }),
    status: crdStatus,
  },
  {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    metadata: {},
    spec: { extra: { scope: ['a', ''] }, user: 'u' },
    status: { allowed: false },
  },
])('$kind is the same after encoding and decoding', (object) => {
  expect(decodeObject(readEnvelope(encodeObject(object)))).toEqual(object);
});

test('a kind that has no protobuf is not decoded', () => {
  expect(messageOfKind('example.com/v1', 'Widget')).toBeUndefined();
  expect(messageOfKind('v1', 'toString')).toBeUndefined();
  expect(decodeObject({ apiVersion: 'example.com/v1', kind: 'Widget', raw: Buffer.from('x') })).toBeUndefined();
  expect(() => encodeObject({ apiVersion: 'example.com/v1', kind: 'Widget' })).toThrow(/no protobuf/);
});

test('bytes of any kind are an error or an object', () => {
  const bytes = encodeObject({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { containers: [{ name: 'a', image: 'b' }] } });
  for (let index = 4; index < bytes.length; index++)
    for (const value of [0, 0x7f, 0xff]) {
      const changed = Buffer.from(bytes);
      changed[index] = value;
      for (const each of [changed, changed.subarray(0, index)])
        try {
          decodeObject(readEnvelope(each));
        } catch (error) {
          expect((error as Error).name).toBe('WireError');
        }
    }
});

test('deep nesting is an error', () => {
  const properties = (depth: number): JsonObject => (depth === 0 ? {} : { properties: { a: properties(depth - 1) } });
  const crd = (depth: number) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    spec: shownSchema(properties(depth)),
  });
  expect(decodeObject(readEnvelope(encodeObject(crd(50))))).toBeDefined();
  expect(() => decodeObject(readEnvelope(encodeObject(crd(1200))))).toThrow(/nested/);
});
