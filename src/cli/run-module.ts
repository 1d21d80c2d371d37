import { pathToFileURL } from 'node:url';
import { clearApps, registeredApps } from '../app/app-root.js';
import { errorSource } from '../app/source-position.js';
import { type ErrorKind, type ErrorLocation, FieldwiseError } from '../util/error.js';
import type { ProgramOptions } from './program-options.js';

/**
 * Runs a program file in this process and writes the assembly of its app, unless the program did so itself.
 *
 * @throws FieldwiseError see `loadProgram`.
 */
export async function runModule(options: ProgramOptions, environment: Readonly<Record<string, string | undefined>>): Promise<void> {
  const restoreEnvironment = setEnvironment(environment);
  const restoreOutput = redirectOutput(options.stderr);
  clearApps();
  try {
    const { createJiti } = await import('jiti');
    const jiti = createJiti(pathToFileURL(options.app).href, { moduleCache: false });
    await jiti.import(options.app);
    const [app, ...others] = registeredApps();
    if (!app) {
      throw new FieldwiseError('program-without-app', 'usage', 'The program makes no App', {
        location: { file: options.app },
        next: "Make one with `new App({ name: '…' })` of fieldwise before the program's module ends (top-level await is fine).",
      });
    }
    if (others.length > 0) {
      const names = [app, ...others].map(({ name }) => name ?? '(without name)').join(', ');
      throw new FieldwiseError('program-with-several-apps', 'usage', `The program makes ${others.length + 1} Apps: ${names}`, {
        location: { file: options.app },
        next: 'One assembly holds one App: make one with several stacks, or a program for each.',
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
  if (error instanceof FieldwiseError) return error;
  if (error instanceof Error && error.name === 'FieldwiseError') return fromOtherCopy(error);
  const what = error instanceof Error ? (error.message.split('\n')[0] ?? '').trim() : String(error);
  const name = error instanceof Error && error.name !== 'Error' ? `${error.name}: ` : '';
  const source = error instanceof Error ? errorSource(error) : undefined;
  return new FieldwiseError('program-failed', 'usage', `The program failed: ${name}${what}`, {
    location: source === undefined ? { file: app } : { source },
    cause: error,
  });
}

/** The program may use an installed copy of Fieldwise that is not this one. */
function fromOtherCopy(error: Error): FieldwiseError {
  const { code, kind, place, next } = error as Error & { code: string; kind: ErrorKind; place: ErrorLocation; next?: string };
  return new FieldwiseError(code, kind, error.message, { location: place, ...(next === undefined ? {} : { next }), cause: error.cause });
}

function setEnvironment(environment: Readonly<Record<string, string | undefined>>): () => void {
  const before = Object.keys(environment).map((name) => [name, process.env[name]] as const);
  const set = (name: string, value: string | undefined) => {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  };
  for (const [name, value] of Object.entries(environment)) set(name, value);
  return () => {
    for (const [name, value] of before) set(name, value);
  };
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
