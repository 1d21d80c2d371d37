import { fstatSync } from 'node:fs';
import { isatty } from 'node:tty';
import { FieldwiseError } from '../util/error.js';
import { BufferedOutput } from './process/buffered-output.js';
import { OwnProcess } from './process/own-process.js';
import { openTerminalDevice } from './process/terminal-device.js';
import { deferOptimization } from './process/v8-flags.js';
import { runCli } from './run-cli.js';

/**
 * Runs the command line with the arguments and streams of this process.
 *
 * @param name the command as the user typed it, for the help.
 */
export function runProcess(name: string): void {
  deferOptimization();
  const exit = process.exit.bind(process); // a program that runs here gets another one
  const ownProcess = new OwnProcess(new AbortController());
  const { interrupt } = ownProcess;
  const interruptible = handleSignals(interrupt, exit);
  const readerGone = new AbortController();
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // A reader such as `head` may close the pipe.
      if (error.code !== 'EPIPE') ownProcess.failedLate(unwritable(stream === process.stdout ? 'output' : 'error', error));
      else if (stream === process.stdout) readerGone.abort();
    });
  }
  const output = new BufferedOutput();
  process.on('exit', () => output.flush());
  const streams = [process.stdout, process.stderr].map((stream) => stream.write.bind(stream));
  const whenWritten = (then: () => void) => {
    output.flush();
    let waiting = streams.length;
    for (const write of streams) write('', () => --waiting === 0 && then());
  };
  /** Writes each line at once to a terminal, and buffers the output otherwise; also while the output of a program is redirected. */
  const writing = (stream: NodeJS.WriteStream) => {
    const write = stream.write.bind(stream);
    return stream.isTTY === true ? (text: string) => void write(text) : output.to({ write: (text) => write(text) });
  };
  const running = runCli(process.argv.slice(2), {
    name,
    stdout: writing(process.stdout),
    stderr: writing(process.stderr),
    cwd: process.cwd(),
    env: process.env,
    interactive: isatty(0) && process.stderr.isTTY === true, // `process.stdin.isTTY` would open the stream
    ...(process.stderr.isTTY === true && !isPipe(process.stdout.fd) ? { columns: process.stderr.columns || 80 } : {}),
    ...(process.stdout.isTTY === true ? { width: process.stdout.columns || 80 } : {}),
    color: showsColors(process.stdout),
    colorsMessages: showsColors(process.stderr),
    signal: interrupt.signal,
    ownProcess,
    written: () => new Promise((resolve) => whenWritten(() => setImmediate(resolve))), // an error of a stream follows its callback
    readerGone: readerGone.signal,
    interruptible,
    openTerminal: openTerminalDevice,
  });
  // Not awaited, because the bundle is CommonJS, which has no top-level await.
  running.then((exitCode) => {
    process.exitCode = exitCode;
    // Handles that a program or a module of rules has left behind would keep the process alive.
    if (ownProcess.hasRunModule) whenWritten(() => exit());
  });
}

function showsColors(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY === true && !process.env.NO_COLOR && !process.argv.includes('--no-color');
}

/** Returns true for a stream that a reader such as `tee` may print at the same terminal, below a line that is not yet over. */
function isPipe(descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor);
    return stats.isFIFO() || stats.isSocket();
  } catch {
    return false; // it is closed
  }
}

function unwritable(stream: 'output' | 'error', cause: Error): FieldwiseError {
  return new FieldwiseError('output-unwritable', 'usage', `Standard ${stream} cannot be written: ${cause.message}`, {
    next: 'If it is a file, free space on its disk, or choose another file. Then run again: completed work is detected and skipped.',
    cause,
  });
}

/**
 * Stops the run at the first signal, and the process at the second. Returns a function that removes the listeners during some work: without
 * them, a signal ends the process even if its event loop is blocked.
 */
function handleSignals(
  interrupt: AbortController,
  exit: (code: number) => never,
): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const onInterrupt = () => {
    if (interrupt.signal.aborted) exit(130);
    process.stderr.write('\nStopping after the current requests; press Ctrl-C again to stop immediately.\n');
    interrupt.abort();
  };
  const onTermination = () => interrupt.abort();
  const listen = () => void process.on('SIGINT', onInterrupt).on('SIGTERM', onTermination);
  listen();
  return async (work) => {
    if (interrupt.signal.reason instanceof FieldwiseError) throw interrupt.signal.reason;
    if (interrupt.signal.aborted) exit(130);
    process.off('SIGINT', onInterrupt).off('SIGTERM', onTermination);
    try {
      return await work();
    } finally {
      listen();
    }
  };
}
