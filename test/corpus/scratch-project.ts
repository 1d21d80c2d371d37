import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';

const checkout = fileURLToPath(new URL('../..', import.meta.url));

/** A user's project in a temporary directory, in which generated modules are compiled and loaded as a user's would be. */
export class ScratchProject {
  readonly directory = mkdtempSync(join(tmpdir(), 'fieldwise-corpus-'));

  constructor() {
    mkdirSync(join(this.directory, 'node_modules'));
    symlinkSync(checkout, join(this.directory, 'node_modules', 'fieldwise'));
    this.write('package.json', '{ "type": "module" }');
  }

  write(path: string, text: string): string {
    const file = join(this.directory, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  /** Loads a module of TypeScript without checking its types. */
  async load(path: string, text: string): Promise<Readonly<Record<string, unknown>>> {
    const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
    const file = this.write(path.replace(/\.ts$/, '.js'), ts.transpileModule(text, { compilerOptions: options }).outputText);
    return import(pathToFileURL(file).href);
  }

  /** Compiles files of the project in one program; the answer gives the errors of one of them. */
  check(files: readonly string[]): (file: string) => readonly string[] {
    const program = ts.createProgram(files, {
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      skipLibCheck: true,
      types: [],
      lib: ['lib.es2022.d.ts'],
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
    });
    return (file) => {
      const source = program.getSourceFile(file);
      if (source === undefined) return ['the file is not part of the program'];
      return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map((diagnostic) =>
        textOf(diagnostic),
      );
    };
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

// The innermost sentence names the property; the outer ones repeat whole types.
function textOf({ messageText, code }: ts.Diagnostic): string {
  let chain = messageText;
  while (typeof chain !== 'string' && chain.next?.[0] !== undefined) chain = chain.next[0];
  const text = typeof chain === 'string' ? chain : chain.messageText;
  return `TS${code}: ${text.length > 240 ? `${text.slice(0, 240)}…` : text}`;
}
