import type { ts as TypeScript } from 'ts-morph';
import { isNameOf, type ParsedFile, parsedFile } from './parsed-file.js';

/** The names in a file that stand for cdk8s, and those that stand for its App. */
interface Names {
  readonly modules: TypeScript.Declaration[];
  readonly apps: TypeScript.Declaration[];
}

/**
 * Returns the lines on which a file uses App of cdk8s as a value, in order: by `require`, a namespace, a default import, another name, or as
 * an export. A file that names it only as a type has none.
 */
export function leftoverApps(file: string, text: string): readonly number[] {
  if (!/['"`]cdk8s['"`]/.test(text)) return [];
  const parsed = parsedFile(file, text);
  const { source } = parsed;
  const names = namesIn(parsed);
  const lines = new Set<number>();
  const visit = (node: TypeScript.Node): void => {
    if (isUse(parsed, node, names)) lines.add(source.getLineAndCharacterOfPosition(node.getStart()).line + 1);
    parsed.ts.forEachChild(node, visit);
  };
  visit(source);
  return [...lines].sort((one, other) => one - other);
}

function namesIn(parsed: ParsedFile): Names {
  const { ts, source } = parsed;
  const names: Names = { modules: [], apps: [] };
  const visit = (node: TypeScript.Node): void => {
    if (ts.isImportDeclaration(node) && isText(ts, node.moduleSpecifier, 'cdk8s')) addImported(ts, node, names);
    const isRequired = ts.isImportEqualsDeclaration(node) && ts.isExternalModuleReference(node.moduleReference);
    if (isRequired && isText(ts, node.moduleReference.expression, 'cdk8s')) names.modules.push(node);
    if (ts.isVariableDeclaration(node) && isModule(ts, node.initializer)) {
      if (ts.isIdentifier(node.name)) names.modules.push(node);
      else names.apps.push(...appElements(ts, node.name));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
}

function addImported(ts: typeof TypeScript, { importClause }: TypeScript.ImportDeclaration, { modules, apps }: Names): void {
  if (importClause === undefined || importClause.isTypeOnly) return;
  if (importClause.name !== undefined) modules.push(importClause);
  const { namedBindings } = importClause;
  if (namedBindings === undefined) return;
  if (ts.isNamespaceImport(namedBindings)) modules.push(namedBindings);
  else apps.push(...namedBindings.elements.filter((one) => !one.isTypeOnly && (one.propertyName ?? one.name).text === 'App'));
}

/** Returns the elements of `const { App, App: Root } = …`. */
function appElements(ts: typeof TypeScript, pattern: TypeScript.BindingPattern): readonly TypeScript.BindingElement[] {
  const isApp = ({ propertyName, name }: TypeScript.BindingElement) => (propertyName ?? name).getText() === 'App';
  return ts.isObjectBindingPattern(pattern) ? pattern.elements.filter(isApp) : [];
}

/** Returns true for a call of `require`, or of `import`, that loads cdk8s. */
function isModule(ts: typeof TypeScript, node: TypeScript.Expression | undefined): boolean {
  if (node === undefined) return false;
  if (ts.isParenthesizedExpression(node) || ts.isAwaitExpression(node) || ts.isAsExpression(node)) return isModule(ts, node.expression);
  if (!ts.isCallExpression(node) || !isText(ts, node.arguments[0], 'cdk8s')) return false;
  return node.expression.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(node.expression) && node.expression.text === 'require');
}

function isText(ts: typeof TypeScript, node: TypeScript.Node | undefined, text: string): boolean {
  return node !== undefined && ts.isStringLiteralLike(node) && node.text === text;
}

function isUse(parsed: ParsedFile, node: TypeScript.Node, { modules, apps }: Names): boolean {
  const { ts } = parsed;
  const isOfModule = (one: TypeScript.Expression | undefined) =>
    one !== undefined && (isModule(ts, one) || modules.some((module) => isNameOf(parsed, one, module)));
  if (ts.isPropertyAccessExpression(node)) return node.name.text === 'App' && isOfModule(node.expression) && !isOnlyType(ts, node);
  if (ts.isElementAccessExpression(node)) return isText(ts, node.argumentExpression, 'App') && isOfModule(node.expression);
  if (ts.isVariableDeclaration(node) && !ts.isIdentifier(node.name) && !isModule(ts, node.initializer)) {
    return isOfModule(node.initializer) && appElements(ts, node.name).length > 0;
  }
  if (ts.isExportDeclaration(node) && !node.isTypeOnly && isText(ts, node.moduleSpecifier, 'cdk8s')) {
    const { exportClause } = node;
    const isApp = (one: TypeScript.ExportSpecifier) => !one.isTypeOnly && (one.propertyName ?? one.name).text === 'App';
    return exportClause !== undefined && ts.isNamedExports(exportClause) && exportClause.elements.some(isApp);
  }
  return apps.some((app) => node.parent !== app && isNameOf(parsed, node, app)) && !isOnlyType(ts, node);
}

/** Returns true for a name that compilers remove. */
function isOnlyType(ts: typeof TypeScript, { parent }: TypeScript.Node): boolean {
  if (ts.isTypeReferenceNode(parent) || ts.isTypeQueryNode(parent) || ts.isQualifiedName(parent)) return true;
  if (!ts.isExpressionWithTypeArguments(parent) || !ts.isHeritageClause(parent.parent)) return false;
  const { token, parent: owner } = parent.parent;
  return token === ts.SyntaxKind.ImplementsKeyword || ts.isInterfaceDeclaration(owner);
}
