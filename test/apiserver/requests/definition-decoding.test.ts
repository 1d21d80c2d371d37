import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ApiCallError } from '../../harness/api-client.js';
import { causesOf } from '../../harness/causes-of.js';
import { crdOf } from '../../harness/crd.js';
import { TestEnvironment } from '../../harness/test-environment.js';

/**
 * Schemas of a property, and what kube-apiserver 1.36.3 stores of them, or the message by which it refuses them: schemas in schemas, which it
 * decodes by themselves, the metadata in defaults, and the types that rules see.
 */
const testEnvironment = await TestEnvironment.create('definition-decoding');
const { cluster, namespace } = testEnvironment;
interface Recorded {
  readonly property: object;
  readonly stored?: object;
  readonly message?: string;
  /** The message for an apply, if it differs. */
  readonly applied?: string;
}
const recorded = JSON.parse(readFileSync(new URL('./definitions/decoded.json', import.meta.url), 'utf8')) as readonly Recorded[];
const group = `${namespace}.example.com`;

const name = `trieds.${group}`;

function definitionOf(x: object) {
  const { spec, ...definition } = crdOf(group, 'Tried');
  const schema = { openAPIV3Schema: { type: 'object', properties: { x } } };
  return { ...definition, spec: { ...spec, versions: [{ name: 'v1', served: true, storage: true, schema }] } };
}

interface Stored {
  readonly spec: ReturnType<typeof definitionOf>['spec'];
}

/** Returns the schema that a server stores of the property, or the message by which it refuses it. */
async function answerTo(answer: Promise<unknown>): Promise<unknown> {
  try {
    const { spec } = (await answer) as Stored;
    return spec.versions[0]?.schema.openAPIV3Schema.properties.x;
  } catch (refused) {
    return (refused as ApiCallError).body.message?.replaceAll(name, 'NAME').replace(/selfType\d+/g, 'selfType');
  }
}

test.each(recorded)('$property', async ({ property, stored, message, applied }) => {
  const body = definitionOf(property);
  const path = await cluster.path(body);
  const query = { dryRun: 'All', fieldManager: 'm' };
  const creates = cluster.client.call('POST', path.slice(0, path.lastIndexOf('/')), { body, query });
  expect(await answerTo(creates)).toEqual(stored ?? message);
  const applies = cluster.client.call('PATCH', path, { body, query, contentType: 'application/apply-patch+yaml' });
  expect(await answerTo(applies)).toEqual(stored ?? applied ?? message);
});

test('nulls of an embedded resource are dropped before its type is read; defaults of metadata end up in metadata that is decoded', async () => {
  const text = { type: 'string' };
  const metadata = {
    type: 'object',
    properties: { name: text, unknown: { ...text, default: 'u' } },
    maxProperties: 2,
    default: { name: 'n', odd: 1 },
  };
  const x = { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { apiVersion: text, kind: text, metadata } };
  const y = { ...x, properties: { ...x.properties, metadata: { type: 'object', properties: { name: text } } } };
  const definition = crdOf(group, 'Held', { spec: { type: 'object', properties: { x, y } } });
  await testEnvironment.crd(definition);
  const held = (spec: object) => ({ apiVersion: `${group}/v1`, kind: 'Held', metadata: { name: 'held', namespace }, spec });
  expect(await causesOf(cluster.create('m', held({ x: { apiVersion: null, kind: 'A' } })))).toEqual(['spec.x.apiVersion: Required value']);
  const declared = held({ x: { apiVersion: 'v1', kind: 'A' } });
  for (const round of [1, 2]) {
    const applied = await cluster.apply('m', declared);
    expect(applied.spec, `round ${round}`).toEqual({ x: { apiVersion: 'v1', kind: 'A', metadata: { name: 'n' } } });
    expect(applied.metadata.generation).toBe(1);
  }
  // An apply that empties the metadata merges it to null.
  await cluster.apply('m', held({ y: { apiVersion: 'v1', kind: 'A', metadata: { name: 'n' } } }));
  const empty = held({ y: { apiVersion: 'v1', kind: 'A', metadata: {} } });
  expect(await causesOf(cluster.apply('m', empty))).toEqual([
    'spec.y.metadata: Invalid value: "null": spec.y.metadata in body must be of type object: "null"',
  ]);
});
