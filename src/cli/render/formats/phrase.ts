import { onOneLine } from '../printable.js';

/** A sentence whose words are ours and whose values come from programs, files and clusters, so that each format can quote the values. */
export interface Phrase {
  /** One more than there are values; each value stands between two of them. */
  readonly words: readonly string[];
  readonly values: readonly string[];
  /** The same with a text of several lines as lines that begin with `-`, `+` or a blank, for formats that have room for them. */
  readonly diff?: { readonly head: Phrase; lines(): readonly string[] };
}

/** Makes a phrase of a template: its texts are words, its inserted strings are values, and inserted phrases are taken in. */
export function phrase(texts: TemplateStringsArray, ...inserted: readonly (string | Phrase)[]): Phrase {
  const words = [texts[0] ?? ''];
  const values: string[] = [];
  const append = (text: string) => words.push(`${words.pop() ?? ''}${text}`);
  for (const [index, one] of inserted.entries()) {
    const {
      words: [first = '', ...others],
      values: inner,
    } = typeof one === 'string' ? { words: ['', ''], values: [one] } : one;
    append(first);
    words.push(...others);
    values.push(...inner);
    append(texts[index + 1] ?? '');
  }
  return { words, values };
}

/** Returns a phrase of words without a value. */
export function wordsPhrase(text: string): Phrase {
  return { words: [text], values: [] };
}

export const emptyPhrase: Phrase = wordsPhrase('');

/** Joins phrases by a separator, which is part of the words. At most one of them has lines. */
export function joinPhrases(phrases: readonly Phrase[], separator: string): Phrase {
  const [first, ...others] = phrases;
  if (first === undefined) return emptyPhrase;
  const words = [...first.words];
  const values = [...first.values];
  for (const other of others) {
    words.push(`${words.pop() ?? ''}${separator}${other.words[0] ?? ''}`, ...other.words.slice(1));
    values.push(...other.values);
  }
  const changed = phrases.find(({ diff }) => diff)?.diff;
  if (changed === undefined) return { words, values };
  const heads = phrases.map((one) => one.diff?.head ?? one);
  return { words, values, diff: { head: joinPhrases(heads, separator), lines: changed.lines } };
}

/** Returns a phrase as text on one line, with each value as `quote` writes it. */
export function phraseText({ words, values }: Phrase, quote: (value: string) => string = (value) => value): string {
  return words.map((text, index) => (index < values.length ? `${text}${quote(onOneLine(values[index] as string))}` : text)).join('');
}
