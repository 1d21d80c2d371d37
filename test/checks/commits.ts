import { execFileSync } from 'node:child_process';
import { subjectProblems } from '../../.ci/hooks/check-subject.mjs';
import { root } from './command.js';

/** Names the commits after the one that added this check whose subjects break the rules of CONTRIBUTING.md. */
export function commitProblems(): string[] {
  const log = (...words: readonly string[]) => execFileSync('git', ['log', ...words], { cwd: root, encoding: 'utf8' }).trim();
  const [first] = log('--diff-filter=A', '--format=%H', '--', 'test/checks/commits.ts').split('\n').reverse();
  if (!first) {
    console.log('  commits are not checked: the history of this checkout does not reach the commit that added the check');
    return [];
  }
  return log('--format=%h %s', `${first}..HEAD`)
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => subjectProblems(line.replace(/^\S+ /, '')).map((problem) => `${line}: the subject ${problem}`));
}
