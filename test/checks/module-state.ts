import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { sourceFiles } from './imports.js';

/** The variables of modules that stay, by file, with the reason. */
export const staying: Readonly<Record<string, { readonly names: readonly string[]; readonly because: string }>> = {
  'src/apiserver/http/body-reader.ts': { names: ['worker'], because: 'a process has one thread for it, and another one after its end' },
  'src/apiserver/aside/large-requests.ts': { names: ['worker'], because: 'a process has one thread for it, and another one after its end' },
  'src/apiserver/conversion/conversions.ts': { names: ['current'], because: 'a synchronous computation sees the conversions made for it' },
  'src/apiserver/cel/values/visit.ts': { names: ['visits', 'depth'], because: 'one synchronous evaluation counts its visits' },
};

/** Names every variable of a module of `src` that is assigned again: what it holds would change the answers of functions unseen. */
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
  const found = source.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => (isReassignable(declarationList) ? declarationList.declarations : []));
  const names = found.map((declaration) => declaration.name.getText());
  return [
    ...found
      .filter((declaration) => !known.includes(declaration.name.getText()))
      .map((declaration) => {
        const line = source.getLineAndCharacterOfPosition(declaration.getStart()).line + 1;
        return `${path}:${line} ${declaration.name.getText()} is a variable of the module: hand its value down, or use once or latest of src/util for one that never differs`;
      }),
    ...known
      .filter((name) => !names.includes(name))
      .map((name) => `${path} has no variable ${name}: take it from the exceptions of test/checks/module-state.ts`),
  ];
}

/** Returns true for `let` and `var`. */
function isReassignable(list: ts.VariableDeclarationList): boolean {
  return (list.flags & (ts.NodeFlags.Const | ts.NodeFlags.Using | ts.NodeFlags.AwaitUsing)) === 0 && !isAmbient(list);
}

function isAmbient({ parent }: ts.VariableDeclarationList): boolean {
  return ts.isVariableStatement(parent) && parent.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.DeclareKeyword) === true;
}
