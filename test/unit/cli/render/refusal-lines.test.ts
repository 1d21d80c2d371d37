import { expect, test } from 'vitest';
import { refusalLines } from '../../../../src/cli/render/refusal-lines.js';

const refusal = {
  message: 'Nothing was changed: confirmation required: it deletes: ConfigMap default/a',
  code: 'confirmation-needed',
  next: 'Run again with --yes, or at a terminal to be asked.',
  questions: [{ text: 'it deletes', objects: ['ConfigMap default/a'] }],
} as const;

test.each([
  {
    who: 'nobody who could be asked',
    isAsked: false,
    first: 'error: Nothing was changed: confirmation required:',
    last: '  Run again with --yes, or at a terminal to be asked. [confirmation-needed]',
  },
  {
    who: 'somebody who said no',
    isAsked: true,
    first: 'error: Nothing was changed, because the answer was no:',
    last: '  [confirmation-needed]',
  },
])('a refusal to $who', ({ isAsked, first, last }) => {
  expect(refusalLines(refusal, isAsked)).toEqual([first, '  it deletes:', '    ConfigMap default/a', last]);
});
