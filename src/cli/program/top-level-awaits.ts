import { createHook } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Tells at which of the top-level awaits of a module its execution is. */
export interface TopLevelAwaits {
  /** The 1-based line; undefined if it is none of those that the module has. */
  current(): number | undefined;
  stop(): void;
}

/** A statement at the beginning of a line, where those are that are in no block, with an `await` that is in no function of the line. */
const awaiting = /^(?!\s|\/\/|\/?\*)(?:(?!\bfunction\b|=>).)*\bawait\b/;

/**
 * Follows the top-level awaits of a module. Node tells of no promise where it is awaited; a module with several of them is followed by the
 * promises that each `await` makes, which costs some microseconds for each promise of the program.
 */
export function topLevelAwaits(file: string): TopLevelAwaits {
  const lines = linesOf(file).flatMap((line, index) => (awaiting.test(line) ? [index + 1] : []));
  if (lines.length <= 1) return { current: () => lines[0], stop: () => {} };
  let last: number | undefined;
  const hook = createHook({
    init: (_, type) => {
      const line = type === 'PROMISE' ? lineIn(file) : undefined;
      if (line !== undefined && lines.includes(line)) last = line;
    },
  }).enable();
  return { current: () => last ?? lines[0], stop: () => void hook.disable() };
}

/** Returns the line of a file at which the code outside of its functions is. */
function lineIn(file: string): number | undefined {
  const { stackTraceLimit, prepareStackTrace } = Error;
  let found: number | undefined;
  Error.stackTraceLimit = 8;
  Error.prepareStackTrace = (_, sites) => {
    const site = sites.find((one) => pathOf(one.getFileName()) === file && !one.getFunctionName());
    found = site?.getLineNumber() ?? undefined;
  };
  try {
    const captured: { readonly stack?: string } = {};
    Error.captureStackTrace(captured, lineIn);
    void captured.stack; // reading it makes V8 call `prepareStackTrace`
    return found;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    Error.prepareStackTrace = prepareStackTrace;
  }
}

function pathOf(name: string | null | undefined): string {
  return name?.startsWith('file:') ? fileURLToPath(name) : (name ?? '');
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/);
  } catch {
    return []; // the import tells it
  }
}
