import { unquote } from '../../fields/index.js';

/** Deeper nesting of quoted texts does not occur: a log in a log in a log. */
const maxDepth = 5;

const firstOwner = /conflicts?\s{1,200}with\s{1,200}(\\{0,31})"/y;

/**
 * Returns the message that begins at a position, without the escapes of texts that quote it: a quoted message has backslashes before the
 * quotes of its managers, 2^depth - 1 of them, and ends at a quote with fewer.
 *
 * @param end where the next message begins.
 */
export function unescapedMessage(text: string, start: number, end: number): string {
  firstOwner.lastIndex = start;
  const backslashes = firstOwner.exec(text)?.[1]?.length ?? 0;
  const depth = Math.min(Math.round(Math.log2(backslashes + 1)), maxDepth);
  if (depth === 0) return text.slice(start, end);
  // A line feed in a quoted text is escaped; a real one is where a terminal's width ended.
  const lines = text.slice(start, endOfQuoted(text, start, end, backslashes)).split('\n');
  let message = lines.map((line) => line.trim()).join(' ');
  for (let level = 0; level < depth; level++) message = unquote(`"${message}"`);
  return message;
}

function endOfQuoted(text: string, start: number, end: number, backslashes: number): number {
  for (let at = text.indexOf('"', start); at >= 0 && at < end; at = text.indexOf('"', at + 1)) {
    let before = at;
    while (before > start && text[before - 1] === '\\') before--;
    if (at - before < backslashes) return before;
  }
  return end;
}
