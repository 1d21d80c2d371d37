import { FieldwiseError } from '../util/error.js';
import { shellWord } from './render/shell-word.js';

/**
 * Refuses a command that has become part of another one, and names the new form of the same words.
 *
 * @throws FieldwiseError `command-removed`.
 */
export function refuseRemovedCommand(words: readonly string[]): void {
  const at = words.findIndex((word) => !word.startsWith('-'));
  if (words[at] !== 'handoff') return;
  const others = [...words.slice(0, at), ...words.slice(at + 1)];
  const from = takeValue(others, '--from');
  const to = takeValue(others, '--to');
  const kept = others.filter((word) => !withoutEffect.includes(word));
  const owner = from === undefined ? 'OWNER' : /^(?:manager|stack):/.test(from) ? from : `stack:${from}`;
  const form = ['fieldwise adopt', ...[to ?? 'STACK', ...kept, '--from', owner].map(quotedIfNeeded)].join(' ');
  throw new FieldwiseError('command-removed', 'usage', '`handoff` is part of `adopt`, which ends the ownership of whoever `--from` names', {
    next: `Nothing was changed. Run \`${form}\`.`,
  });
}

/** Flags of the former command that decided nothing, and those that ask for its help. */
const withoutEffect: readonly string[] = ['--delete-shared', '--delete-foreign', '--help', '-h'];

/** Removes a flag from words, and returns its value. */
function takeValue(words: string[], flag: string): string | undefined {
  const at = words.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  if (at < 0) return undefined;
  const [word, value] = words.splice(at, words[at] === flag ? 2 : 1);
  return word === flag ? value : word?.slice(flag.length + 1);
}

function quotedIfNeeded(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : shellWord(word);
}
