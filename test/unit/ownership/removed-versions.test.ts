import { describe, expect, test } from 'vitest';
import { otherVersionsIn, withoutVersions } from '../../../src/ownership/index.js';
import type { JsonObject } from '../../../src/util/json.js';

const entry = (manager: string, operation: string, apiVersion: string, fieldsV1: object, more: object = {}) => ({
  manager,
  operation,
  apiVersion,
  time: '2026-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...more,
});
const live = (...managedFields: object[]) =>
  ({
    apiVersion: 'g.example.com/v1',
    kind: 'Wheel',
    metadata: { name: 'x', managedFields },
    spec: { a: 1, b: 2 },
  }) as unknown as JsonObject;
const gone = new Set(['g.example.com/v1alpha1']);

describe('entries of a removed version', () => {
  test('are those of the own group only', () => {
    const object = live(
      entry('m', 'Apply', 'g.example.com/v1', {}),
      entry('n', 'Apply', 'g.example.com/v1alpha1', {}),
      entry('hpa', 'Update', 'autoscaling/v1', {}, { subresource: 'scale' }),
    );
    expect(otherVersionsIn(object, 'g.example.com/v1')).toEqual(['g.example.com/v1alpha1']);
  });

  test('get the version that is served, with the fields that are there; all others stay as the server wrote them', () => {
    const kept = entry('other', 'Apply', 'g.example.com/v1', { 'f:spec': { 'f:a': {} } });
    const old = entry('old', 'Apply', 'g.example.com/v1alpha1', { 'f:spec': { 'f:b': {}, 'f:renamed': {} } });
    expect(withoutVersions(live(kept, old), gone)).toEqual({
      entries: [kept, { ...old, apiVersion: 'g.example.com/v1', fieldsV1: { 'f:spec': { 'f:b': {} } } }],
      dropped: ['.spec.renamed of old'],
    });
  });

  test('join the entry that the same updater has in the other version, and go where nothing is left', () => {
    const now = entry('u', 'Update', 'g.example.com/v1', { 'f:spec': { 'f:a': {} } });
    const before = entry('u', 'Update', 'g.example.com/v1alpha1', { 'f:spec': { 'f:b': {} } });
    const status = entry('u', 'Update', 'g.example.com/v1alpha1', { 'f:status': { 'f:x': {} } }, { subresource: 'status' });
    for (const order of [
      [now, before, status],
      [status, before, now],
    ]) {
      expect(withoutVersions(live(...order), gone)).toMatchObject({
        entries: [{ manager: 'u', apiVersion: 'g.example.com/v1', fieldsV1: { 'f:spec': { 'f:a': {}, 'f:b': {} } } }],
        dropped: ['.status.x of u (Update, status)'],
      });
    }
  });
});
