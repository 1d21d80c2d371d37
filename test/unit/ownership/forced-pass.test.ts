import { expect, test } from 'vitest';
import { appliedAnnotation, type FieldConflict, forcedPassOf, outcomeOfPass } from '../../../src/ownership/index.js';

interface Entry {
  readonly manager: string;
  readonly fields: readonly string[];
  readonly operation?: string;
  readonly time?: string;
}

/** An object with a map of texts, and who owns which of them. */
const objectOf = (resourceVersion: string, data: Record<string, string>, owners: readonly Entry[], uid = 'one') => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'web',
    uid,
    resourceVersion,
    managedFields: owners.map(({ manager, fields, operation = 'Apply', time = '2026-11-28T00:00:00Z' }) => ({
      manager,
      operation,
      apiVersion: 'v1',
      time,
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': Object.fromEntries(fields.map((field) => [`f:${field}`, {}])) },
    })),
  },
  data,
});

const ours = (...fields: string[]) => ({ manager: 'ours', fields });
const rival = (...fields: string[]) => ({ manager: 'rival', fields });
const conflict = (field: string): FieldConflict => ({ field: `.data.${field}`, from: 'rival', operation: 'Apply', oldValue: 'theirs' });

const before = objectOf('1', { a: 'theirs', b: 'theirs' }, [rival('a', 'b'), ours('c')]);
const shared = objectOf('1', { a: 'theirs' }, [rival('a'), ours('a')]);

test.each([
  ['nothing was written since', before, ['a'], before, 'refused'],
  ['we own the field', before, ['a'], objectOf('2', { a: 'ours' }, [ours('a', 'c')]), 'applied'],
  [
    'we own one of two, because another one took the other since',
    before,
    ['a', 'b'],
    objectOf('3', {}, [ours('a'), { manager: 'third', fields: ['b'] }]),
    'applied',
  ],
  ['others wrote something else', before, ['a'], objectOf('2', { a: 'theirs', x: '1' }, [rival('a', 'b', 'x'), ours('c')]), 'refused'],
  [
    'we applied, and the others own all of it: they may have taken it back',
    before,
    ['a'],
    objectOf('3', { a: 'theirs' }, [rival('a', 'b'), { ...ours('c'), time: '2026-11-28T00:00:07Z' }]),
    'unknown',
  ],
  [
    'we had not applied before, and others have written',
    objectOf('1', { a: 'theirs' }, [rival('a')]),
    ['a'],
    objectOf('2', { a: 'theirs' }, [rival('a')]),
    'unknown',
  ],
  ['another one owns the field now', before, ['a'], objectOf('3', { a: 'third' }, [{ manager: 'third', fields: ['a'] }]), 'unknown'],
  ['nobody owns it', before, ['a'], objectOf('3', { a: 'x' }, [ours('c')]), 'unknown'],
  ['the object does not exist', before, ['a'], undefined, 'unknown'],
  ['another object has its name', before, ['a'], objectOf('2', { a: 'ours' }, [ours('a')], 'two'), 'unknown'],
  ['we owned it before, and it has another value', shared, ['a'], objectOf('2', { a: 'ours' }, [ours('a')]), 'applied'],
  ['we owned it before, and the other one only left it', shared, ['a'], objectOf('2', { a: 'theirs' }, [ours('a')]), 'unknown'],
  ['we owned it before, and both still do', shared, ['a'], objectOf('2', { a: 'theirs', x: '1' }, [rival('a'), ours('a')]), 'refused'],
])('%s', (_, live, fields, now, outcome) => {
  expect(outcomeOfPass(forcedPassOf(live, fields.map(conflict), ['ours']), now, ['ours'])).toBe(outcome);
});

test('a pass under the former name of a renamed stack is judged by all its managers', () => {
  const pass = forcedPassOf(before, [conflict('a')], ['former']);
  const now = objectOf('2', { a: 'ours' }, [{ manager: 'former', fields: ['a'] }]);
  expect([outcomeOfPass(pass, now, ['ours']), outcomeOfPass(pass, now, ['ours', 'former'])]).toEqual(['unknown', 'applied']);
});

test('where the intent is merged client-side, a value that somebody else has changed since proves nothing', () => {
  const withIntent = (resourceVersion: string, value: string, declared: string) => {
    const object = objectOf(resourceVersion, { a: value }, [{ ...rival('a'), operation: 'Update' }]);
    const intent = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' }, data: { a: declared } };
    const annotations = { [appliedAnnotation('ours')]: JSON.stringify({ manager: 'ours', intent, created: true }) };
    return { ...object, metadata: { ...object.metadata, annotations } };
  };
  const pass = forcedPassOf(withIntent('1', 'theirs', 'old'), [conflict('a')], ['ours']);
  const outcomes = [withIntent('2', 'theirs again', 'old'), withIntent('2', 'new', 'new'), withIntent('3', 'theirs again', 'new')];
  expect(outcomes.map((now) => outcomeOfPass(pass, now, ['ours']))).toEqual(['unknown', 'applied', 'unknown']);
});
