import { AsyncLocalStorage } from 'node:async_hooks';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { runCli } from '../../lib/src/cli/run-cli.js';
import { environmentOf, type RunOptions, type RunResult, resultOf } from './fieldwise.js';

/** What a command sees of its process. */
interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

const surroundings = new AsyncLocalStorage<Surroundings>();
const real = { env: process.env, cwd: process.cwd };
let running = 0;
let programs = Promise.resolve();

/**
 * Runs the built command line in this process: a start of it costs twenty times what most commands do. The command and its program see an
 * environment and a directory of their own. What a process alone can do (be killed, exit, be at a terminal) is for `fieldwise`.
 */
export async function inProcess(args: readonly string[], options: Omit<RunOptions, 'signal'>): Promise<RunResult> {
  const own: Surroundings = { env: environmentOf(options), cwd: options.cwd };
  let stdout = '';
  let stderr = '';
  let output = '';
  if (running++ === 0) surround();
  try {
    const exitCode = await surroundings.run(own, () =>
      builtCommandLine()(args, {
        stdout: (text) => {
          stdout += text;
          output += text;
        },
        stderr: (text) => {
          stderr += text;
          output += text;
        },
        ...own,
        stdin: Readable.from(options.stdin === undefined ? [] : [Buffer.from(options.stdin)]),
        interactive: false,
        color: false,
        colorsMessages: false,
        signal: new AbortController().signal,
        interruptible: (load) => oneByOne(() => inDirectory(own.cwd, load)),
      }),
    );
    return resultOf(args, { exitCode, stdout, stderr, output });
  } finally {
    if (--running === 0) Object.assign(process, real);
  }
}

/** The one of the bundle: what users start, but for its first file. */
function builtCommandLine(): typeof runCli {
  const chunks = fileURLToPath(new URL('../../lib/src/chunks/', import.meta.url));
  const [file] = readdirSync(chunks).filter((name) => name.startsWith('command-line-'));
  const exported: Readonly<Record<string, unknown>> = createRequire(import.meta.url)(`${chunks}${file}`);
  return Object.values(exported).find((value) => typeof value === 'function' && value.name === 'runCli') as typeof runCli;
}

/** Whoever asks for environment or directory of the process gets those of the command that asks. */
function surround(): void {
  const env = () => surroundings.getStore()?.env ?? real.env;
  process.env = new Proxy(real.env, {
    get: (_, name) => Reflect.get(env(), name),
    set: (_, name, value) => Reflect.set(env(), name, String(value)),
    has: (_, name) => Reflect.has(env(), name),
    deleteProperty: (_, name) => Reflect.deleteProperty(env(), name),
    ownKeys: () => Reflect.ownKeys(env()),
    getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(env(), name),
  });
  process.cwd = () => surroundings.getStore()?.cwd ?? real.cwd();
}

/** Programs share the apps of the process and its standard output: one runs at a time. */
function oneByOne<Result>(load: () => Promise<Result>): Promise<Result> {
  const result = programs.then(load);
  programs = result.then(
    () => {},
    () => {},
  );
  return result;
}

/** Files that the program opens by a relative path are those of its directory. */
async function inDirectory<Result>(directory: string, load: () => Promise<Result>): Promise<Result> {
  const before = real.cwd.call(process);
  process.chdir(directory);
  try {
    return await load();
  } finally {
    process.chdir(before);
  }
}
