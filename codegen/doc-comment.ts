/** Returns a text for a doc comment: it can neither end the comment nor start a tag. */
export function docText(text: string): string {
  return text
    .replace(/\r\n?|[\u2028\u2029\u0085\v\f]/g, '\n')
    .replace(/\p{Cc}/gu, (character) => (character === '\n' || character === '\t' ? character : ' '))
    .replace(/\*\//g, '*\\/')
    .replace(/(^|[\s{])@(?=[a-z])/gi, '$1\\@')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trim();
}

/** Joins the facts about a member into one comment; empty without facts. */
export function docs(...parts: (string | undefined)[]): string[] {
  const known = parts.filter((part): part is string => part !== undefined && part !== '');
  return known.length === 0 ? [] : [known.join('\n\n')];
}

/**
 * Returns the tag that makes editors strike a name through, for descriptions with a paragraph that begins with `Deprecated:`, as in Go
 * code.
 */
export function deprecatedTag(text: string | undefined): string | undefined {
  const paragraph = text === undefined ? undefined : /(?:^|\n)[^\S\n]*(?:DEPRECATED|Deprecated)\b[:.]?\s*([^\n]*)/.exec(text)?.[1];
  return paragraph === undefined ? undefined : `@deprecated ${docText(paragraph)}`.trim();
}
