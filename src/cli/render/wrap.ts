/** The width of a report for people, in characters: that of the narrowest usual terminal. */
export const reportWidth = 80;

/**
 * Breaks a text at spaces so that its lines fit into the width; longer words, such as commands and names, stay whole.
 *
 * @param indent the characters before each further line.
 */
export function wrap(text: string, indent: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const [index, word] of text.split(' ').entries()) {
    const longer = index === 0 ? word : `${line} ${word}`;
    if (line.trim() === '' || longer.length <= reportWidth) line = longer;
    else {
      lines.push(line.trimEnd());
      line = `${' '.repeat(indent)}${word}`;
    }
  }
  return [...lines, line.trimEnd()];
}
