import { createRequire } from 'node:module';
import ts from 'typescript';
import { type BenchProject, timed } from './bench-project.js';
import { compilerOptions } from './compiler-options.js';
import { median } from './figures.js';

const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');

/**
 * What programs cost the compiler beyond an empty one, in milliseconds: the median of differences within rounds, in each of which
 * every program is compiled once by a process of its own.
 */
export async function compileOverEmpty(project: BenchProject, programs: Readonly<Record<string, string>>): Promise<Record<string, number>> {
  const rounds = 7;
  const configs = Object.entries({ empty: 'export {};\n', ...programs }).map(([name, text]) => {
    project.write(`${name}.ts`, text);
    return [
      name,
      project.write(`tsconfig.${name}.json`, JSON.stringify({ compilerOptions: exactOptions, files: [`${name}.ts`] })),
    ] as const;
  });
  const times = new Map<string, number[]>(configs.map(([name]) => [name, []]));
  for (let round = -1; round < rounds; round++) {
    const order = round % 2 === 0 ? configs : configs.toReversed();
    for (const [name, config] of order) {
      const { milliseconds } = await timed(process.execPath, [tsc, '-p', config], { cwd: project.directory });
      // The first round warms the disk.
      if (round >= 0) times.get(name)?.push(milliseconds);
    }
  }
  const floor = times.get('empty') as number[];
  const over = (name: string) => median((times.get(name) as number[]).map((time, round) => time - (floor[round] as number)));
  return Object.fromEntries([['empty', median(floor)], ...Object.keys(programs).map((name) => [name, over(name)])]);
}

const exactOptions = { ...compilerOptions, exactOptionalPropertyTypes: true };

/** Milliseconds until the editor lists the members at the end of a text, warm: the median over edits of an open file. */
export function completionTime(project: BenchProject, text: string): { readonly milliseconds: number; readonly entries: number } {
  const file = project.write('editor.ts', text);
  let version = 0;
  let content = text;
  const { options } = ts.convertCompilerOptionsFromJson({ ...exactOptions, lib: ['lib.es2022.d.ts'] }, project.directory);
  const host: ts.LanguageServiceHost = {
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: (name) => (name === file ? String(version) : '0'),
    getScriptSnapshot: (name) => {
      const source = name === file ? content : ts.sys.readFile(name);
      return source === undefined ? undefined : ts.ScriptSnapshot.fromString(source);
    },
    getCurrentDirectory: () => project.directory,
    getDefaultLibFileName: (given) => ts.getDefaultLibFilePath(given),
    fileExists: (name) => ts.sys.fileExists(name),
    readFile: (name) => ts.sys.readFile(name),
    directoryExists: (name) => ts.sys.directoryExists(name),
    realpath: (name) => ts.sys.realpath?.(name) ?? name,
  };
  const service = ts.createLanguageService(host);
  const times: number[] = [];
  let entries = 0;
  for (let round = 0; round < 12; round++) {
    // Somebody types: a new version of the file each time.
    content = `// ${round}\n${text}`;
    version += 1;
    const start = performance.now();
    entries = service.getCompletionsAtPosition(file, content.length, {})?.entries.length ?? 0;
    if (round >= 2) times.push(performance.now() - start);
  }
  service.dispose();
  return { milliseconds: median(times), entries };
}
