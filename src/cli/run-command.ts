import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { manifestName } from '../assembly/manifest-name.js';
import { FieldwiseError } from '../util/error.js';
import type { ProgramOptions } from './program-options.js';

/**
 * Runs a program as a command line through the shell; it finds the output directory in its environment.
 *
 * @throws FieldwiseError see `loadProgram`.
 */
export async function runCommand(options: ProgramOptions, environment: Readonly<Record<string, string | undefined>>): Promise<void> {
  const { app, cwd, outdir, env, stderr } = options;
  // A group of its own, so that all of it can be ended: the shell and what it started.
  const child = spawn(app, { shell: true, detached: true, cwd, env: { ...env, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] });
  const stopListening = onSignals((signal) => {
    end(child.pid, signal);
    process.kill(process.pid, signal);
  });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', stderr);
  const failure = await new Promise<string | undefined>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) =>
      resolve(code === 0 ? undefined : signal ? `was ended by ${signal}` : `ended with exit code ${code}`),
    );
  }).finally(stopListening);
  if (failure !== undefined) {
    throw new FieldwiseError('program-failed', 'usage', `The program \`${app}\` ${failure}`, { next: 'See what it printed above.' });
  }
  if (existsSync(path.join(outdir, manifestName))) return;
  throw new FieldwiseError('program-without-assembly', 'usage', `The program \`${app}\` ended well and wrote no assembly`, {
    next: 'A program that runs as a command calls `app.synth()` at its end, and leaves the choice of the directory to it.',
  });
}

const terminationSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Listens once; the process that listens no longer is ended by the next signal. */
function onSignals(react: (signal: NodeJS.Signals) => void): () => void {
  const listener = (signal: NodeJS.Signals) => {
    stop();
    react(signal);
  };
  const stop = () => {
    for (const signal of terminationSignals) process.off(signal, listener);
  };
  for (const signal of terminationSignals) process.on(signal, listener);
  return stop;
}

function end(group: number | undefined, signal: NodeJS.Signals): void {
  if (group === undefined) return;
  try {
    process.kill(-group, signal);
  } catch {
    // It has ended already.
  }
}
