import { clearApps, type RegisteredApp, registeredApps } from '../../app/registered-apps.js';
import { watchRoots } from '../../app/watch-roots.js';
import { expectAssembly } from '../../assembly/written-here.js';
import { FieldwiseError } from '../../util/error.js';
import { importModule } from './import-module.js';
import { programFailed } from './program-error.js';
import type { ProgramOptions } from './program-options.js';
import { runAsProcess } from './program-process.js';
import { setEnvironment } from './set-environment.js';
import { waitingAdvice } from './waiting-texts.js';

/**
 * Runs a program file in this process until it is over, and writes the assembly of its app unless the program has written it.
 *
 * @throws FieldwiseError see `loadProgram`.
 */
export async function runModule(options: ProgramOptions, environment: Readonly<Record<string, string | undefined>>): Promise<void> {
  const { app: file, own } = options;
  const restoreEnvironment = setEnvironment(environment);
  clearApps();
  watchRoots();
  expectAssembly(options.outdir);
  let late: FieldwiseError | undefined;
  const onLate = (error: FieldwiseError) => {
    if (late === undefined) late = error;
    own?.failedLate(error);
  };
  try {
    const { exit } = await runAsProcess({
      ...options,
      file,
      load: () => importModule(file),
      until: 'over',
      onOver: (exited) => {
        const [app, ...others] = registeredApps();
        if (!exited && app && others.length === 0 && !app.isWritten) app.synth();
        for (const one of registeredApps()) one.close?.(onLate);
      },
      advice: () => (registeredApps().some(({ isWritten }) => isWritten) ? writtenAdvice : waitingAdvice),
    });
    const app = await onlyApp(file);
    if (exit && !app.isWritten) {
      throw programFailed('The program called process.exit(0) before `synth()`', file, {
        source: exit.source,
        next: 'Call `app.synth()` before it, after all declarations. Nothing was changed.',
      });
    }
    app.checkWritten?.();
    if (late) throw late;
  } finally {
    for (const app of registeredApps()) app.seal?.();
    clearApps();
    restoreEnvironment();
  }
}

const writtenAdvice = `It has called \`synth()\`, and may declare more: \`process.exit(0)\` after the last \`synth()\` ends it. ${waitingAdvice}`;

/** @throws FieldwiseError `program-without-app`, `program-with-several-apps`. */
async function onlyApp(file: string): Promise<RegisteredApp> {
  const [app, ...others] = registeredApps();
  if (!app) {
    const { usesCdk8sApp, cdk8sAppPointer } = await import('./uses-cdk8s-app.js');
    const isCdk8s = usesCdk8sApp([file]);
    throw new FieldwiseError('program-without-app', 'usage', `The program creates no App${isCdk8s ? ' of Fieldwise' : ''}`, {
      location: { file },
      next: isCdk8s ? cdk8sAppPointer : "Create one with `new App({ name: '…' })` from fieldwise.",
    });
  }
  if (others.length > 0) {
    const names = [app, ...others].map(({ name }) => name ?? '(without a name)').join(', ');
    throw new FieldwiseError('program-with-several-apps', 'usage', `The program creates ${others.length + 1} Apps: ${names}`, {
      location: { file },
      next: 'An assembly contains one App: create one App with several stacks, or one program per App.',
    });
  }
  return app;
}
