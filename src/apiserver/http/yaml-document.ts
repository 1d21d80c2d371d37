/** Returns the first document of a YAML stream; the server reads no other. */
export function firstDocument(text: string): string {
  if (!/^(?:---|\.\.\.)/m.test(text)) return text;
  const markers = /^(?:---|\.\.\.)(?=[ \t\r\n]|$)/gm;
  let hasStart = false;
  let from = 0;
  for (let marker = markers.exec(text); marker !== null; marker = markers.exec(text)) {
    if (hasStart || hasContent(text.slice(from, marker.index))) return text.slice(0, marker.index);
    hasStart = marker[0] === '---';
    from = marker.index + marker[0].length;
  }
  return text;
}

/** Returns true if a text has a line that is neither empty nor a comment nor a directive. */
function hasContent(text: string): boolean {
  return text.split('\n').some((line) => !/^(?:[ \t\r]*(?:#|$)|%|\ufeff$)/.test(line));
}

/** Half a character, a character beyond the last one, and a slash: the parsers of JavaScript read these escapes, that of the server does not. */
const otherEscape = /\\(?:\/|u[dD][89a-fA-F]|U)/;

/** Returns true if a text may have an escape that the YAML of a server refuses. */
export function mayHaveOtherEscapes(text: string): boolean {
  return otherEscape.test(text);
}
