import { readFileSync } from 'node:fs';
import { findSourceMap } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { environmentNames } from './environment.js';

/** A position in a file: 1-based line, and 1-based column if it is certain. */
interface SourcePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number | undefined;
}

/** Lines of source files by path. */
export type SourceLines = Map<string, readonly string[]>;

/** Directories of the code of Fieldwise, compiled and as named by source maps; frames in them are not frames of the program. */
const ownDirectories = [fileURLToPath(new URL('..', import.meta.url))].flatMap((directory) => [
  directory,
  directory.replace(/([\\/])lib[\\/](src[\\/])$/, '$1$2'),
]);

/** The number of captured frames: many layers of construct libraries may be between the program and Fieldwise. */
const frameLimit = 100;

/**
 * Returns the position at which the program called `callee`: the first stack frame outside Fieldwise, Node and node_modules, as
 * `main.ts:12:9` relative to the project (the working directory, unless the command line sets another). Undefined without such a frame.
 *
 * A TypeScript program runs compiled. If the loader registered a source map, it is used. jiti registers none but keeps lines, so the column
 * is searched in the source.
 *
 * @param files a cache of the lines of source files, one per app.
 * @param classes classes between the program and `callee`: the position is that of `new Web(…)`, not of `super(…)` in its constructor.
 */
export function declarationSource(callee: string, files: SourceLines, classes: ReadonlySet<string> = noClasses): string | undefined {
  const position = capture(classes);
  if (!position) return undefined;
  return textOf({ ...position, column: position.column ?? columnOf(position, callee, files) });
}

/** Returns the `source` member of an error location, for constructors that need the position only for errors. */
export function sourceOf(callee: string): { readonly source?: string } {
  const source = declarationSource(callee, new Map());
  return source === undefined ? {} : { source };
}

/**
 * Returns the position at which the program failed: the position that a message of a compiler names, or the first frame of the program in
 * the stack of the error. Without a column if the file ran compiled.
 */
export function errorSource(error: Error): string | undefined {
  const named = /(?:^|\s)(\/\S+?|[A-Za-z]:\\\S+?):(\d+):(\d+)/.exec(error.message);
  if (named && programFile(named[1])) {
    // jiti passes on the columns of Babel, which begin at 0.
    const first = error.message.startsWith('ParseError:') ? 0 : 1;
    return textOf({ file: named[1] as string, line: Number(named[2]), column: Number(named[3]) + 1 - first });
  }
  const position = positionIn(error.stack ?? '');
  return position && textOf({ ...position, column: isTypeScript(position.file) ? undefined : position.column });
}

const noClasses: ReadonlySet<string> = new Set();

function capture(classes: ReadonlySet<string>): SourcePosition | undefined {
  const { stackTraceLimit } = Error;
  const foreign = Error.prepareStackTrace as typeof Error.prepareStackTrace | undefined;
  const error = new Error('position');
  let frames: readonly NodeJS.CallSite[] = [];
  Error.stackTraceLimit = frameLimit;
  Error.prepareStackTrace = (_, sites) => {
    frames = classes.size === 0 ? sites : sites.filter((site) => !(site.isConstructor() && classes.has(site.getFunctionName() ?? '')));
  };
  try {
    Error.captureStackTrace(error, declarationSource);
    void error.stack; // reading it makes V8 call `prepareStackTrace`
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    Error.prepareStackTrace = foreign as typeof Error.prepareStackTrace;
  }
  const position = positionOf(frames);
  // A tool that maps stacks itself (ts-node, a test runner) knows the better position, unless it prints the frames of V8 unchanged (Babel).
  const mappedPosition = foreign && positionIn(String(foreign(error, [...frames])));
  const moved =
    mappedPosition &&
    !frames.some((frame) => frame.getLineNumber() === mappedPosition.line && frame.getColumnNumber() === mappedPosition.column);
  return moved ? mappedPosition : position;
}

function positionOf(frames: readonly NodeJS.CallSite[]): SourcePosition | undefined {
  for (const frame of frames) {
    const file = programFile(frame.getFileName());
    const line = frame.getLineNumber();
    const column = frame.getColumnNumber();
    if (!file || !line || !column) continue;
    const entry = findSourceMap(frame.getFileName() ?? '')?.findEntry(line - 1, column - 1);
    if (entry && 'originalSource' in entry) {
      return { file: asPath(entry.originalSource), line: entry.originalLine + 1, column: entry.originalColumn + 1 };
    }
    return { file, line, column: isTypeScript(file) ? undefined : column };
  }
  return undefined;
}

function positionIn(stack: string): SourcePosition | undefined {
  for (const frame of stack.split('\n')) {
    const found = /:(\d+):(\d+)\)?$/.exec(frame);
    const file = programFile(found ? fileIn(frame.slice(0, found.index)) : undefined);
    if (found && file) return { file, line: Number(found[1]), column: Number(found[2]) };
  }
  return undefined;
}

/** Returns the file in a frame without its position: `at name (file`, `at file` or `at async file`. */
function fileIn(frame: string): string | undefined {
  const open = frame.lastIndexOf('(');
  return open >= 0 ? frame.slice(open + 1) : /^\s*at (?:async )?(.+)/.exec(frame)?.[1];
}

/** Returns the path of a file that belongs to the program, else undefined. */
function programFile(name: string | null | undefined): string | undefined {
  if (!name || name.startsWith('node:')) return undefined;
  const file = asPath(name);
  if (
    !path.isAbsolute(file) ||
    ownDirectories.some((directory) => file.startsWith(directory)) ||
    file.split(/[\\/]/).includes('node_modules')
  )
    return undefined;
  return file;
}

function textOf({ file, line, column }: SourcePosition): string {
  const project = process.env[environmentNames.projectDir] || process.cwd();
  const relative = path.relative(project, file).split(path.sep).join('/');
  return [relative, line, column].filter((part) => part !== undefined).join(':');
}

function isTypeScript(file: string): boolean {
  return /\.[cm]?tsx?$/.test(file);
}

function asPath(name: string): string {
  return name.startsWith('file:') ? fileURLToPath(name) : name;
}

/** Returns the column of the call, if the line calls `callee` exactly once. */
function columnOf({ file, line }: SourcePosition, callee: string, files: SourceLines): number | undefined {
  const lines = files.get(file) ?? linesOf(file);
  files.set(file, lines);
  const calls = [...(lines[line - 1] ?? '').matchAll(/(?<![\w$])(?:new\s+)?([\w$]+)(?=\s*[(<])/g)].filter(([, name]) => name === callee);
  return calls.length === 1 ? calls[0]!.index + 1 : undefined;
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/);
  } catch {
    return [];
  }
}
