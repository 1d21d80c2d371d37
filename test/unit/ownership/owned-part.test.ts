import { describe, expect, test } from 'vitest';
import { readFieldsV1 } from '../../../src/fields/index.js';
import { extractOwnedFields } from '../../../src/ownership/index.js';
import type { Json, JsonObject } from '../../../src/util/json.js';

const part = (live: object, fields: object) => extractOwnedFields(live as JsonObject, readFieldsV1(fields as Json));

describe('the part of an object that a set names', () => {
  test('has the live values, and atomic ones whole', () => {
    const live = { spec: { replicas: 3, selector: { app: 'x' }, paused: true } };
    expect(part(live, { 'f:spec': { 'f:replicas': {}, 'f:selector': {} } })).toEqual({ spec: { replicas: 3, selector: { app: 'x' } } });
  });

  test('keeps list items in the order of the object, and their keys', () => {
    const live = {
      ports: [
        { port: 80, protocol: 'TCP', name: 'b' },
        { port: 443, protocol: 'TCP' },
        { port: 1, protocol: 'TCP', name: 'a' },
      ],
    };
    const fields = {
      'f:ports': {
        'k:{"port":1,"protocol":"TCP"}': { '.': {}, 'f:port': {}, 'f:name': {} },
        'k:{"port":80,"protocol":"TCP"}': { 'f:name': {} },
      },
    };
    // A key that its owner left to its default stays out; an item without a key of its own is named by all of them.
    expect(part(live, fields)).toEqual({
      ports: [
        { port: 80, protocol: 'TCP', name: 'b' },
        { port: 1, name: 'a' },
      ],
    });
  });

  test('has values of sets, empty containers, and nothing that is gone', () => {
    const live = { metadata: { finalizers: ['b', 'a'], labels: {} }, spec: { kept: {} } };
    const fields = {
      'f:metadata': { 'f:finalizers': { 'v:"a"': {}, 'v:"gone"': {} }, 'f:labels': { '.': {}, 'f:gone': {} } },
      'f:spec': { 'f:kept': {}, 'f:gone': {} },
    };
    expect(part(live, fields)).toEqual({ metadata: { finalizers: ['a'], labels: {} }, spec: { kept: {} } });
    expect(part(live, { 'f:spec': { 'f:gone': {} } })).toEqual({});
  });
});
