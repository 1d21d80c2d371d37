import { expect, test } from 'vitest';
import type { Host } from '../../../../src/cli/process/host.js';
import { historyTable } from '../../../../src/cli/render/history-table.js';
import { planRenderer } from '../../../../src/cli/render/plan-renderer.js';
import { fieldLines } from '../../../../src/cli/render/shared-paths.js';
import type { ListedRevision, PlannedField } from '../../../../src/deploy/index.js';
import { planned } from './formats/sample-run.js';

const linesOf = (paths: readonly string[], isShortened = true) =>
  fieldLines(
    paths.map((field) => ({ field })),
    ({ field }) => [field],
    isShortened,
  );
const container = '.spec.template.spec.containers[name="web"]';

test.each<{ what: string; paths: readonly string[]; lines: readonly string[] }>([
  { what: 'nothing', paths: [], lines: [] },
  { what: 'one field', paths: [`${container}.image`], lines: [`${container}.image`] },
  { what: 'a short path', paths: ['.spec.a', '.spec.b'], lines: ['.spec.a', '.spec.b'] },
  {
    what: 'neighbours',
    paths: [`${container}.image`, `${container}.tty`, '.spec.replicas'],
    lines: [container, '  .image', '  .tty', '.spec.replicas'],
  },
  {
    what: 'no path that is a field itself',
    paths: [container, `${container}.tty`],
    lines: ['.spec.template.spec.containers', '  [name="web"]', '  [name="web"].tty'],
  },
  {
    what: 'items of one list',
    paths: [`${container}.env[name="A"].value`, `${container}.env[name="B"].value`],
    lines: [`${container}.env`, '  [name="A"].value', '  [name="B"].value'],
  },
  {
    what: 'keys with points, brackets and quotes in them',
    paths: [`${container}.x["a.b\\"].c"].d`, `${container}.x["a.b\\"].e"].d`],
    lines: [`${container}.x`, '  ["a.b\\"].c"].d', '  ["a.b\\"].e"].d'],
  },
])('a long path stands once above $what', ({ paths, lines }) => expect(linesOf(paths)).toEqual(lines));

test('in a log each line has its whole path', () => {
  const paths = [`${container}.image`, `${container}.tty`];
  expect(linesOf(paths, false)).toEqual(paths);
});

const fields: readonly PlannedField[] = [
  { field: `${container}.image`, change: 'change', oldValue: 'registry.example.com/web:1', newValue: 'registry.example.com/web:2' },
  { field: `${container}.tty`, change: 'set', newValue: true },
];

test.each([
  {
    width: 80,
    text: `update    ConfigMap default/web  [web, server]
    ${container}
      change    .image: "registry.example.com/web:1" →
                "registry.example.com/web:2"
      set       .tty: true
`,
  },
  {
    width: 120,
    text: `update    ConfigMap default/web  [web, server]
    ${container}
      change    .image: "registry.example.com/web:1" → "registry.example.com/web:2"
      set       .tty: true
`,
  },
])('a plan at a terminal of $width columns is broken between words', ({ width, text }) => {
  let printed = '';
  const raw = { stdout: (part: string) => (printed += part), stderr: () => {} };
  planRenderer({ color: false, raw, width } as unknown as Host)(planned({ fields }));
  expect(printed).toBe(text);
});

test('a row of the history that is wider than the terminal goes on below its stack', () => {
  const revision = {
    ...{
      revision: 12,
      current: true,
      at: '2030-01-01T00:00:00.000Z',
      result: 'succeeded',
      stack: 'web',
      stored: true,
      counts: { updated: 1 },
    },
    ...{ commit: '0123456789abcdef', by: 'somebody@workstation.example.com', run: '1a2b3c4d', subject: 'Make it blue' },
    inputs: [
      { from: 'context', name: 'region', value: 'eu' },
      { from: 'context', name: 'token' },
      { from: 'env', name: 'PASSWORD' },
    ],
  } as unknown as ListedRevision;
  expect(historyTable([revision], 80)).toBe(`REVISION  DEPLOYED              RESULT     RUN       STACK
     12*  2030-01-01T00:00:00Z  succeeded  1a2b3c4d  web
          by somebody@workstation.example.com, commit 0123456789ab: 1 updated;
            "Make it blue"; -c region=eu token
`);
  expect(historyTable([revision], 200)).toBe(historyTable([revision]));
});
