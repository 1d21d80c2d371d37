import { expect, test } from 'vitest';
import { forEachField } from '../../../../src/cli/html/browser/page-tree.js';
import { rowsOf } from '../../../../src/cli/html/browser/rows.js';
import { whatIf } from '../../../../src/cli/html/browser/what-if.js';
import type { PageNode } from '../../../../src/cli/html/page-data.js';

const names = ['.spec', '.a', '.b', '.list', '[key="x"]', '[key="y"]', '.entries', '.x'];
/** Positions in `sets`: nobody, a, b, both. */
const [nobody, a, b, both] = [0, 1, 2, 3];
const tables = { names, sets: [[], [0], [1], [0, 1]] };
const [spec, fieldA, fieldB, list, itemX, itemY, entries, entryX] = names.map((_, position) => position) as [
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
];

const cases: readonly {
  readonly title: string;
  readonly fields: readonly PageNode[];
  readonly outcomes: Readonly<Record<string, string>>;
}[] = [
  {
    title: 'a field of one owner is removed, a field of two stays',
    fields: [
      [
        spec,
        nobody,
        [
          [fieldA, a, '1'],
          [fieldB, both, '2'],
        ],
      ],
    ],
    outcomes: { '.spec.a': 'removed', '.spec.b': 'kept' },
  },
  {
    title: 'a field of others stays as it is',
    fields: [
      [
        spec,
        nobody,
        [
          [fieldA, a, '1'],
          [fieldB, b, '2'],
        ],
      ],
    ],
    outcomes: { '.spec.a': 'removed' },
  },
  {
    title: 'a field without an owner is removed with a struct that nobody else has',
    fields: [
      [
        spec,
        nobody,
        [
          [fieldA, a, '1'],
          [fieldB, nobody, '2'],
        ],
      ],
    ],
    outcomes: { '.spec.a': 'removed', '.spec.b': 'removed-with' },
  },
  {
    title: 'a field of an updater is removed with the item around it',
    fields: [
      [
        spec,
        nobody,
        [
          [
            list,
            nobody,
            [
              [
                itemX,
                a,
                [
                  [fieldA, a, '1'],
                  [fieldB, b, '2'],
                ],
              ],
              [itemY, b, [[fieldB, b, '3']]],
            ],
          ],
        ],
      ],
    ],
    outcomes: { '.spec.list[key="x"].a': 'removed', '.spec.list[key="x"].b': 'removed-with' },
  },
  {
    title: 'an item of two owners stays, with the fields of the other one',
    fields: [
      [
        list,
        nobody,
        [
          [
            itemX,
            both,
            [
              [fieldA, a, '1'],
              [fieldB, b, '2'],
            ],
          ],
        ],
      ],
    ],
    outcomes: { '.list[key="x"].a': 'removed' },
  },
  {
    title: 'an entry of a map of structs is an item',
    fields: [
      [
        entries,
        nobody,
        [
          [
            entryX,
            a,
            [
              [fieldA, a, '1'],
              [fieldB, b, '2'],
            ],
            1,
          ],
        ],
      ],
    ],
    outcomes: { '.entries.x.a': 'removed', '.entries.x.b': 'removed-with' },
  },
  {
    title: 'a field of a struct stays if others have something in it, at any depth',
    fields: [
      [
        spec,
        a,
        [
          [list, nobody, [[itemY, b, [[fieldB, b, '1']]]]],
          [fieldA, nobody, '2'],
        ],
      ],
    ],
    outcomes: {},
  },
  {
    title: 'what was applied empty and has fields of others may be an entry or a struct',
    fields: [[entries, nobody, [[entryX, a, [[fieldB, b, '2']], 2]]]],
    outcomes: { '.entries.x.b': 'perhaps-removed' },
  },
  {
    title: 'a field that is owned and does not exist',
    fields: [[fieldA, a]],
    outcomes: { '.a': 'removed' },
  },
];

test.each(cases)('$title', ({ fields, outcomes }) => {
  const found = whatIf(tables, fields, 0);
  const byPath: Record<string, string> = {};
  forEachField(fields, tables, (node, path) => {
    const outcome = found.get(node);
    if (outcome !== undefined) byPath[path] = outcome;
  });
  expect(byPath).toEqual(outcomes);
});

test('rows: containers of shown fields, in order, with the owners below them', () => {
  const fields: readonly PageNode[] = [
    [
      spec,
      nobody,
      [
        [
          list,
          nobody,
          [
            [itemX, a, [[fieldA, a, '1']]],
            [itemY, b, [[fieldB, b, '2']]],
          ],
        ],
      ],
    ],
    [fieldA, both, '3'],
  ];
  const shown = rowsOf(fields, tables, (_, path) => path !== '.spec.list[key="x"].a');
  expect(shown.map(({ path, depth, through }) => [path, depth, [...through]])).toEqual([
    ['.spec', 0, [0, 1]],
    ['.spec.list', 1, [0, 1]],
    ['.spec.list[key="y"]', 2, [1]],
    ['.spec.list[key="y"].b', 3, []],
    ['.a', 0, []],
  ]);
});
