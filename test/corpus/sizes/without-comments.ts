import ts from 'typescript';

/** Returns TypeScript without its comments, and without the lines and line ends that only held one. Everything else stays as it is. */
export function withoutComments(text: string): string {
  const file = ts.createSourceFile('module.ts', text, ts.ScriptTarget.ES2022, false);
  const ranges = new Map<number, number>();
  const add = (found: readonly ts.CommentRange[] | undefined): void => {
    for (const { pos, end } of found ?? []) ranges.set(pos, end);
  };
  // Comments stand before a token or behind one on its line; the children of a node are nodes and tokens.
  const visit = (node: ts.Node): void => {
    add(ts.getLeadingCommentRanges(text, node.getFullStart()));
    add(ts.getTrailingCommentRanges(text, node.end));
    for (const child of node.getChildren(file))
      if (child.kind < ts.SyntaxKind.FirstJSDocNode || child.kind > ts.SyntaxKind.LastJSDocNode) visit(child);
  };
  visit(file);
  let [result, position] = ['', 0];
  for (const [start, end] of [...ranges].sort(([a], [b]) => a - b)) {
    if (start < position) continue;
    result += text.slice(position, start) + removedMark;
    position = end;
  }
  result += text.slice(position);
  return result
    .split('\n')
    .filter((line) => !line.includes(removedMark) || line.replaceAll(removedMark, '').trim() !== '')
    .map((line) => (line.includes(removedMark) ? line.replaceAll(removedMark, '').trimEnd() : line))
    .join('\n');
}

// A character that no source has: it marks the lines that comments were taken from.
const removedMark = '\uE000';
