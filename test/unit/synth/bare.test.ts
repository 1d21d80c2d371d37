import { expect, test } from 'vitest';
import { isBare } from '../../../src/synth/declared/tracking.js';

const object = (content: object, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  ...content,
  metadata: { name: 'a', namespace: 'b', ...metadata },
});

test.each([
  ['only named', object({}), true],
  ['what kubectl prints beside that', object({ status: {} }, { creationTimestamp: null }), true],
  ['an empty list, of which nothing is recorded where its items have keys', object({ spec: { ports: [] } }), true],
  ['data', object({ data: { a: '1' } }), false],
  ['a label', object({}, { labels: { a: 'b' } }), false],
  ['an empty map: it is owned', object({ spec: {} }), false],
  ['a null: it is owned', object({ data: null }), false],
  ['a list with an item', object({ spec: { ports: [{}] } }), false],
])('%s', (_, declared, expected) => {
  expect(isBare(declared)).toBe(expected);
});
