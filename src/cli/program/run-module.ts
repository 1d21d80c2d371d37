import { clearApps, registeredApps } from '../../app/registered-apps.js';
import { errorSource } from '../../app/source-position.js';
import { expectAssembly } from '../../assembly/written-here.js';
import { type ErrorArguments, FieldwiseError } from '../../util/error.js';
import { importModule } from './import-module.js';
import type { ProgramOptions } from './program-options.js';
import { setEnvironment } from './set-environment.js';

/**
 * Runs a program file in this process, and writes the assembly of its app unless the program has written it.
 *
 * @throws FieldwiseError see `loadProgram`.
 */
export async function runModule(options: ProgramOptions, environment: Readonly<Record<string, string | undefined>>): Promise<void> {
  const restoreEnvironment = setEnvironment(environment);
  const restoreOutput = redirectOutput(options.stderr);
  clearApps();
  expectAssembly(options.outdir);
  try {
    await importModule(options.app);
    const [app, ...others] = registeredApps();
    if (!app) {
      const { usesCdk8sApp, cdk8sAppPointer } = await import('./uses-cdk8s-app.js');
      const isCdk8s = usesCdk8sApp([options.app]);
      throw new FieldwiseError('program-without-app', 'usage', `The program creates no App${isCdk8s ? ' of Fieldwise' : ''}`, {
        location: { file: options.app },
        next: isCdk8s
          ? cdk8sAppPointer
          : "Create one with `new App({ name: '…' })` from fieldwise before the module ends; top-level await is allowed.",
      });
    }
    if (others.length > 0) {
      const names = [app, ...others].map(({ name }) => name ?? '(without a name)').join(', ');
      throw new FieldwiseError('program-with-several-apps', 'usage', `The program creates ${others.length + 1} Apps: ${names}`, {
        location: { file: options.app },
        next: 'An assembly contains one App: create one App with several stacks, or one program per App.',
      });
    }
    if (!app.isWritten) app.synth();
  } catch (error) {
    throw asFieldwiseError(error, options.app);
  } finally {
    clearApps();
    restoreOutput();
    restoreEnvironment();
  }
}

function asFieldwiseError(error: unknown, app: string): FieldwiseError {
  if (error instanceof FieldwiseError) return withSource(error, error);
  if (error instanceof Error && error.name === 'FieldwiseError') return withSource(fromOtherCopy(error), error);
  const what = error instanceof Error ? (error.message.split('\n')[0] ?? '').trim() : String(error);
  const name = error instanceof Error && error.name !== 'Error' ? `${error.name}: ` : '';
  const source = error instanceof Error ? errorSource(error) : undefined;
  return new FieldwiseError('program-failed', 'usage', `The program failed: ${name}${what}`, {
    location: source === undefined ? { file: app } : { source },
    cause: error,
  });
}

/** Adds the line of the program that called `build()`, unless the error names one. `thrown` has the stack. */
function withSource(error: FieldwiseError, thrown: Error): FieldwiseError {
  const { code, kind, message, location, next, cause } = error;
  if (code !== 'intent-invalid' || location.source !== undefined) return error;
  const source = errorSource(thrown);
  if (source === undefined) return error;
  return new FieldwiseError(
    ...([code, kind, message, { location: { ...location, source }, ...(next === undefined ? {} : { next }), cause }] as ErrorArguments),
  );
}

/** Converts an error of another installed copy of Fieldwise, which the program may use. */
function fromOtherCopy(error: Error): FieldwiseError {
  const { code, kind, message, location, next, cause } = error as FieldwiseError;
  // The other copy decided which kind its code has.
  return new FieldwiseError(...([code, kind, message, { location, ...(next === undefined ? {} : { next }), cause }] as ErrorArguments));
}

function redirectOutput(stderr: (text: string) => void): () => void {
  const { write } = process.stdout;
  process.stdout.write = ((chunk: string | Uint8Array, ...rest: readonly unknown[]) => {
    stderr(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'));
    const done = rest.find((argument) => typeof argument === 'function') as (() => void) | undefined;
    done?.();
    return true;
  }) as typeof write;
  return () => {
    process.stdout.write = write;
  };
}
