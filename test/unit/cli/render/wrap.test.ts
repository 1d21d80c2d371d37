import { expect, test } from 'vitest';
import type { Host } from '../../../../src/cli/process/host.js';
import { ownersRenderer } from '../../../../src/cli/render/owners-renderer.js';
import { wrap, wrapText } from '../../../../src/cli/render/wrap.js';
import type { FieldView } from '../../../../src/deploy/index.js';

const long = 'x'.repeat(100);

test.each<{ text: string; indent: number; lines: readonly string[] }>([
  { text: '', indent: 2, lines: [''] },
  { text: 'a b', indent: 2, lines: ['a b'] },
  { text: `${'a '.repeat(40)}b`, indent: 2, lines: ['a '.repeat(40).trimEnd(), '  b'] },
  { text: `ok     ${long} b`, indent: 4, lines: ['ok', `    ${long}`, '    b'] },
  { text: `    ${long}`, indent: 6, lines: [`    ${long}`] },
])('wraps $text', ({ text, indent, lines }) => expect(wrap(text, indent)).toEqual(lines));

test.each<{ what: string; text: string; lines: readonly string[] }>([
  {
    what: 'below the second column',
    text: 'update    ConfigMap default/web  [web, server]',
    lines: ['update    ConfigMap', '          default/web', '          [web,', '          server]'],
  },
  { what: 'below the words of a message', text: 'warning: The plan is not saved', lines: ['warning: The plan is', '  not saved'] },
  { what: 'as a quotation', text: '      | one two three four five', lines: ['      | one two three', '      | four five'] },
  {
    what: 'whose colors have no width',
    text: '\u001b[1mupdate   \u001b[22m ConfigMap web',
    lines: ['\u001b[1mupdate   \u001b[22m ConfigMap', '          web'],
  },
])('a line of a report goes on $what', ({ text, lines }) => {
  expect(wrapText(`${text}\n`, 22)).toBe(`${lines.join('\n')}\n`);
  expect(wrapText(`${text}\n`, undefined)).toBe(`${text}\n`);
});

test('wraps 10,000 words without losing one', () => {
  const words = Array.from({ length: 10_000 }, (_, index) => `w${index}`);
  const lines = wrap(words.join(' '), 7);
  expect(lines.flatMap((line) => line.trim().split(' '))).toEqual(words);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});

test('owners of a field stand beside it, or below it; contested fields are first, and those without an owner last', () => {
  let stdout = '';
  const host = { color: false, raw: { stdout: (text: string) => (stdout += text), stderr: () => {} } } as unknown as Host;
  const owner = (manager: string) => ({ manager, operation: 'Apply' as const, time: '2030-01-01T00:00:00Z' });
  const path = '.spec.template.spec.containers[name="web"].image';
  const fields: FieldView[] = [
    { field: '.spec.type', value: 'ClusterIP', owners: [] },
    { field: path, value: 'registry.example.com/web:1', owners: [owner('one-controller')] },
    { field: '.spec.replicas', value: 2, owners: [owner('one'), owner('two')] },
    { field: '.spec.paused', value: true, owners: [owner('one')] },
  ];
  ownersRenderer(host)({ event: 'owners', object: 'Deployment shop/web', fields } as never);
  expect(stdout).toBe(`Deployment shop/web
    .spec.replicas: 2  one, 2030-01-01T00:00:00Z; two, 2030-01-01T00:00:00Z
    ${path}:
      "registry.example.com/web:1"
      one-controller, 2030-01-01T00:00:00Z
    .spec.paused: true  one, 2030-01-01T00:00:00Z
    .spec.type: "ClusterIP"  no owner
`);
});
