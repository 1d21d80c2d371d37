import { describe, expect, test } from 'vitest';
import { fieldSetOfPaths, readFieldsV1, writeFieldsV1 } from '../../../src/fields/index.js';
import { declaredByKubectl, releasableFields, trimmedLastApplied } from '../../../src/ownership/index.js';
import type { JsonObject } from '../../../src/util/json.js';

const web = 'k:{"name":"web"}';
const item = (inside: JsonObject) => ({ 'f:items': { [web]: inside } });

describe('releasableFields', () => {
  test.each<{ what: string; owned: JsonObject; declared: JsonObject; given: JsonObject }>([
    { what: 'nothing in common', owned: { 'f:a': {} }, declared: { 'f:b': {} }, given: {} },
    { what: 'only what both have', owned: { 'f:a': {}, 'f:b': {} }, declared: { 'f:a': {}, 'f:c': {} }, given: { 'f:a': {} } },
    {
      what: 'a container goes with the last of its fields',
      owned: { 'f:data': { '.': {}, 'f:a': {} } },
      declared: { 'f:data': { 'f:a': {} } },
      given: { 'f:data': { '.': {}, 'f:a': {} } },
    },
    {
      what: 'and stays with the others',
      owned: { 'f:data': { '.': {}, 'f:a': {}, 'f:b': {} } },
      declared: { 'f:data': { 'f:a': {} } },
      given: { 'f:data': { 'f:a': {} } },
    },
    {
      what: 'an empty container is not given for what we have inside',
      owned: { 'f:a': {} },
      declared: { 'f:a': { 'f:b': {} } },
      given: {},
    },
    {
      what: 'an item that both have alike',
      owned: item({ '.': {}, 'f:name': {}, 'f:image': {} }),
      declared: item({ '.': {}, 'f:name': {}, 'f:image': {} }),
      given: item({ '.': {}, 'f:name': {}, 'f:image': {} }),
    },
    {
      what: 'an item and its key stay with a field that is theirs alone',
      owned: item({ '.': {}, 'f:name': {}, 'f:image': {}, 'f:env': {} }),
      declared: item({ '.': {}, 'f:name': {}, 'f:env': {} }),
      given: item({ 'f:env': {} }),
    },
    {
      what: 'a map entry stays with a field that is theirs alone',
      owned: { 'f:m': { 'f:x': { '.': {}, 'f:a': {}, 'f:b': {} } } },
      declared: { 'f:m': { 'f:x': { '.': {}, 'f:a': {} } } },
      given: { 'f:m': { 'f:x': { 'f:a': {} } } },
    },
  ])('$what', ({ owned, declared, given }) => {
    expect(writeFieldsV1(releasableFields(readFieldsV1(owned), readFieldsV1(declared)))).toEqual(given);
  });

  test('a default in the name of kubectl holds no item, what its file says does', () => {
    const owned = readFieldsV1(item({ '.': {}, 'f:name': {}, 'f:image': {}, 'f:policy': {} }));
    const declared = readFieldsV1(item({ '.': {}, 'f:name': {}, 'f:image': {} }));
    const given = (applied: JsonObject) => writeFieldsV1(releasableFields(owned, declared, declaredByKubectl(applied)));
    expect(given({ items: [{ name: 'web', image: 'a' }] })).toEqual(item({ '.': {}, 'f:name': {}, 'f:image': {} }));
    expect(given({ items: [{ name: 'web', image: 'a', policy: 'Always' }] })).toEqual(item({ 'f:image': {} }));
  });
});

describe('trimmedLastApplied', () => {
  const head = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'x', annotations: {} } };
  const trimmed = (content: object, taken: JsonObject) => {
    const text = trimmedLastApplied({ ...head, ...content } as JsonObject, readFieldsV1(taken));
    if (text === undefined) return undefined;
    const { apiVersion: _, kind: __, metadata, ...left } = JSON.parse(text);
    expect(metadata).toEqual(head.metadata);
    return left;
  };

  test.each<{ what: string; content: object; taken: JsonObject; left: object | undefined }>([
    { what: 'fields', content: { data: { a: '1', b: '1' } }, taken: { 'f:data': { 'f:a': {} } }, left: { data: { b: '1' } } },
    { what: 'emptied containers', content: { data: { a: '1' }, b: 1 }, taken: { 'f:data': { 'f:a': {} } }, left: { b: 1 } },
    { what: 'everything', content: { data: { a: '1' } }, taken: { 'f:data': { 'f:a': {} } }, left: undefined },
    {
      what: 'an item whole',
      content: { items: [{ name: 'web', image: 'a' }, { name: 'side' }] },
      taken: item({ '.': {}, 'f:name': {}, 'f:image': {} }),
      left: { items: [{ name: 'side' }] },
    },
    {
      what: 'a field of an item that keeps its key',
      content: { items: [{ name: 'web', image: 'a', env: 'b' }] },
      taken: item({ 'f:env': {} }),
      left: { items: [{ name: 'web', image: 'a' }] },
    },
    {
      what: 'the last field of an item that is not ours',
      content: { items: [{ name: 'web', env: 'b' }] },
      taken: item({ 'f:env': {} }),
      left: { items: [{ name: 'web' }] },
    },
    { what: 'an item of a set', content: { set: ['a', 'b'] }, taken: { 'f:set': { 'v:"a"': {} } }, left: { set: ['b'] } },
    { what: 'an atomic list', content: { args: ['a'], b: 1 }, taken: { 'f:args': {} }, left: { b: 1 } },
    { what: 'what was empty before stays', content: { dir: {}, b: 1 }, taken: { 'f:b': {} }, left: { dir: {} } },
  ])('forgets $what', ({ content, taken, left }) => {
    expect(trimmed(content, taken)).toEqual(left);
  });

  test('forgets nothing where nothing was taken', () => {
    expect(trimmed({ data: { a: '1' } }, writeFieldsV1(fieldSetOfPaths([])))).toEqual({ data: { a: '1' } });
  });
});
