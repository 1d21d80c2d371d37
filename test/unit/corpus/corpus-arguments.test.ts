import { expect, test } from 'vitest';
import { allMeasures, corpusArguments } from '../../corpus/corpus-arguments.js';

const isCorpus = (directory: string) => directory.startsWith('corpus');

test('everything is measured unless told otherwise', () => {
  expect(corpusArguments(['corpus', '--all', 'corpus2'], isCorpus)).toEqual({
    directories: ['corpus', 'corpus2'],
    measures: new Set(allMeasures),
    all: true,
  });
  expect(corpusArguments(['--only', 'names', '--only', 'sizes', 'corpus'], isCorpus)).toEqual({
    directories: ['corpus'],
    measures: new Set(['names', 'sizes']),
    all: false,
  });
});

test.each([
  [[], 'no directory is given'],
  [['--all'], 'no directory is given'],
  [['corpus', '--only'], 'nothing is no measure'],
  [['--only', '__proto__', 'corpus'], '__proto__ is no measure'],
  [['--alll', 'corpus'], '--alll has no crds/ directory'],
  [['elsewhere'], 'elsewhere has no crds/ directory'],
])('%j: %s', (words, wrong) => {
  expect(corpusArguments(words, isCorpus)).toEqual({ wrong });
});
