/** The result of a matcher, as vitest and jest take it. */
export interface MatchResult {
  readonly pass: boolean;
  /** The reason why it did not pass or, under `.not`, why it passed. */
  readonly message: () => string;
}

/** Lines of a list; long ones are cut. */
const maxLines = 12;

/** Joins lines of a message with a heading; an empty text without lines. */
export function section(heading: string, lines: readonly string[]): string {
  if (lines.length === 0) return '';
  const shown = lines.slice(0, maxLines).map((line) => `\n  ${line}`);
  const more = lines.length > maxLines ? [`\n  … and ${lines.length - maxLines} more`] : [];
  return `\n\n${heading}${[...shown, ...more].join('')}`;
}

/** Returns a value as one short line. */
export function valueText(value: unknown): string {
  const text = JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? String(member) : member)) ?? 'nothing';
  return text.length > 100 ? `${text.slice(0, 99)}…` : text;
}
