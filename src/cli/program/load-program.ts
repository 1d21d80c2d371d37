import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { manifestName } from '../../assembly/manifest-name.js';
import { FieldwiseError } from '../../util/error.js';
import { programEnvironment } from './program-environment.js';
import type { ProgramOptions } from './program-options.js';

/**
 * Returns true if `app` is the directory of a finished assembly, which is used unchanged.
 *
 * @throws FieldwiseError `program-not-found` if it is another directory.
 */
export function isFinishedAssembly(app: string): boolean {
  if (!path.isAbsolute(app) || !statSync(app, { throwIfNoEntry: false })?.isDirectory()) return false;
  if (existsSync(path.join(app, manifestName))) return true;
  throw new FieldwiseError('program-not-found', 'usage', 'The directory that is configured as `app` does not contain an assembly', {
    location: { file: app },
    next: 'Pass a program file, a command that runs it, or a directory that `fieldwise synth` wrote.',
  });
}

/**
 * Runs a program, which writes its assembly.
 *
 * @throws FieldwiseError `program-not-found`, `program-failed` (the program's own error is its cause), `program-without-app`,
 * `program-with-several-apps`, `program-without-assembly`, and the errors of synth.
 */
export async function loadProgram(options: ProgramOptions): Promise<void> {
  const { app } = options;
  const stats = path.isAbsolute(app) ? statSync(app, { throwIfNoEntry: false }) : undefined;
  const isModule = /\.[cm]?[jt]sx?$/.test(app);
  if (stats && isModule) {
    const { runModule } = await import('./run-module.js');
    await runModule(options, programEnvironment(options));
  } else if (isModule && !/\s/.test(app)) {
    throw new FieldwiseError('program-not-found', 'usage', 'The program does not exist', {
      location: { file: app },
      next: 'Correct `-a`, or `app` in fieldwise.yaml.',
    });
  } else {
    const { runCommand } = await import('./run-command.js');
    await runCommand(options, programEnvironment(options));
  }
}
