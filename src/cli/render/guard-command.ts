import type { CheckedGuard } from '../../inspect/guard/index.js';
import { shellWord } from './shell-word.js';

/** Returns the command that prints a guard again, for the same deployers. */
export function guardCommand({ stack, printedFor }: CheckedGuard): string {
  const { subjects = [], deny } = printedFor ?? {};
  const last = subjects.at(-1) ?? '';
  // A guard that denies is printed with a group that may break the glass, which is its last subject.
  const group = deny && last.startsWith('group:') ? last.slice('group:'.length) : undefined;
  const deployers = group === undefined ? subjects : subjects.slice(0, -1);
  const denying = deny ? ['--deny', ...(group === undefined ? [] : [`--break-glass ${shellWord(group)}`])] : [];
  return ['fieldwise guard', shellWord(stack), ...deployers.map((subject) => `--deployer ${shellWord(subject)}`), ...denying].join(' ');
}
