import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { manifestName } from '../../assembly/manifest-name.js';
import { FieldwiseError } from '../../util/error.js';
import { endProcessGroup } from '../process/end-process-group.js';
import type { ProgramOptions } from './program-options.js';
import { commandNotice, noticeMs, timedOutNext } from './waiting-texts.js';

/**
 * Runs a program as a command line in a shell; an environment variable contains the output directory.
 *
 * @throws FieldwiseError see `loadProgram`.
 */
export async function runCommand(options: ProgramOptions, environment: Readonly<Record<string, string | undefined>>): Promise<void> {
  const { app, cwd, outdir, env, stderr, after, timeoutSeconds } = options;
  const child = spawn(app, {
    shell: true,
    // In its own process group, so that a signal reaches the shell and its children. On Windows, that would open a window.
    detached: process.platform !== 'win32',
    windowsHide: true,
    cwd,
    env: { ...env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stopListening = onSignals((signal) => {
    endProcessGroup(child.pid, signal);
    process.kill(process.pid, signal);
  });
  let isLate = false;
  const cancels = [
    after(noticeMs, () =>
      stderr(
        commandNotice(
          app,
          wordsOf(app).find((word) => isProgram(word, cwd)),
        ),
      ),
    ),
    after(timeoutSeconds * 1000, () => {
      isLate = true;
      endProcessGroup(child.pid, 'SIGKILL');
    }),
  ];
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', stderr);
  const failure = await new Promise<string | undefined>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) =>
      resolve(code === 0 ? undefined : signal ? `was stopped by ${signal}` : `failed with exit code ${code}`),
    );
  }).finally(() => {
    stopListening();
    for (const cancel of cancels) cancel();
  });
  if (isLate) {
    throw new FieldwiseError('program-failed', 'usage', `The program \`${app}\` was not over after ${timeoutSeconds} s, and was ended`, {
      next: timedOutNext,
    });
  }
  if (failure !== undefined) {
    throw new FieldwiseError('program-failed', 'usage', `The program \`${app}\` ${failure}`, { next: 'See its output above.' });
  }
  if (existsSync(path.join(outdir, manifestName))) return;
  const { usesCdk8sApp, cdk8sAppPointer } = await import('./uses-cdk8s-app.js');
  const files = wordsOf(app).map((word) => path.resolve(cwd, word));
  throw new FieldwiseError('program-without-assembly', 'usage', `The program \`${app}\` succeeded but did not write an assembly`, {
    next: usesCdk8sApp(files) ? cdk8sAppPointer : 'Call `app.synth()` at the end of the program; the App knows the directory to write to.',
  });
}

function wordsOf(app: string): readonly string[] {
  return app.split(/\s+/).map((word) => word.replace(/^["']|["']$/g, ''));
}

function isProgram(word: string, cwd: string): boolean {
  return /\.[cm]?tsx?$/.test(word) && existsSync(path.resolve(cwd, word));
}

const terminationSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Handles the first signal only; the next one then ends the process. */
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
