import ts from 'typescript';

/** A piece of text for people. Line breaks are those of the file, so that a place in the text has a line. */
export interface Prose {
  readonly path: string;
  /** Of the first line, from 1. */
  readonly line: number;
  readonly text: string;
}

/** Comments and string literals of a TypeScript file; literals without a space are keys and codes, not prose. */
export function proseOfSource(path: string, text: string): Prose[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line + 1;
  const found: Prose[] = [];
  const comments = new Map<number, ts.CommentRange>();
  const visit = (node: ts.Node): void => {
    for (const range of ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []) comments.set(range.pos, range);
    for (const range of ts.getTrailingCommentRanges(text, node.getEnd()) ?? []) comments.set(range.pos, range);
    const literal = literalText(node);
    if (literal !== undefined && /\S\s+\S/.test(literal)) found.push({ path, line: lineOf(node.getStart()), text: withoutCode(literal) });
    // JSDoc nodes repeat what the comment ranges hold.
    for (const child of node.getChildren(source)) if (!ts.isJSDoc(child)) visit(child);
  };
  visit(source);
  return [...found, ...blocksOf([...comments.values()], text, path, lineOf)];
}

/** The text of a literal, with a word for each expression of a template. */
function literalText(node: ts.Node): string | undefined {
  if (ts.isTemplateExpression(node)) return node.head.text + node.templateSpans.map(({ literal }) => `CODE${literal.text}`).join('');
  return ts.isStringLiteralLike(node) && !ts.isImportDeclaration(node.parent) && !ts.isExportDeclaration(node.parent)
    ? node.text
    : undefined;
}

/** A block comment is one piece; line comments below each other are one piece. */
function blocksOf(ranges: readonly ts.CommentRange[], text: string, path: string, lineOf: (position: number) => number): Prose[] {
  const blocks: { line: number; last: number; lines: string[] }[] = [];
  for (const range of ranges.toSorted((a, b) => a.pos - b.pos)) {
    const line = lineOf(range.pos);
    const raw = text.slice(range.pos, range.end);
    if (range.kind === ts.SyntaxKind.MultiLineCommentTrivia) {
      const lines = raw
        .replace(/^\/\*+/, '')
        .replace(/\*+\/$/, '')
        .split('\n');
      blocks.push({ line, last: -1, lines: lines.map((one) => one.replace(/^\s*\* ?/, '')) });
      continue;
    }
    const previous = blocks.at(-1);
    const content = raw.replace(/^\/\/+ ?/, '');
    const ownLine = /^\s*$/.test(text.slice(text.lastIndexOf('\n', range.pos - 1) + 1, range.pos));
    if (previous?.last === line - 1 && ownLine) {
      previous.lines.push(content);
      previous.last = line;
    } else blocks.push({ line, last: ownLine ? line : -1, lines: [content] });
  }
  return blocks.map(({ line, lines }) => ({ path, line, text: withoutCode(lines.join('\n')) }));
}

/** A Markdown page without code, headings and targets of links. */
export function proseOfMarkdown(path: string, text: string): Prose[] {
  const prose = text
    .replaceAll(/^( *)```[\s\S]*?^ *```/gm, (block) => block.replaceAll(/[^\n]/g, ''))
    .replaceAll(/^#+ .*$/gm, '')
    .replaceAll(/\]\([^()\s]+\)/g, ']');
  return [{ path, line: 1, text: withoutCode(prose) }];
}

/** Code in backticks becomes a word that no rule knows. */
function withoutCode(text: string): string {
  return text.replaceAll(/`[^`\n]*`/g, 'CODE');
}
