/** An error at a position of an expression. */
export interface SourceError {
  /** Position in the text, in code points. */
  readonly offset: number;
  readonly message: string;
}

/** Formats errors with the line that they are in and a mark below it, in the order of their positions. */
export function formatErrors(text: string, errors: readonly SourceError[]): string {
  const sorted = errors.toSorted((left, right) => left.offset - right.offset);
  return sorted.map((error) => formatError(text, error)).join('\n');
}

function formatError(text: string, { offset, message }: SourceError): string {
  const before = [...text].slice(0, Math.max(offset, 0));
  const row = before.filter((character) => character === '\n').length;
  const column = before.length - (before.lastIndexOf('\n') + 1);
  const line = text.split('\n')[row] ?? '';
  const mark = [...line.replaceAll('\t', ' ')].slice(0, column).map((character) => (isWide(character) ? '．' : '.'));
  return `ERROR: <input>:${row + 1}:${column + 1}: ${message}\n | ${line.replaceAll('\t', ' ')}\n | ${mark.join('')}^`;
}

/** Returns true for characters that take more than one byte, below which the mark is wide too. */
function isWide(character: string): boolean {
  return (character.codePointAt(0) ?? 0) > 0x7f;
}
