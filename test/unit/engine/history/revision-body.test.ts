import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { StackManifest } from '../../../../src/assembly/types.js';
import { bodyOf, maxBodyBytes, packBody } from '../../../../src/engine/history/revision-body.js';

const identity = { app: 'shop', instance: 'default', stack: 'web', manager: 'fieldwise/shop/default/web' };
const stack = { name: 'web', manager: identity.manager, intents: [] } as unknown as StackManifest;

/** ConfigMaps with texts of a length. */
const configMaps = (count: number, length: number) =>
  Array.from({ length: count }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `c${index}` },
    data: { text: '€'.repeat(length) },
  }));

test.each([0, 1, 3, 1_000])('a body of %i objects is one gzip file with all of them, also in several pieces', (count) => {
  const objects = configMaps(count, 4_000);
  const packed = packBody(identity, bodyOf(stack, objects, undefined)) ?? new Uint8Array();
  expect(JSON.parse(gunzipSync(packed).toString('utf8'))).toMatchObject({ app: 'shop', stack: { name: 'web' }, objects, omitted: [] });
});

test('a body that is larger than one that can be read again is not packed', () => {
  const length = 2 ** 20; // of three bytes each
  const count = Math.ceil(maxBodyBytes / length / 3);
  expect(packBody(identity, bodyOf(stack, configMaps(count - 2, length), undefined))).toBeDefined();
  expect(packBody(identity, bodyOf(stack, configMaps(count, length), undefined))).toBeUndefined();
});
