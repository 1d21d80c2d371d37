import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** The lines of the longest function that needs no reason. */
export const maxFunctionLines = 60;

const reason = '// Longer than 60 lines because ';

/**
 * Names every function, method, accessor and constructor of `src` and `codegen` that has more than 60 lines and no comment directly above
 * it that says why.
 */
export function longFunctions(root: string): string[] {
  return ['src', 'codegen']
    .flatMap((top) => sourceFiles(root, top))
    .flatMap((path) => longFunctionsIn(path, readFileSync(join(root, path), 'utf8')));
}

/** The same of one file. */
export function longFunctionsIn(path: string, text: string): string[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lineAt = (position: number) => source.getLineAndCharacterOfPosition(position).line;
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const [first, last] = [lineAt(node.getStart()), lineAt(node.getEnd())];
      const lines = last - first + 1;
      if (lines > maxFunctionLines && !hasReason(text, lineAt(statementOf(node).getStart())))
        found.push(
          `${path}:${first + 1} ${nameOf(node)} has ${lines} lines: split it, or say in a comment above it that begins "${reason}…" why it reads better whole`,
        );
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Returns true if the comment that ends in the line above begins with the reason. */
function hasReason(text: string, line: number): boolean {
  const above = text.split('\n').slice(0, line).reverse();
  const end = above.findIndex((row) => !row.trim().startsWith('//'));
  const comment = end === -1 ? above : above.slice(0, end);
  return comment.some((row) => row.trim().startsWith(reason) && row.trim().length > reason.length);
}

/** The node that a comment stands above: `const f = () => …` and the property `f: () => …` begin before their function. */
function statementOf(node: ts.Node): ts.Node {
  const { parent } = node;
  if (ts.isPropertyAssignment(parent) || ts.isPropertyDeclaration(parent)) return parent;
  return ts.isVariableDeclaration(parent) && ts.isVariableStatement(parent.parent.parent) ? parent.parent.parent : node;
}

function nameOf(node: ts.SignatureDeclaration): string {
  if (ts.isConstructorDeclaration(node)) return 'a constructor';
  const named = node.name ?? ('name' in node.parent ? (node.parent.name as ts.Node | undefined) : undefined);
  return named?.getText() ?? 'a function without a name';
}

function sourceFiles(root: string, top: string): string[] {
  return readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${top}/${name}`)
    .sort();
}
