/** Of a value that is encoded more often, nothing is found. */
const maxDecoded = 3;

/** The sequences that set a color in a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with the character Escape.
const colors = /\u001b\[[0-9;:]*m/g;

/**
 * Returns a text with values hidden, also those within which a color is set, and those that are percent-encoded or have characters as `\u`
 * escapes, as often as it may be. Each of these may be written in many ways, so the text is decoded; a part without a value stays as it is.
 *
 * @param hide returns a text with the values hidden that it shows without decoding.
 */
export function maskDecoded(text: string, hide: (text: string) => string): string {
  const shown = hide(text);
  const uncolored = shown.includes('\u001b[') ? hiddenIn(shown.replaceAll(colors, ''), shown, hide) : shown;
  const unescaped = uncolored.includes('\\u') ? hiddenIn(withoutEscapes(uncolored), uncolored, hide) : uncolored;
  return unescaped.includes('%') ? unescaped.replaceAll(/[^\s"<>`]+/g, (run) => maskRun(run, hide)) : unescaped;
}

function maskRun(run: string, hide: (text: string) => string): string {
  let shown = run;
  for (let count = 0; count < maxDecoded && shown.includes('%'); count++) {
    const decoded = withoutPercents(shown);
    if (decoded === shown) break;
    for (const candidate of [decoded, withoutPercents(shown.replaceAll('+', ' '))]) {
      const hidden = hide(candidate);
      if (hidden !== candidate) return hidden;
    }
    shown = decoded;
  }
  return run;
}

/** Returns the decoded text if it shows a value, else the text. */
function hiddenIn(decoded: string, text: string, hide: (text: string) => string): string {
  const hidden = hide(decoded);
  return hidden === decoded ? text : hidden;
}

function withoutEscapes(text: string): string {
  return text.replaceAll(/\\{1,9}u([0-9a-fA-F]{4})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

function withoutPercents(text: string): string {
  return text.replaceAll(/(?:%[0-9a-fA-F]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'));
}
