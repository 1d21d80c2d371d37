import { describe, expect, test } from 'vitest';
import { type ChangeFilter, shownFields } from '../../../../src/cli/html/browser/change-filter.js';
import { type Filter, fieldTest, nobody } from '../../../../src/cli/html/browser/filter.js';
import { laneLetters } from '../../../../src/cli/html/browser/lanes.js';
import { forEachField } from '../../../../src/cli/html/browser/page-tree.js';
import { isStackShown, type StackFilter } from '../../../../src/cli/html/browser/stack-filter.js';
import type { PageChange, PageFieldChange, PageObject } from '../../../../src/cli/html/page-data.js';

test.each([
  [0, 'A'],
  [25, 'Z'],
  [26, 'AA'],
  [51, 'AZ'],
  [52, 'BA'],
  [701, 'ZZ'],
  [702, 'AAA'],
])('lane %i is %s', (position, letters) => {
  expect(laneLetters(position)).toBe(letters);
});

describe('fields of owners', () => {
  const tables = { names: ['.a', '.b', '.c'], sets: [[], [0], [0, 1]] };
  const object: PageObject = {
    object: 'ConfigMap shop/web',
    apiVersion: 'v1',
    times: [],
    fields: [
      [0, 1, 'one'],
      [1, 2, 'Two'],
      [2, 0, 'three'],
    ],
  };
  const all: Filter = { text: '', owners: new Set(), severalOwners: false, changedOnly: false };
  const cases: readonly (readonly [title: string, filter: Partial<Filter>, shown: readonly string[] | undefined])[] = [
    ['no filter', {}, ['.a', '.b', '.c']],
    ['the name of the object', { text: 'shop/w' }, ['.a', '.b', '.c']],
    ['a value in any case', { text: 'two' }, ['.b']],
    ['a path', { text: '.c' }, ['.c']],
    ['an owner', { owners: new Set([1]) }, ['.b']],
    ['no owner', { owners: new Set([nobody]) }, ['.c']],
    ['several owners', { severalOwners: true }, ['.b']],
    ['an owner and a value that it does not have', { owners: new Set([1]), text: 'one' }, undefined],
  ];
  test.each(cases)('%s', (_, filter, shown) => {
    const isShown = fieldTest(object, tables, { ...all, ...filter }, undefined);
    const paths: string[] = [];
    if (isShown) forEachField(object.fields, tables, (node, path) => isShown(node, path) && paths.push(path));
    expect(isShown && paths).toEqual(shown);
  });
});

describe('changes of a plan', () => {
  const change: PageChange = {
    object: 'ConfigMap shop/web',
    apiVersion: 'v1',
    stack: 'web',
    action: 'update',
    class: 'risky',
    effects: ['takes 1 field from kubectl-edit'],
    notes: [],
    declaredBy: [],
    fields: [0, 1],
  };
  const fields: readonly PageFieldChange[] = [
    { field: '.data.a', change: 'force', value: { old: '1', new: '2' }, owners: ['kubectl-edit (Update)'] },
    { field: '.data.b', change: 'same', isQuiet: true, value: { stays: '3' } },
  ];
  const none: ReadonlySet<string> = new Set();
  const all: ChangeFilter = { text: '', classes: none, stacks: none, actions: none, changes: none, owners: none, quiet: false };
  const cases: readonly (readonly [title: string, filter: Partial<ChangeFilter>, shown: readonly string[] | undefined])[] = [
    ['only changes', {}, ['.data.a']],
    ['also what stays', { quiet: true }, ['.data.a', '.data.b']],
    ['another stack', { stacks: new Set(['other']) }, undefined],
    ['another action', { actions: new Set(['delete']) }, undefined],
    ['a kind of change', { changes: new Set(['force']) }, ['.data.a']],
    ['a kind of change that is none', { changes: new Set(['same']) }, ['.data.b']],
    ['a class', { classes: new Set(['risky']) }, ['.data.a']],
    ['another class', { classes: new Set(['own']) }, undefined],
    ['an effect', { text: 'takes 1 field' }, ['.data.a']],
    ['an owner', { owners: new Set(['kubectl-edit (Update)']) }, ['.data.a']],
    ['another owner', { owners: new Set(['helm']) }, undefined],
    ['a new value', { text: '2' }, ['.data.a']],
    ['a text that nothing has', { text: 'nothing' }, undefined],
  ];
  test.each(cases)('%s', (_, filter, shown) => {
    expect(shownFields(change, fields, { ...all, ...filter })?.map(({ field }) => field)).toEqual(shown);
  });

  test('an unchanged object is hidden unless all are asked for, one without fields is not', () => {
    expect(shownFields({ ...change, action: 'unchanged', fields: [] }, fields, all)).toBeUndefined();
    expect(shownFields({ ...change, action: 'unchanged', fields: [] }, fields, { ...all, quiet: true })).toEqual([]);
    expect(shownFields({ ...change, action: 'delete', fields: [] }, fields, all)).toEqual([]);
  });

  test.each([{ actions: new Set(['unchanged']) }, { classes: new Set(['unchanged']) }])(
    'an unchanged object is shown with its fields by a choice that names it',
    (filter) => {
      const unchanged: PageChange = { ...change, action: 'unchanged', class: 'unchanged', fields: [1] };
      expect(shownFields(unchanged, fields, all)).toBeUndefined();
      expect(shownFields(unchanged, fields, { ...all, ...filter })?.map(({ field }) => field)).toEqual(['.data.b']);
    },
  );
});

describe('stacks of a list', () => {
  const all: StackFilter = { text: '', states: new Set(), apps: new Set(), instances: new Set(), namespaces: new Set() };
  test.each<readonly [title: string, filter: Partial<StackFilter>, shown: boolean]>([
    ['no filter', {}, true],
    ['a word of its row', { text: 'alice' }, true],
    ['another word', { text: 'bob' }, false],
    ['its state', { states: new Set(['not-ready', 'ready']) }, true],
    ['another state', { states: new Set(['ready']) }, false],
    ['another app', { apps: new Set(['edge']) }, false],
    ['another instance', { instances: new Set(['staging']) }, false],
    ['one of its namespaces', { namespaces: new Set(['jobs']) }, true],
    ['another namespace', { namespaces: new Set(['edge']) }, false],
    ['its state and another app', { states: new Set(['not-ready']), apps: new Set(['edge']) }, false],
  ])('%s', (_, filter, shown) => {
    const stack = { state: 'not-ready', app: 'shop', instance: 'prod', namespaces: ['shop', 'jobs'] } as const;
    expect(isStackShown(stack, 'shop/prod/web alice', { ...all, ...filter })).toBe(shown);
  });
});
