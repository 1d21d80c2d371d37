import type { Json } from '../../../util/json.js';
import { changedLines, isLong, signedLines } from '../text-diff.js';
import { valueText } from '../values.js';
import { emptyPhrase, type Phrase, phrase } from './phrase.js';

/** Puts an old and a new value behind a phrase; of texts of several lines, their difference, too. */
export function changePhrase(head: Phrase, oldValue: Json | undefined, newValue: Json | undefined, tail: Phrase = emptyPhrase): Phrase {
  const text = phrase`${head}: ${valueText(oldValue)} → ${valueText(newValue)}${tail}`;
  if (!hasLines(oldValue) && !hasLines(newValue)) return text;
  return { ...text, diff: { head: phrase`${head}${tail}`, lines: () => changedLines(oldValue, newValue) } };
}

/** Adds the lines of a value that is set (`+`) or removed (`-`) to its sentence, if it is a text of several lines. */
export function withLines(text: Phrase, head: Phrase, sign: '-' | '+', value: Json | undefined): Phrase {
  if (typeof value !== 'string' || !value.includes('\n')) return text;
  return { ...text, diff: { head, lines: () => signedLines(sign, value) } };
}

/** Returns true for a text of several lines, and for a list or map that has too much in it for one line. */
function hasLines(value: Json | undefined): boolean {
  return typeof value === 'string' ? value.includes('\n') : isLong(value);
}
