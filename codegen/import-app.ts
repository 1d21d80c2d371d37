import type { ts as TypeScript } from 'ts-morph';
import { isNameOf, type ParsedFile, parsedFile } from './parsed-file.js';

/** The import of App in a file, and the file with the other one. */
export interface ImportedApp {
  /** `new`: the file makes an App of cdk8s; `done`: it imports that of Fieldwise. */
  readonly state: 'new' | 'done';
  /** The text with App imported from fieldwise; all else, line ends and comments included, is as it was. */
  readonly text: string;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Returns a TypeScript or JavaScript file with App imported from `fieldwise` instead of `cdk8s`; undefined if it makes or extends neither.
 * A file that names App only as a type keeps its import, because an App of Fieldwise is one of cdk8s.
 */
export function importApp(file: string, text: string): ImportedApp | undefined {
  if (!/['"](?:cdk8s|fieldwise)['"]/.test(text)) return undefined;
  const parsed = parsedFile(file, text);
  const { ts, source } = parsed;
  const imports = source.statements.filter(ts.isImportDeclaration).filter(({ importClause }) => importClause?.isTypeOnly === false);
  const from = (name: string) =>
    imports.filter(({ moduleSpecifier }) => ts.isStringLiteral(moduleSpecifier) && moduleSpecifier.text === name);
  const edits = from('cdk8s').flatMap((one) => editsOf(parsed, one));
  if (edits.length > 0) return { state: 'new', text: edited(text, edits) };
  const isDone = from('fieldwise').some((one) => namedApp(ts, one) !== undefined);
  return isDone ? { state: 'done', text } : undefined;
}

function editsOf(parsed: ParsedFile, one: TypeScript.ImportDeclaration): Edit[] {
  const { ts } = parsed;
  const bindings = one.importClause?.namedBindings;
  if (bindings === undefined) return [];
  if (ts.isNamespaceImport(bindings)) return ofNamespace(parsed, one, bindings);
  const element = namedApp(ts, one);
  if (element === undefined || !isMade(parsed, element)) return [];
  const { elements } = bindings;
  const named = one.importClause?.name;
  if (elements.length === 1 && named === undefined) return [fromFieldwise(one)];
  if (elements.length === 1 && named !== undefined) {
    const text = keptComments(ts, parsed.source.text.slice(named.getEnd(), bindings.getEnd()));
    return [{ start: named.getEnd(), end: bindings.getEnd(), text }, added(parsed, one, element.getText())];
  }
  return [...removed(parsed, elements, element), added(parsed, one, element.getText())];
}

/** Removes one name of an import with its comma. Comments around it stay where they are. */
function removed(
  { ts, source }: ParsedFile,
  elements: TypeScript.NodeArray<TypeScript.ImportSpecifier>,
  element: TypeScript.ImportSpecifier,
): Edit[] {
  const position = elements.indexOf(element);
  const next = elements[position + 1];
  const before = elements[position - 1];
  const start = next === undefined ? (before?.getEnd() ?? element.getStart()) : element.getStart();
  const end = next?.getStart() ?? element.getEnd();
  if (comments(ts, source.text.slice(start, end)).length === 0) return [{ start, end, text: '' }];
  const comma = commaBehind(ts, source.text, element.getEnd());
  const own = { start: element.getStart(), end: element.getEnd(), text: '' };
  return comma === undefined ? [own] : [own, { start: comma, end: comma + 1, text: '' }];
}

/** `new cdk8s.App()`: the name stands alone then, if the file has no other App. The import of cdk8s stays if something else uses it. */
function ofNamespace(parsed: ParsedFile, one: TypeScript.ImportDeclaration, namespace: TypeScript.NamespaceImport): Edit[] {
  const { ts, source } = parsed;
  const uses: Edit[] = [];
  let isFree = true;
  let others = 0;
  const visit = (node: TypeScript.Node): void => {
    const isUse = ts.isPropertyAccessExpression(node) && node.name.text === 'App' && isNameOf(parsed, node.expression, namespace);
    if (isUse) uses.push({ start: node.getStart(), end: node.getEnd(), text: 'App' });
    else if (ts.isIdentifier(node) && node.text === 'App' && !isMember(ts, node)) isFree = false;
    else if (node !== namespace.name && isNameOf(parsed, node, namespace)) others += 1;
    else ts.forEachChild(node, visit);
  };
  visit(source);
  if (uses.length === 0 || !isFree) return [];
  if (others > 0 || one.importClause?.name !== undefined) return [...uses, added(parsed, one, 'App')];
  // An import without another use would be an error of a compiler with noUnusedLocals.
  const name = { start: namespace.getStart(), end: namespace.getEnd(), text: `{ App }${keptComments(ts, namespace.getText())}` };
  return [...uses, name, fromFieldwise(one)];
}

/** Returns true for `App` of `x.App`, of a type `x.App` and of `{ App: x }`. */
function isMember(ts: typeof TypeScript, node: TypeScript.Identifier): boolean {
  const { parent } = node;
  if (ts.isQualifiedName(parent)) return parent.right === node;
  return (ts.isPropertyAccessExpression(parent) || ts.isPropertyAssignment(parent)) && parent.name === node;
}

function fromFieldwise({ moduleSpecifier }: TypeScript.ImportDeclaration): Edit {
  return { start: moduleSpecifier.getStart() + 1, end: moduleSpecifier.getEnd() - 1, text: 'fieldwise' };
}

/** The import of App behind another import and its comment, in its quotes and with its line end. */
function added({ ts, source }: ParsedFile, behind: TypeScript.ImportDeclaration, name: string): Edit {
  const quote = behind.moduleSpecifier.getText()[0] ?? "'";
  const semicolon = behind.getText().endsWith(';') ? ';' : '';
  const end = ts.getTrailingCommentRanges(source.text, behind.getEnd())?.at(-1)?.end ?? behind.getEnd();
  return { start: end, end, text: `${lineEndBehind(source, behind)}import { ${name} } from ${quote}fieldwise${quote}${semicolon}` };
}

/** Returns the line end behind a statement, else the first one between statements: that within a text is not one of the file. */
function lineEndBehind({ text, statements, endOfFileToken }: TypeScript.SourceFile, behind: TypeScript.Statement): string {
  const nodes = [...statements, endOfFileToken];
  const spaces = [...nodes.slice(nodes.indexOf(behind) + 1), ...nodes].map((node) => text.slice(node.getFullStart(), node.getStart()));
  return spaces.map((space) => /\r?\n/.exec(space)?.[0]).find((found) => found !== undefined) ?? '\n';
}

function namedApp(ts: typeof TypeScript, { importClause }: TypeScript.ImportDeclaration): TypeScript.ImportSpecifier | undefined {
  const bindings = importClause?.namedBindings;
  if (bindings === undefined || !ts.isNamedImports(bindings)) return undefined;
  return bindings.elements.find(({ isTypeOnly, propertyName, name }) => !isTypeOnly && (propertyName ?? name).text === 'App');
}

/** Returns true if a class that a file imports is made, or extended, in it. */
function isMade(parsed: ParsedFile, element: TypeScript.ImportSpecifier): boolean {
  const { ts, source } = parsed;
  const visit = (node: TypeScript.Node): boolean =>
    (ts.isNewExpression(node) && isNameOf(parsed, node.expression, element)) ||
    (ts.isExpressionWithTypeArguments(node) && isNameOf(parsed, node.expression, element)) ||
    ts.forEachChild(node, (child) => visit(child) || undefined) === true;
  return visit(source);
}

/** Returns the comments of a text that is removed. */
function keptComments(ts: typeof TypeScript, text: string): string {
  return comments(ts, text)
    .map((comment) => (comment.startsWith('//') ? ` ${comment}\n` : ` ${comment}`))
    .join('');
}

/** Returns the comments in the text of an import. */
function comments(ts: typeof TypeScript, text: string): readonly string[] {
  const found: string[] = [];
  const scanner = ts.createScanner(ts.ScriptTarget.ES2022, false, ts.LanguageVariant.Standard, text);
  for (let kind = scanner.scan(); kind !== ts.SyntaxKind.EndOfFileToken; kind = scanner.scan()) {
    const isComment = kind === ts.SyntaxKind.SingleLineCommentTrivia || kind === ts.SyntaxKind.MultiLineCommentTrivia;
    if (isComment) found.push(scanner.getTokenText());
  }
  return found;
}

/** Returns the position of a comma that is the next token. */
function commaBehind(ts: typeof TypeScript, text: string, position: number): number | undefined {
  const scanner = ts.createScanner(ts.ScriptTarget.ES2022, true, ts.LanguageVariant.Standard, text, undefined, position);
  return scanner.scan() === ts.SyntaxKind.CommaToken ? scanner.getTokenStart() : undefined;
}

function edited(text: string, edits: readonly Edit[]): string {
  const ordered = [...edits].sort((one, other) => other.start - one.start);
  return ordered.reduce((result, { start, end, text: replacement }) => result.slice(0, start) + replacement + result.slice(end), text);
}
