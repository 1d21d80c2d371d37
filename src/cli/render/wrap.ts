/** The width of a report for people, in characters: that of the narrowest usual terminal. */
export const reportWidth = 80;

/**
 * Breaks a text at spaces so that its lines fit into the width; longer words, such as commands and names, stay whole. Colors have no width.
 *
 * @param indent the characters before each further line, or their number.
 */
export function wrap(text: string, indent: number | string, width: number = reportWidth): readonly string[] {
  const before = typeof indent === 'number' ? ' '.repeat(indent) : indent;
  const lines: string[] = [];
  let line = '';
  let length = 0;
  let isEmpty = true;
  for (const [index, word] of text.split(' ').entries()) {
    const shown = shownLength(word);
    const longer = index === 0 ? shown : length + 1 + shown;
    if (isEmpty || longer <= width) {
      line = index === 0 ? word : `${line} ${word}`;
      length = longer;
      isEmpty &&= shown === 0;
    } else if (shown > 0) {
      lines.push(line.trimEnd());
      line = `${before}${word}`;
      length = before.length + shown;
    }
  }
  return [...lines, line.trimEnd()];
}

/** The first column of a line, such as the action of an object, with the blanks around it. */
const firstColumn = /^ *(?:\S+ {2,}|\S{9} )/;
/** The beginning of a further line of a quoted text. */
const quote = /^ *\| /;
/** The widest column below which the rest of a line begins. */
const widestColumn = 16;

/**
 * Breaks the lines of a report or message at spaces. Further lines begin below the second column, those of a quoted text as quoted ones.
 *
 * @param width undefined where nobody reads at a terminal: then each line stays as it is.
 */
export function wrapText(text: string, width: number | undefined): string {
  if (width === undefined) return text;
  return text
    .split('\n')
    .map((line) => (line.length <= width ? line : wrap(line, indentOf(line), width).join('\n')))
    .join('\n');
}

function indentOf(line: string): number | string {
  const shown = withoutColors(line);
  const [quoted] = quote.exec(shown) ?? [];
  if (quoted !== undefined) return quoted;
  const [column] = firstColumn.exec(shown) ?? [];
  if (column !== undefined && column.length <= widestColumn) return column.length;
  return shown.length - shown.trimStart().length + 2;
}

function shownLength(text: string): number {
  return text.includes(escapeCharacter) ? withoutColors(text).length : text.length;
}

const escapeCharacter = '\u001b';

function withoutColors(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colors begin with one
  return text.replace(/\u001b\[\d{0,3}m/g, '');
}
