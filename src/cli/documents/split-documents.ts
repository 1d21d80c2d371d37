/** A document of a stream, as text. */
export interface DocumentText {
  readonly text: string;
  /** Line of the stream at which the text begins, from 1. */
  readonly line: number;
  /** Line of the stream with the first content, from 1. */
  readonly contentLine: number;
}

/**
 * Splits a YAML stream into its documents, and leaves out documents of comments and directives only. Source: YAML 1.2.2, section 9.1: a
 * marker at the beginning of a line always ends a document.
 */
export function splitDocuments(stream: string): readonly DocumentText[] {
  const documents: DocumentText[] = [];
  const markers = /^(?:---|\.\.\.)(?=[ \t\r\n]|$)/gm;
  let start = 0;
  let line = 1;
  const add = (end: number) => {
    const text = stream.slice(start, end);
    const before = linesBeforeContent(text);
    if (before !== undefined) documents.push({ text, line, contentLine: line + before });
    line += countLines(text);
    start = end;
  };
  for (let marker = markers.exec(stream); marker !== null; marker = markers.exec(stream)) {
    add(marker.index);
    // The end marker is not part of the next document.
    if (marker[0] === '...') start += marker[0].length;
  }
  add(stream.length);
  return documents;
}

/** Returns the number of lines before the first content; undefined if there is none. */
function linesBeforeContent(text: string): number | undefined {
  for (let start = 0, count = 0; start < text.length; count++) {
    const next = text.indexOf('\n', start);
    const end = next < 0 ? text.length : next;
    const line = text.slice(start, end).replace(/^---(?=\s|$)/, '');
    if (!/^\s*(?:#|$)|^%/.test(line)) return count;
    start = end + 1;
  }
  return undefined;
}

function countLines(text: string): number {
  let count = 0;
  for (let index = text.indexOf('\n'); index >= 0; index = text.indexOf('\n', index + 1)) count++;
  return count;
}
