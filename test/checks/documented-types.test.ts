import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { DocumentedTypes } from './documented-types.js';

const source = `
/** The union. */
export type Union =
  /** The first. */
  | 'one'
  /**
   * The second,
   * in two lines.
   */
  | 'two';
export type Part = Extract<Union, /** The first again. */ 'one' | 'two'>;
export const list = [/** Not the next. */ 'a', 'b'] as const;
export type Element = (typeof list)[number];
interface Base {
  /** Of the base. */
  readonly base: string;
  readonly left: 1;
}
export interface Options extends Omit<Base, 'left'> {
  /**
   * The size.
   *
   * @default 3
   */
  readonly size?: number;
  /** The kind. @example Kind */
  readonly kind: 'x' | 'y';
}
/** The first event. */
interface First { readonly event: 'first' }
/** The second event. */
interface Second { readonly event: 'second' }
export type Events = First | Second;
`;
const directory = mkdtempSync(join(tmpdir(), 'fieldwise-types-'));
writeFileSync(join(directory, 'types.ts'), source);
const types = new DocumentedTypes(directory, ['types.ts']);
afterAll(() => rmSync(directory, { recursive: true }));

const pairs = (documented: readonly { readonly name: string; readonly text: string }[]) => documented.map(({ name, text }) => [name, text]);

test('values come with the comment before each', () => {
  expect(pairs(types.values('types.ts', 'Union'))).toEqual([
    ['one', 'The first.'],
    ['two', 'The second, in two lines.'],
  ]);
  expect(pairs(types.values('types.ts', 'Part'))).toEqual([
    ['one', 'The first again.'],
    ['two', ''],
  ]);
  expect(pairs(types.values('types.ts', 'Element'))).toEqual([
    ['a', 'Not the next.'],
    ['b', ''],
  ]);
});

test('members come with tags, values and what they inherit', () => {
  expect(types.members('types.ts', 'Options')).toEqual([
    { name: 'size', text: 'The size.', default: '3', values: [] },
    { name: 'kind', text: 'The kind.', example: 'Kind', values: ['x', 'y'] },
    { name: 'base', text: 'Of the base.', values: [] },
  ]);
});

test('a union of interfaces comes with the text of each', () => {
  expect(types.union('types.ts', 'Events').map(({ text, members }) => [text, members[0]?.values])).toEqual([
    ['The first event.', ['first']],
    ['The second event.', ['second']],
  ]);
});

test('an unknown type is an error', () => {
  expect(() => types.values('types.ts', 'Missing')).toThrow('types.ts does not export Missing');
});
