import { isatty } from 'node:tty';
import { BufferedOutput } from './files/buffered-output.js';
import { runCli } from './run-cli.js';
import { openTerminalDevice } from './terminal-device.js';
import { deferOptimization } from './v8-flags.js';

/**
 * Runs the command line with the arguments and streams of this process.
 *
 * @param name the command as the user typed it, for the help.
 */
export function runProcess(name: string): void {
  deferOptimization();
  const interrupt = new AbortController();
  const interruptible = handleSignals(interrupt);
  const readerGone = new AbortController();
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error; // a reader such as `head` may close the pipe
      if (stream === process.stdout) readerGone.abort();
    });
  }
  const output = new BufferedOutput();
  process.on('exit', () => output.flush());
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
    ...(process.stderr.isTTY === true ? { columns: process.stderr.columns || 80 } : {}),
    color: process.stderr.isTTY === true && !process.env.NO_COLOR && !process.argv.includes('--no-color'),
    signal: interrupt.signal,
    readerGone: readerGone.signal,
    interruptible,
    openTerminal: openTerminalDevice,
  });
  // Not awaited, because the bundle is CommonJS, which has no top-level await.
  running.then((exitCode) => {
    process.exitCode = exitCode;
  });
}

/**
 * Stops the run at the first signal, and the process at the second. Returns a function that removes the listeners during some work: without
 * them, a signal ends the process even if its event loop is blocked.
 */
function handleSignals(interrupt: AbortController): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const onInterrupt = () => {
    if (interrupt.signal.aborted) process.exit(130);
    process.stderr.write('\nStopping after the current requests; press Ctrl-C again to stop immediately.\n');
    interrupt.abort();
  };
  const onTermination = () => interrupt.abort();
  const listen = () => void process.on('SIGINT', onInterrupt).on('SIGTERM', onTermination);
  listen();
  return async (work) => {
    if (interrupt.signal.aborted) process.exit(130);
    process.off('SIGINT', onInterrupt).off('SIGTERM', onTermination);
    try {
      return await work();
    } finally {
      listen();
    }
  };
}
