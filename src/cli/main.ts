#!/usr/bin/env node
import { isatty } from 'node:tty';
import { BufferedOutput } from './files/buffered-output.js';
import { runCli } from './run-cli.js';
import { deferOptimization } from './v8-flags.js';

deferOptimization();

const interrupt = new AbortController();
const onInterrupt = () => {
  if (interrupt.signal.aborted) process.exit(130);
  process.stderr.write('\nStopping after the current requests; press Ctrl-C again to stop immediately.\n');
  interrupt.abort();
};
const onTermination = () => interrupt.abort();
const listen = () => void process.on('SIGINT', onInterrupt).on('SIGTERM', onTermination);
listen();
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error; // a reader such as `head` may close the pipe
  });
}

const output = new BufferedOutput();
process.on('exit', () => output.flush());
/** Removes the listeners during the work: without them, a signal ends the process even if its event loop is blocked. */
const interruptible = async <Result>(work: () => Promise<Result>) => {
  if (interrupt.signal.aborted) process.exit(130);
  process.off('SIGINT', onInterrupt).off('SIGTERM', onTermination);
  try {
    return await work();
  } finally {
    listen();
  }
};
/** Writes each line at once to a terminal, and buffers the output otherwise; also while the output of a program is redirected. */
const writing = (stream: NodeJS.WriteStream) => {
  const write = stream.write.bind(stream);
  return stream.isTTY === true ? (text: string) => void write(text) : output.to({ write: (text) => write(text) });
};

const running = runCli(process.argv.slice(2), {
  stdout: writing(process.stdout),
  stderr: writing(process.stderr),
  cwd: process.cwd(),
  env: process.env,
  interactive: isatty(0) && process.stderr.isTTY === true, // `process.stdin.isTTY` would open the stream
  ...(process.stderr.isTTY === true ? { columns: process.stderr.columns || 80 } : {}),
  color: process.stderr.isTTY === true && !process.env.NO_COLOR && !process.argv.includes('--no-color'),
  signal: interrupt.signal,
  interruptible,
});
// Not awaited, because the bundle is CommonJS, which has no top-level await.
running.then((exitCode) => {
  process.exitCode = exitCode;
});
