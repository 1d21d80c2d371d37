import { existsSync, readFileSync } from 'node:fs';
import ts from 'typescript';

/** What an editor shows at one place of a program. */
export interface EditorView {
  /** The doc comment of the name under the cursor; '' without one. */
  readonly hover: string;
  /** The doc comment beside the parameters of the call around the cursor. */
  readonly parameters: string;
  /** Members that are offered at the cursor, in the order shown; empty where no member may stand. */
  readonly completions: readonly string[];
  /** Returns the doc comment of an offered member. */
  readonly docOf: (member: string) => string;
}

/**
 * Asks TypeScript's language service, as editors do, about each `¦` in a program.
 *
 * @param file the path that the program would have; it need not exist, and is what its imports are relative to
 */
export function editorViews(file: string, program: string): readonly EditorView[] {
  const [first = '', ...rest] = program.split('¦');
  let text = first;
  const places = rest.map((part) => {
    const place = text.length;
    text += part;
    return place;
  });
  const service = ts.createLanguageService({
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      if (name === file) return ts.ScriptSnapshot.fromString(text);
      return existsSync(name) ? ts.ScriptSnapshot.fromString(readFileSync(name, 'utf8')) : undefined;
    },
    getCurrentDirectory: () => process.cwd(),
    getCompilationSettings: () => ({
      strict: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      types: [],
    }),
    getDefaultLibFileName: (options) => ts.getDefaultLibFilePath(options),
    fileExists: (name) => name === file || existsSync(name),
    readFile: (name) => (name === file ? text : readFileSync(name, 'utf8')),
  });
  return places.map((place) => {
    const completions = service.getCompletionsAtPosition(file, place, {});
    return {
      hover: plain(service.getQuickInfoAtPosition(file, place)?.documentation),
      parameters: plain(service.getSignatureHelpItems(file, place, {})?.items[0]?.documentation),
      completions: completions?.isMemberCompletion === true ? completions.entries.map(({ name }) => name) : [],
      docOf: (member) => plain(service.getCompletionEntryDetails(file, place, member, {}, undefined, {}, undefined)?.documentation),
    };
  });
}

function plain(parts: ts.SymbolDisplayPart[] | undefined): string {
  return ts.displayPartsToString(parts);
}
