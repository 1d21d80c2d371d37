#!/usr/bin/env node
import { isatty } from 'node:tty';
import { BufferedOutput } from './buffered-output.js';
import { runCli } from './run-cli.js';
import { deferOptimization } from './v8-flags.js';

deferOptimization();

const interrupt = new AbortController();
const onInterrupt = () => {
  if (interrupt.signal.aborted) process.exit(130); // asked twice: now
  process.stderr.write('\nStopping after the requests under way; press Ctrl-C again to stop at once.\n');
  interrupt.abort();
};
const onTermination = () => interrupt.abort();
const listen = () => void process.on('SIGINT', onInterrupt).on('SIGTERM', onTermination);
listen();
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error; // the reader has seen enough
  });
}

const output = new BufferedOutput();
process.on('exit', () => output.flush());
/** Without a listener the system ends the process, even one that is busy and never looks at its events. */
const interruptible = async <Result>(work: () => Promise<Result>) => {
  if (interrupt.signal.aborted) process.exit(130);
  process.off('SIGINT', onInterrupt).off('SIGTERM', onTermination);
  try {
    return await work();
  } finally {
    listen();
  }
};
/** A person sees each line as it comes. */
const writing = (stream: NodeJS.WriteStream) => (stream.isTTY === true ? (text: string) => void stream.write(text) : output.to(stream));

const running = runCli(process.argv.slice(2), {
  stdout: writing(process.stdout),
  stderr: writing(process.stderr),
  cwd: process.cwd(),
  env: process.env,
  interactive: isatty(0) && process.stderr.isTTY === true, // `process.stdin` would be opened for that
  ...(process.stderr.isTTY === true ? { columns: process.stderr.columns || 80 } : {}),
  color: process.stderr.isTTY === true && !process.env.NO_COLOR && !process.argv.includes('--no-color'),
  signal: interrupt.signal,
  interruptible: interruptible,
});
// Not awaited: the bundle is CommonJS.
running.then((exitCode) => {
  process.exitCode = exitCode;
});
