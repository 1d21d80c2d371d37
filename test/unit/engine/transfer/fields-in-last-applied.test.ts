import { describe, expect, test } from 'vitest';
import { fieldsInLastApplied } from '../../../../src/engine/transfer/fields-in-last-applied.js';
import { leafTexts, readFieldsV1 } from '../../../../src/fields/index.js';
import type { Json, JsonObject } from '../../../../src/util/json.js';

const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
const head = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'x', annotations: {} } };
const entry = (manager: string, fieldsV1: JsonObject, operation = 'Update') => ({
  manager,
  operation,
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  fieldsV1,
});
const object = (text: string, managedFields: readonly Json[] = []) =>
  ({ ...head, metadata: { name: 'x', annotations: { [annotation]: text }, managedFields } }) as JsonObject;
const item = (name: string, inside: JsonObject = {}) => ({ [`k:{"name":"${name}"}`]: { '.': {}, 'f:name': {}, ...inside } });

/** What the annotation has, what the stack owns, and what others own: the fields, and the content of the annotation without them. */
describe('fieldsInLastApplied', () => {
  test.each<{ what: string; applied: JsonObject; owned: JsonObject; others?: JsonObject; fields: readonly string[]; left?: JsonObject }>([
    { what: 'nothing in common', applied: { data: { a: '1' } }, owned: { 'f:data': { 'f:b': {} } }, fields: [] },
    {
      what: 'a field that only the stack owns',
      applied: { data: { a: '1', b: '1' } },
      owned: { 'f:data': { 'f:a': {}, 'f:c': {} } },
      fields: ['.data.a'],
      left: { data: { b: '1' } },
    },
    {
      what: 'the key of an item stays with what kubectl has in it, and is not told again',
      applied: { items: [{ name: 'a', x: '1' }] },
      owned: { 'f:items': item('a', { 'f:y': {} }) },
      fields: [],
    },
    {
      what: 'a field of such an item',
      applied: { items: [{ name: 'a', x: '1', y: '1' }] },
      owned: { 'f:items': item('a', { 'f:y': {} }) },
      fields: ['.items[name="a"].y'],
      left: { items: [{ name: 'a', x: '1' }] },
    },
    {
      what: 'an item of which kubectl has the key alone',
      applied: { items: [{ name: 'a' }], data: { k: '1' } },
      owned: { 'f:items': item('a', { 'f:y': {} }) },
      fields: ['.items[name="a"].name'],
      left: { data: { k: '1' } },
    },
    { what: 'an atomic map, as a whole', applied: { map: { a: '1' } }, owned: { 'f:map': {} }, fields: ['.map'] },
    {
      what: 'an empty map, but not what others have in it',
      applied: { dir: { medium: 'Memory' }, data: { a: '1' } },
      owned: { 'f:dir': {}, 'f:data': { 'f:a': {} } },
      others: { 'f:dir': { '.': {}, 'f:medium': {} } },
      fields: ['.data.a'],
      left: { dir: { medium: 'Memory' } },
    },
    {
      what: 'an empty map of both',
      applied: { dir: {} },
      owned: { 'f:dir': {} },
      others: { 'f:dir': { '.': {}, 'f:medium': {} } },
      fields: ['.dir'],
    },
    {
      what: 'an empty map or list around fields of the stack, which kubectl deletes whole',
      applied: { data: {}, spec: { deep: {}, items: [] } },
      owned: { 'f:data': { 'f:a': {} }, 'f:spec': { 'f:deep': { 'f:x': { 'f:y': {} } }, 'f:items': item('a') } },
      fields: ['.data.a', '.spec.deep.x.y', '.spec.items[name="a"].name'],
    },
    {
      what: 'no annotation of the stack: kubectl writes the empty map itself',
      applied: { data: { k: '1' } },
      owned: { 'f:metadata': { 'f:annotations': { 'f:a': {} } } },
      fields: [],
    },
  ])('$what', ({ applied, owned, others = {}, fields, left }) => {
    const owners = [entry('stack', owned, 'Apply'), entry('kubectl', others)];
    const live = object(JSON.stringify({ ...head, ...applied }), owners);
    const found = fieldsInLastApplied(live, readFieldsV1(owned));
    expect(found === undefined ? [] : leafTexts(found.fields)).toEqual(fields);
    if (found !== undefined) {
      expect(found.after === undefined ? undefined : JSON.parse(found.after)).toEqual(
        left === undefined ? undefined : { ...head, ...left },
      );
      expect(found.after === undefined ? undefined : fieldsInLastApplied(object(found.after, owners), readFieldsV1(owned))).toBeUndefined();
    }
  });

  test.each(['no JSON', '["a"]', 'null', '"a"', ''])('none where the annotation is %j', (text) => {
    expect(fieldsInLastApplied(object(text), readFieldsV1({ 'f:data': { 'f:a': {} } }))).toBeUndefined();
  });

  test('none without an annotation', () => {
    expect(fieldsInLastApplied({ ...head, data: { a: '1' } }, readFieldsV1({ 'f:data': { 'f:a': {} } }))).toBeUndefined();
  });

  test('the owners of the annotation', () => {
    const ofAnnotation = { 'f:metadata': { 'f:annotations': { '.': {}, [`f:${annotation}`]: {} } } };
    const text = JSON.stringify({ ...head, data: { a: '1' } });
    const writersIn = (managedFields: readonly Json[]) =>
      fieldsInLastApplied(object(text, managedFields), readFieldsV1({ 'f:data': { 'f:a': {} } }))?.writers.map(({ manager }) => manager);
    expect(writersIn([entry('argocd', ofAnnotation), entry('other', { 'f:data': { 'f:a': {} } })])).toEqual(['argocd']);
    expect(writersIn([])).toEqual([]);
  });
});
