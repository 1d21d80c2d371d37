import { onOneLine } from './printable.js';

/** Quotes a text as one word of a shell: a field manager comes from the server and may contain any character. */
export function shellWord(text: string): string {
  return `'${onOneLine(text).replaceAll("'", "'\\''")}'`;
}
