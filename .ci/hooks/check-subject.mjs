import { readFileSync } from 'node:fs';
import { argv } from 'node:process';
import { pathToFileURL } from 'node:url';

/** Returns the rules of CONTRIBUTING.md that the subject of a commit breaks. */
export function subjectProblems(subject) {
  if (/^(Merge|Revert|fixup!|squash!|amend!) ?/.test(subject)) return [];
  return [
    ...(subject.length > 60 ? [`has ${subject.length} characters, of at most 60: say why in the body`] : []),
    ...(subject.includes(';') ? ['has two topics: make two commits'] : []),
    ...(/^\p{Ll}/u.test(subject) ? ['does not begin with a capital letter'] : []),
    ...(subject.endsWith('.') ? ['ends with a full stop'] : []),
  ];
}

if (argv[2] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
  const subject =
    readFileSync(argv[2], 'utf8')
      .split('\n')
      .find((line) => line !== '' && !line.startsWith('#')) ?? '';
  const problems = subjectProblems(subject);
  for (const problem of problems) console.error(`The subject "${subject}" ${problem} (CONTRIBUTING.md).`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
