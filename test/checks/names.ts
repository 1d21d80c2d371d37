import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from './command.js';
import { type RefusedName, refusedNames } from './refused-names.js';

/** A name and where it is declared. */
interface Declared {
  readonly place: string;
  readonly name: string;
  readonly is: 'name' | 'file name' | 'key or code';
}

/** Names the refused names among declared names, file names, codes and keys of the sources, the examples and the tests. */
export function refusedNamesUsed(): string[] {
  const paths = ['src', 'codegen', 'examples', 'test'].flatMap((top) =>
    readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !(top === 'test' && name.startsWith('checks')))
      .map((name) => `${top}/${name.replaceAll('\\', '/')}`)
      .sort(),
  );
  return paths.flatMap((path) => refusedNamesIn(path, readFileSync(join(root, path), 'utf8'), refusedNames));
}

/** The same of one file. */
export function refusedNamesIn(path: string, text: string, table: readonly RefusedName[]): string[] {
  return [...namesOfPath(path), ...namesOfSource(path, text)].flatMap((declared) =>
    table
      .filter((refused) => path.startsWith(refused.below ?? '') && matches(refused, declared))
      .map(
        ({ old, new: better }) => `${declared.place}: the ${declared.is} ${declared.name} has an old name, ${old}; the new one: ${better}`,
      ),
  );
}

function matches({ old, as = 'name' }: RefusedName, { name, is }: Declared): boolean {
  if (as === 'name') return name === old || (is !== 'name' && name === wordsOf(old).join('-'));
  const stem = old.replace(/\*$/, '').toLowerCase();
  return wordsOf(name).some((word) => (old.endsWith('*') ? word.startsWith(stem) : word === stem || word === `${stem}s`));
}

const wordsOfNames = new Map<string, readonly string[]>();

/** `itemVanishes`, `ItemVanishes` and `item-vanishes` → `item`, `vanishes`. */
function wordsOf(name: string): readonly string[] {
  const known = wordsOfNames.get(name);
  if (known !== undefined) return known;
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');
  wordsOfNames.set(name, words);
  return words;
}

/** The file without its ending, and its folders. */
function namesOfPath(path: string): Declared[] {
  return path
    .split('/')
    .slice(1)
    .map((name) => ({ place: path, name: name.replace(/(\.test)?\.ts$/, ''), is: 'file name' }));
}

function namesOfSource(path: string, text: string): Declared[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: Declared[] = [];
  const add = (node: ts.Node, name: string, is: Declared['is']) =>
    found.push({ place: `${path}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`, name, is });
  const visit = (node: ts.Node): void => {
    const name = declaredName(node);
    if (name !== undefined) add(name, name.text, ts.isIdentifier(name) ? 'name' : 'key or code');
    // Texts of tests are names of their objects, too.
    else if (!path.startsWith('test/') && ts.isStringLiteralLike(node) && isCode(node)) add(node, node.text, 'key or code');
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function declaredName(node: ts.Node): ts.Identifier | ts.StringLiteral | undefined {
  if (!isDeclaration(node) || node.name === undefined) return undefined;
  return ts.isIdentifier(node.name) || ts.isStringLiteral(node.name) ? node.name : undefined;
}

function isDeclaration(node: ts.Node): node is ts.NamedDeclaration & { readonly name?: ts.Node } {
  return (
    ts.isVariableDeclaration(node) ||
    ts.isBindingElement(node) ||
    ts.isParameter(node) ||
    ts.isFunctionLike(node) ||
    ts.isClassLike(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isTypeParameterDeclaration(node) ||
    ts.isEnumDeclaration(node) ||
    ts.isPropertySignature(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isPropertyAssignment(node) ||
    ts.isShorthandPropertyAssignment(node) ||
    ts.isExportSpecifier(node)
  );
}

/** One word in kebab-case or camelCase; names of properties are declarations, specifiers are file names. */
function isCode(node: ts.StringLiteralLike): boolean {
  const { parent } = node;
  const elsewhere =
    ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent) || (ts.isPropertyAssignment(parent) && parent.name === node);
  return !elsewhere && /^[A-Za-z][A-Za-z\d]*(?:-[A-Za-z\d]+)*$/.test(node.text);
}
