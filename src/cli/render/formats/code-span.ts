import { onOneLine } from '../printable.js';

/** The longest text of a code span; the longest paths and names of Kubernetes are shorter. */
const longest = 1_000;

/**
 * Returns a text as a code span of Markdown, which no text can leave: the fence is longer than every run of backticks in it. In a code span
 * nothing is a link, a mention, HTML or a table. The lines of a text are joined, and control characters are named. Source: CommonMark 0.31.2,
 * 6.1 "Code spans".
 */
export function codeSpan(whole: string): string {
  const text = onOneLine(whole);
  if (text === '') return '`""`';
  const shown = text.length > longest ? `${text.slice(0, longest).replace(/[\ud800-\udbff]$/, '')}… (${text.length} characters)` : text;
  if (!/[` ]/.test(shown)) return `\`${shown}\``;
  const runs = shown.match(/`+/g) ?? [];
  const fence = '`'.repeat(1 + Math.max(0, ...runs.map((run) => run.length)));
  const needsSpace = /^[` ]|[` ]$/.test(shown);
  return needsSpace ? `${fence} ${shown} ${fence}` : `${fence}${shown}${fence}`;
}

/** Returns a name as it is if Markdown has no meaning for any part of it, else as a code span. */
export function nameText(name: string): string {
  return /^(?:stack )?[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*$/.test(name) ? name : codeSpan(name);
}
