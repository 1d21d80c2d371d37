import { expect, test } from 'vitest';
import { refusedNamesIn } from './names.js';
import type { RefusedName } from './refused-names.js';

const table: readonly RefusedName[] = [
  { old: 'waitGone', new: 'waitForDeletion' },
  { old: 'vanish*', new: 'collateral', as: 'word' },
  { old: 'hazard', new: 'Diagnostic', as: 'word' },
  { old: 'Place', new: 'ObjectReference', below: 'src/deploy/' },
];

test.each([
  { text: 'export function waitGone(): void {}', refused: ['a.ts:1: the name waitGone'] },
  { text: 'const waitGone = 1;', refused: ['a.ts:1: the name waitGone'] },
  { text: 'const { waitGone } = given;', refused: ['a.ts:1: the name waitGone'] },
  { text: 'const { waitGone: wait } = given;', refused: [] },
  { text: 'interface A { waitGone: number }', refused: ['a.ts:1: the name waitGone'] },
  { text: 'export { wait as waitGone };', refused: ['a.ts:1: the name waitGone'] },
  { text: "const key = { 'wait-gone': 1 };", refused: ['a.ts:1: the key or code wait-gone'] },
  { text: "\nthrow new Problem('wait-gone');", refused: ['a.ts:2: the key or code wait-gone'] },
  { text: "type Change = 'item-vanishes' | 'kept';", refused: ['a.ts:1: the key or code item-vanishes'] },
  { text: 'class VanishingField {}', refused: ['a.ts:1: the name VanishingField'] },
  { text: 'const noHazards = [];', refused: ['a.ts:1: the name noHazards'] },
  { text: 'const waitgone = 1;', refused: [] },
  { text: 'const hazardous = 1; const waitGoneBy = 2;', refused: [] },
  { text: "// waitGone\nconst said = 'waitGone and more';", refused: [] },
  { text: 'given.waitGone();', refused: [] },
])('$text', ({ text, refused }) => {
  expect(refusedNamesIn('src/a.ts', text, table)).toEqual(refused.map((part) => expect.stringContaining(part)));
});

test.each([
  { path: 'src/wait-gone.ts', refused: 1 },
  { path: 'test/unit/wait-gone.test.ts', refused: 1 },
  { path: 'src/vanishing/list.ts', refused: 1 },
  { path: 'src/deploy/place.ts', refused: 1 },
  { path: 'src/apiserver/place.ts', refused: 0 },
])('$path', ({ path, refused }) => {
  expect(refusedNamesIn(path, '', table)).toHaveLength(refused);
});
