import { onOneLine } from './printable.js';

/** Returns a text as one word of a shell, quoted where it has to be. */
export function shellArgument(text: string): string {
  return /^[\w./:@%+-]+$/.test(text) ? text : shellWord(text);
}

/** Quotes a text as one word of a shell: a field manager comes from the server and may contain any character. */
export function shellWord(text: string): string {
  return `'${onOneLine(text).replaceAll("'", "'\\''")}'`;
}
