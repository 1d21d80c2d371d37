import type { ts as TypeScript } from 'ts-morph';
import { loadTsMorph } from './type-texts.js';

/** A file whose names are resolved within it, so that a name which a function has for something else is not mistaken. */
export interface ParsedFile {
  readonly ts: typeof TypeScript;
  readonly source: TypeScript.SourceFile;
  readonly checker: TypeScript.TypeChecker;
}

/** Parses one file; nothing else is read. */
export function parsedFile(file: string, text: string): ParsedFile {
  const { ts } = loadTsMorph();
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
  const host: TypeScript.CompilerHost = {
    getSourceFile: (name) => (name === file ? source : undefined),
    getDefaultLibFileName: () => '',
    writeFile: () => {},
    getCurrentDirectory: () => '',
    getCanonicalFileName: (name) => name,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => '\n',
    fileExists: (name) => name === file,
    readFile: () => undefined,
  };
  const options: TypeScript.CompilerOptions = { noLib: true, noResolve: true, allowJs: true, types: [], target: ts.ScriptTarget.ES2022 };
  return { ts, source, checker: ts.createProgram({ rootNames: [file], options, host }).getTypeChecker() };
}

/** Returns true for an identifier that is that of a declaration, and not of something else. */
export function isNameOf({ ts, checker }: ParsedFile, node: TypeScript.Node, declaration: TypeScript.Declaration): boolean {
  if (!ts.isIdentifier(node)) return false;
  const { parent } = node;
  const symbol = ts.isShorthandPropertyAssignment(parent)
    ? checker.getShorthandAssignmentValueSymbol(parent)
    : ts.isExportSpecifier(parent)
      ? checker.getExportSpecifierLocalTargetSymbol(parent)
      : checker.getSymbolAtLocation(node);
  return symbol?.declarations?.includes(declaration) === true;
}
