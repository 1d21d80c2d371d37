import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';
import { FieldwiseError } from '../util/error.js';
import type { ProgramOptions } from './program.js';

/**
 * Runs a program as a command line through the shell; it finds the output directory in its environment.
 *
 * @throws FieldwiseError see `loadProgram`.
 */
export async function runCommand(options: ProgramOptions, environment: Readonly<Record<string, string | undefined>>): Promise<void> {
  const { app, cwd, outdir, env, stderr } = options;
  const before = stampOf(outdir);
  const child = spawn(app, { shell: true, cwd, env: { ...env, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', stderr);
  const end = await new Promise<string | undefined>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) =>
      resolve(code === 0 ? undefined : signal ? `was ended by ${signal}` : `ended with exit code ${code}`),
    );
  });
  if (end !== undefined) {
    throw new FieldwiseError('program-failed', 'usage', `The program \`${app}\` ${end}`, { next: 'See what it printed above.' });
  }
  if (stampOf(outdir) !== before) return;
  throw new FieldwiseError('program-without-assembly', 'usage', `The program \`${app}\` ended well and wrote no assembly`, {
    place: { file: outdir },
    next: 'A program that runs as a command calls `app.synth()` at its end.',
  });
}

/** Changes whenever an assembly is written, even the same one: it comes in a new directory. */
function stampOf(outdir: string): string | undefined {
  const stats = statSync(path.join(outdir, 'manifest.json'), { throwIfNoEntry: false, bigint: true });
  return stats && `${stats.dev} ${stats.ino} ${stats.mtimeNs}`;
}
