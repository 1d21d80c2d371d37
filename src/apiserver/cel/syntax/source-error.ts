/** An error at a position of an expression. */
export interface SourceError {
  /** Position in the text, in code points. */
  readonly offset: number;
  readonly message: string;
}

/** The position of an error about the whole expression. */
export const nowhere = -2;
/** The position of what could not be read. */
export const unknownPlace = -1;

/** Returns a part of an expression as messages show it. */
export function quoted(text: string): string {
  return `'${text.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')}'`;
}

/** Formats errors with the line that they are in and a mark below it, in the order of their positions. */
export function formatErrors(text: string, errors: readonly SourceError[]): string {
  const sorted = errors.toSorted((left, right) => left.offset - right.offset);
  return sorted.map((error) => formatError(text, error)).join('\n');
}

function formatError(text: string, { offset, message }: SourceError): string {
  if (offset === nowhere) return `ERROR: <input>:-1:0: ${message}`;
  const before = [...text].slice(0, Math.max(offset, 0));
  const row = before.filter((character) => character === '\n').length;
  const column = before.length - (before.lastIndexOf('\n') + 1);
  const shown = offset === unknownPlace ? 0 : column + 1;
  const line = [...(text.split('\n')[row] ?? '').replaceAll('\t', ' ')];
  const dots = line.slice(0, column).map((character) => (isWide(character) ? '．' : '.'));
  const mark = isWide(line[column] ?? '') ? '＾' : '^';
  return `ERROR: <input>:${row + 1}:${shown}: ${message}\n | ${line.join('')}\n | ${dots.join('')}${mark}`;
}

/** Returns true for characters that take more than one byte, below which the mark is wide too. */
function isWide(character: string): boolean {
  return (character.codePointAt(0) ?? 0) > 0x7f;
}
