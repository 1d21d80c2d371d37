import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { sourceFiles } from './imports.js';

/** The variables and collections of modules that stay, by file, with the reason. */
export const staying: Readonly<Record<string, { readonly names: readonly string[]; readonly because: string }>> = {
  'src/apiserver/http/body-reader.ts': { names: ['worker'], because: 'a process has one thread for it, and another one after its end' },
  'src/apiserver/aside/large-requests.ts': { names: ['worker'], because: 'a process has one thread for it, and another one after its end' },
  'src/apiserver/conversion/conversions.ts': { names: ['current'], because: 'a synchronous computation sees the conversions made for it' },
  'src/apiserver/cel/values/visit.ts': { names: ['visits', 'depth'], because: 'one synchronous evaluation counts its visits' },
  'src/apiserver/aside/request-worker.ts': { names: ['definedBy'], because: 'the module is a thread, and belongs to its catalog' },
  'src/apiserver/custom/validate-value.ts': { names: ['fits'], because: 'a value is asked for again at each level that contains it' },
  'src/apiserver/http/protobuf/message.ts': {
    names: ['known'],
    because: 'messages contain each other: one is known before its fields are',
  },
  'src/apiserver/storage/object-size.ts': { names: ['known'], because: 'the size of a small value is not kept' },
  'src/apiserver/http/turns.ts': { names: ['waiting'], because: 'the requests of all servers of a process share one event loop' },
  'src/testing/prepared-snapshot.ts': { names: ['snapshots'], because: 'the tests of a process share them by their content (decision 47)' },
};

/**
 * Names every variable of a module of `src` that is assigned again, and every collection that is filled later: what they hold would change the
 * answers of functions unseen. A function of `remembered` or `onceFor` holds only what its argument alone decides.
 */
export function moduleState(root: string): string[] {
  const files = sourceFiles(root, 'src');
  const gone = Object.keys(staying).filter((file) => files.length > 0 && !files.includes(file));
  return [
    ...files.flatMap((path) => moduleStateIn(path, readFileSync(join(root, path), 'utf8'))),
    ...gone.map((file) => `${file} is not there: take it from the exceptions of test/checks/module-state.ts`),
  ];
}

/** The same of one file. */
export function moduleStateIn(path: string, text: string): string[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const known = staying[path]?.names ?? [];
  const lists = source.statements.filter(ts.isVariableStatement).map(({ declarationList }) => declarationList);
  const variables = lists.flatMap((list) => (isReassignable(list) ? list.declarations : []));
  const members = source.statements.filter(ts.isClassDeclaration).flatMap((each) => each.members.filter(isStaticProperty));
  const collections = [...lists.flatMap((list) => (isReassignable(list) ? [] : list.declarations)), ...members].filter((declaration) =>
    isFilledLater(declaration, text),
  );
  const found = [
    ...variables.map((declaration) => ({
      declaration,
      what: 'is a variable of the module: hand its value down, or use once or latest of src/util for one that never differs',
    })),
    ...collections.map((declaration) => ({
      declaration,
      what: 'is filled by the functions of the module: keep it in an object that is handed down, or use remembered or onceFor of src/util',
    })),
  ].map(({ declaration, what }) => {
    const line = source.getLineAndCharacterOfPosition(declaration.getStart()).line + 1;
    const name = declaration.name.getText();
    return { name, text: `${path}:${line} ${name} ${what}` };
  });
  return [
    ...found.filter(({ name }) => !known.includes(name)).map((each) => each.text),
    ...known
      .filter((name) => !found.some((each) => each.name === name))
      .map((name) => `${path} has no variable ${name}: take it from the exceptions of test/checks/module-state.ts`),
  ];
}

function isStaticProperty(member: ts.ClassElement): member is ts.PropertyDeclaration {
  return ts.isPropertyDeclaration(member) && member.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword) === true;
}

/** Returns true for a map or set that is empty, or for any list, map or set on which the file calls a method that changes it. */
function isFilledLater({ name, initializer }: ts.VariableDeclaration | ts.PropertyDeclaration, text: string): boolean {
  const value = initializer && unwrapped(initializer);
  const isList = value !== undefined && ts.isArrayLiteralExpression(value);
  const isCollection = value !== undefined && ts.isNewExpression(value) && /^(?:Weak)?(?:Map|Set)$/.test(value.expression.getText());
  if (isCollection && (value.arguments ?? []).length === 0 && !isReadonly(value.parent)) return true;
  const change = new RegExp(
    String.raw`(?<![\w$.]|\w\?\.)(?:[A-Z]\w*\.)?${name.getText().replaceAll('$', String.raw`\$`)}\.(?:${changes})\(`,
  );
  return (isList || isCollection) && change.test(text);
}

const changes = 'set|add|delete|clear|push|unshift|splice|pop|shift';

/** Returns true for a declaration as `ReadonlyMap` or `ReadonlySet`. */
function isReadonly(declaration: ts.Node): boolean {
  return ts.isVariableDeclaration(declaration) && declaration.type?.getText().startsWith('Readonly') === true;
}

function unwrapped(node: ts.Expression): ts.Expression {
  const isWrapper = ts.isAsExpression(node) || ts.isSatisfiesExpression(node) || ts.isParenthesizedExpression(node);
  return isWrapper ? unwrapped(node.expression) : node;
}

/** Returns true for `let` and `var`. */
function isReassignable(list: ts.VariableDeclarationList): boolean {
  return (list.flags & (ts.NodeFlags.Const | ts.NodeFlags.Using | ts.NodeFlags.AwaitUsing)) === 0 && !isAmbient(list);
}

function isAmbient({ parent }: ts.VariableDeclarationList): boolean {
  return ts.isVariableStatement(parent) && parent.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.DeclareKeyword) === true;
}
