#!/usr/bin/env node
import { runCli } from './run-cli.js';
import { optimiseLate } from './v8-flags.js';

optimiseLate();

const interrupt = new AbortController();
process.on('SIGINT', () => {
  if (interrupt.signal.aborted) process.exit(130); // asked twice: now
  process.stderr.write('\nStopping after the requests under way; press Ctrl-C again to stop at once.\n');
  interrupt.abort();
});
process.on('SIGTERM', () => interrupt.abort());
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error; // the reader has seen enough
  });
}

process.exitCode = await runCli(process.argv.slice(2), {
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
  cwd: process.cwd(),
  env: process.env,
  interactive: process.stdin.isTTY === true && process.stderr.isTTY === true,
  ...(process.stderr.isTTY === true ? { columns: process.stderr.columns } : {}),
  colour: process.stderr.isTTY === true && !process.env.NO_COLOR && !process.argv.includes('--no-color'),
  signal: interrupt.signal,
});
