/**
 * Returns YAML without the escape sequence `\'`, which parsers written in Go accept inside double quotes and YAML does not define.
 * Source: the parser of kubectl, observed.
 */
export async function escapeAsInGo(text: string): Promise<string> {
  const { Lexer } = await import('yaml');
  let written = '';
  let before = '';
  for (const token of new Lexer().lex(text)) {
    // The lexer marks documents and unquoted scalars by single control characters of its own.
    const isMark = token === '\x02' || token === '\x18' || token === '\x1f';
    const isQuoted = token.startsWith('"') && before !== '\x1f';
    if (!isMark) written += isQuoted ? token.replace(/\\./gs, (sequence) => (sequence === "\\'" ? "'" : sequence)) : token;
    before = token;
  }
  return written;
}
