import type { ts as TypeScript } from 'ts-morph';
import { loadTsMorph } from './type-texts.js';

/** The import of App in a file, and the file with the other one. */
export interface ImportedApp {
  /** `new`: the file makes an App of cdk8s; `done`: it imports that of Fieldwise. */
  readonly state: 'new' | 'done';
  /** The text with App imported from fieldwise; all else, line ends included, is as it was. */
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
  const { ts } = loadTsMorph();
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
  const imports = source.statements.filter(ts.isImportDeclaration).filter(({ importClause }) => importClause?.isTypeOnly === false);
  const from = (name: string) =>
    imports.filter(({ moduleSpecifier }) => ts.isStringLiteral(moduleSpecifier) && moduleSpecifier.text === name);
  const edits = from('cdk8s').flatMap((one) => editsOf(ts, source, one));
  if (edits.length > 0) return { state: 'new', text: edited(text, edits) };
  const isDone = from('fieldwise').some((one) => namedApp(ts, one) !== undefined);
  return isDone ? { state: 'done', text } : undefined;
}

function editsOf(ts: typeof TypeScript, source: TypeScript.SourceFile, one: TypeScript.ImportDeclaration): Edit[] {
  const bindings = one.importClause?.namedBindings;
  if (bindings === undefined) return [];
  if (ts.isNamespaceImport(bindings)) return ofNamespace(ts, source, one, bindings.name.text);
  const element = namedApp(ts, one);
  if (element === undefined || !isMade(ts, source, element.name.text)) return [];
  const { elements } = bindings;
  const { moduleSpecifier } = one;
  if (elements.length === 1 && one.importClause?.name === undefined) {
    return [{ start: moduleSpecifier.getStart() + 1, end: moduleSpecifier.getEnd() - 1, text: 'fieldwise' }];
  }
  const position = elements.indexOf(element);
  const next = elements[position + 1];
  const before = elements[position - 1];
  const removed =
    next !== undefined
      ? { start: element.getStart(), end: next.getStart() }
      : { start: before?.getEnd() ?? element.getStart(), end: element.getEnd() };
  return [{ ...removed, text: '' }, added(source, one, element.getText())];
}

/** `new cdk8s.App()`: the name stands alone then, if the file has no other App. The import of cdk8s stays if something else uses it. */
function ofNamespace(ts: typeof TypeScript, source: TypeScript.SourceFile, one: TypeScript.ImportDeclaration, name: string): Edit[] {
  const uses: Edit[] = [];
  let isFree = true;
  let others = -1; // does not count the import itself
  const visit = (node: TypeScript.Node): void => {
    const isUse =
      ts.isPropertyAccessExpression(node) && node.name.text === 'App' && ts.isIdentifier(node.expression) && node.expression.text === name;
    if (isUse) uses.push({ start: node.getStart(), end: node.getEnd(), text: 'App' });
    else if (ts.isIdentifier(node) && node.text === 'App' && !ts.isQualifiedName(node.parent)) isFree = false;
    else if (ts.isIdentifier(node) && node.text === name) others += 1;
    else ts.forEachChild(node, visit);
  };
  visit(source);
  if (uses.length === 0 || !isFree) return [];
  if (others > 0 || one.importClause?.name !== undefined) return [...uses, added(source, one, 'App')];
  // An import without another use would be an error of a compiler with noUnusedLocals.
  const start = one.importClause?.getStart() ?? one.getStart();
  const end = one.moduleSpecifier.getEnd();
  const quote = source.text[end - 1];
  return [...uses, { start, end, text: `{ App } from ${quote}fieldwise${quote}` }];
}

/** The import of App behind another import, in its quotes and with its line end. */
function added(source: TypeScript.SourceFile, behind: TypeScript.ImportDeclaration, name: string): Edit {
  const text = behind.getText();
  const quote = behind.moduleSpecifier.getText()[0] ?? "'";
  const lineEnd = source.text.includes('\r\n') ? '\r\n' : '\n';
  const statement = `${lineEnd}import { ${name} } from ${quote}fieldwise${quote}${text.endsWith(';') ? ';' : ''}`;
  return { start: behind.getEnd(), end: behind.getEnd(), text: statement };
}

function namedApp(ts: typeof TypeScript, { importClause }: TypeScript.ImportDeclaration): TypeScript.ImportSpecifier | undefined {
  const bindings = importClause?.namedBindings;
  if (bindings === undefined || !ts.isNamedImports(bindings)) return undefined;
  return bindings.elements.find(({ isTypeOnly, propertyName, name }) => !isTypeOnly && (propertyName ?? name).text === 'App');
}

/** Returns true if a class is made, or extended, in a file. */
function isMade(ts: typeof TypeScript, source: TypeScript.SourceFile, name: string): boolean {
  const isIt = (node: TypeScript.Node) => ts.isIdentifier(node) && node.text === name;
  const visit = (node: TypeScript.Node): boolean =>
    (ts.isNewExpression(node) && isIt(node.expression)) ||
    (ts.isExpressionWithTypeArguments(node) && isIt(node.expression)) ||
    ts.forEachChild(node, (child) => visit(child) || undefined) === true;
  return visit(source);
}

function edited(text: string, edits: readonly Edit[]): string {
  const ordered = [...edits].sort((one, other) => other.start - one.start);
  return ordered.reduce((result, { start, end, text: replacement }) => result.slice(0, start) + replacement + result.slice(end), text);
}
