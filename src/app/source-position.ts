import { readFileSync } from 'node:fs';
import { findSourceMap } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownFile } from '../util/own-file.js';
import { remembered } from '../util/remembered.js';
import { slashPath } from '../util/slash-path.js';
import { environmentNames } from './environment.js';

/** A position in a file: 1-based line, and 1-based column if it is certain. */
interface SourcePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number | undefined;
}

/** The positions that one app has found for its declarations: a loop declares many objects at the same one. */
export class SourceCache {
  /** Lines of source files by path. */
  readonly lines = new Map<string, readonly string[]>();
  /** Positions by callee and stack frames. */
  readonly sources = new Map<string, string | undefined>();
}

/** Directories of the code of Fieldwise, compiled and as named by source maps; frames in them are not frames of the program. */
const ownDirectories = [path.join(ownFile('..'), path.sep)].flatMap((directory) => [
  directory,
  directory.replace(/([\\/])lib[\\/](src[\\/])$/, '$1$2'),
]);

/** The number of captured frames: first the usual ones, then more, because many layers of construct libraries may be in between. */
const frameLimits = [20, 100];

/**
 * Returns the position at which the program called `callee`: the first stack frame outside Fieldwise, Node and node_modules, as
 * `main.ts:12:9` relative to the project (the working directory, unless the command line sets another). Undefined without such a frame.
 *
 * A TypeScript program runs compiled. If the loader registered a source map, it is used. jiti registers none but keeps lines, so the column
 * is searched in the source.
 *
 * @param cache one per app.
 * @param classes classes between the program and `callee`: the position is that of `new Web(…)`, not of `super(…)` in its constructor.
 */
export function declarationSource(callee: string, cache: SourceCache, classes: ReadonlySet<string> = noClasses): string | undefined {
  const frames = captureFrames(classes);
  const key = [callee, ...frames.map(frameText)].join('\n');
  if (cache.sources.has(key)) return cache.sources.get(key);
  const position = mappedPosition(frames) ?? positionOf(frames);
  const source = position && positionText({ ...position, column: position.column ?? columnOf(position, callee, cache) });
  cache.sources.set(key, source);
  return source;
}

/** Returns the `source` member of an error location, for constructors that need the position only for errors. */
export function sourceOf(callee: string): { readonly source?: string } {
  const source = declarationSource(callee, new SourceCache());
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
    return positionText({ file: named[1] as string, line: Number(named[2]), column: Number(named[3]) + 1 - first });
  }
  const position = positionIn(error.stack ?? '');
  return position && positionText({ ...position, column: isTypeScript(position.file) ? undefined : position.column });
}

/** Returns a line of a file as the `source` of an error location has it. */
export function lineSource(file: string, line: number): string {
  return positionText({ file, line, column: undefined });
}

const noClasses: ReadonlySet<string> = new Set();

/** Returns the stack frames up to the first one of the program, without those of Node and Fieldwise. */
function captureFrames(classes: ReadonlySet<string>): readonly NodeJS.CallSite[] {
  const { stackTraceLimit } = Error;
  const foreign = Error.prepareStackTrace as typeof Error.prepareStackTrace | undefined;
  let frames: readonly NodeJS.CallSite[] = [];
  Error.prepareStackTrace = (_, sites) => {
    frames = sites;
  };
  try {
    for (const limit of frameLimits) {
      const captured: { readonly stack?: string } = {}; // an error would capture frames twice
      Error.stackTraceLimit = limit;
      Error.captureStackTrace(captured, declarationSource);
      void captured.stack; // reading it makes V8 call `prepareStackTrace`
      const kept = frames.filter((site) => !(site.isConstructor() && classes.has(site.getFunctionName() ?? '')));
      const first = kept.findIndex((site) => programFile(site.getFileName()) && site.getLineNumber() && site.getColumnNumber());
      if (first >= 0) return kept.slice(0, first + 1).filter((site) => !isOwnFrame(site.getFileName()));
      if (frames.length < limit) break;
    }
    return frames.filter((site) => !isOwnFrame(site.getFileName()));
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    Error.prepareStackTrace = foreign as typeof Error.prepareStackTrace;
  }
}

/**
 * Returns the position by a tool that maps stacks itself (ts-node, a test runner); undefined without one, and where it prints the frames of
 * V8 unchanged (Babel).
 */
function mappedPosition(frames: readonly NodeJS.CallSite[]): SourcePosition | undefined {
  const foreign = Error.prepareStackTrace as typeof Error.prepareStackTrace | undefined;
  const mapped = foreign && positionIn(String(foreign(new Error('position'), [...frames])));
  const isMoved = mapped && !frames.some((frame) => frame.getLineNumber() === mapped.line && frame.getColumnNumber() === mapped.column);
  return isMoved ? mapped : undefined;
}

function frameText(frame: NodeJS.CallSite): string {
  return `${frame.getFileName()}:${frame.getLineNumber()}:${frame.getColumnNumber()}`;
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

/** A file that a stack frame names: of Fieldwise, or of the program, with its path there; else of others. */
const frameFile = remembered(
  (name) => {
    const isOwn = ownDirectories.some((directory) => asPath(name).startsWith(directory));
    return { isOwn, path: isOwn || name.startsWith('node:') ? undefined : outsideModules(name) };
  },
  10_000,
  Number.POSITIVE_INFINITY,
);

/** Returns the path of a file that belongs to the program, else undefined. */
function programFile(name: string | null | undefined): string | undefined {
  return name ? frameFile(name).path : undefined;
}

function outsideModules(name: string): string | undefined {
  const file = asPath(name);
  return path.isAbsolute(file) && !file.split(/[\\/]/).includes('node_modules') ? file : undefined;
}

/** Returns true for a frame of Node or of Fieldwise. */
function isOwnFrame(name: string | null | undefined): boolean {
  return !name || name.startsWith('node:') || frameFile(name).isOwn;
}

function positionText({ file, line, column }: SourcePosition): string {
  const project = process.env[environmentNames.projectDir] || process.cwd();
  const relative = slashPath(project, file);
  return [relative, line, column].filter((part) => part !== undefined).join(':');
}

function isTypeScript(file: string): boolean {
  return /\.[cm]?tsx?$/.test(file);
}

function asPath(name: string): string {
  return name.startsWith('file:') ? fileURLToPath(name) : name;
}

/** Returns the column of the call, if the line calls `callee` exactly once. */
function columnOf({ file, line }: SourcePosition, callee: string, cache: SourceCache): number | undefined {
  const lines = cache.lines.get(file) ?? linesOf(file);
  cache.lines.set(file, lines);
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
