import { expect, test } from 'vitest';
import { subjectProblems } from '../../.ci/hooks/check-subject.mjs';

test.each([
  ['Refuse a plan of another cluster', []],
  ['Merge a branch; as git says it', []],
  [`${'Say why a value of somebody else is kept'.repeat(2)}`, ['has 80 characters, of at most 60: say why in the body']],
  ['Refuse a plan; keep a value', ['has two topics: make two commits']],
  ['refuse a plan.', ['does not begin with a capital letter', 'ends with a full stop']],
])('the subject %j', (subject, problems) => expect(subjectProblems(subject)).toEqual(problems));
