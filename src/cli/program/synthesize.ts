import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Assembly, Manifest } from '../../assembly/types.js';
import { after } from '../../util/after.js';
import { FieldwiseError } from '../../util/error.js';
import type { Codes } from '../../util/error-codes.js';
import { checkInstance, requireEnvironment } from '../config/chosen-instance.js';
import type { Config, ConfigFlags } from '../config/config.js';
import type { OwnProcess } from '../process/own-process.js';
import { growHeapSlowly } from '../process/v8-flags.js';

/** The output and input of a command. */
export interface SynthHost {
  stdout(text: string): void;
  stderr(text: string): void;
  /** Writes text unchanged: the output of the program, and YAML. */
  readonly raw?: { stdout(text: string): void; stderr(text: string): void };
  data?(text: string): void;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Runs work that cannot be stopped halfway: meanwhile, a signal ends the process at once. */
  interruptible?<Result>(work: () => Promise<Result>): Promise<Result>;
  /**
   * Standard input.
   *
   * @default that of the process
   */
  readonly stdin?: AsyncIterable<Uint8Array>;
  /** Absent where other work shares the process, as in tests. */
  readonly ownProcess?: OwnProcess;
  /**
   * Calls back after a time, without keeping the process alive for it; returns a function that cancels it.
   *
   * @default by the clock of the process
   */
  after?(milliseconds: number, callback: () => void): () => void;
}

export interface SynthesizeOptions {
  readonly host: Pick<SynthHost, 'stderr' | 'raw' | 'cwd' | 'env' | 'interruptible' | 'stdin' | 'ownProcess' | 'after'>;
  readonly flags?: ConfigFlags;
  /** The configuration, if the caller has already loaded it; `flags` are then ignored. */
  readonly config?: Config;
}

/**
 * Runs the configured program, publishes its assembly in the output directory and returns it. If `-a` names a finished assembly, returns
 * that one. Commands that run at the same time each get the assembly of their own program. The assembly of documents is not written.
 *
 * @throws FieldwiseError `app-not-configured`, and those of `loadConfig`, `loadProgram`, `readAssembly` and `synthesizeDocuments`.
 */
export async function synthesize(options: SynthesizeOptions): Promise<Assembly> {
  const config = await configOf(options);
  if (config.documents) {
    const { documents } = config;
    checkEnvironment(config, options.host);
    const { synthesizeDocuments } = await import('./synthesize-documents.js');
    return interruptibly(options.host, () => synthesizeDocuments(documents, config, options.host));
  }
  return (await runProgram(config, options.host)).assembly;
}

/** Returns the configuration of a command. */
export async function configOf({ config, flags = {}, host }: SynthesizeOptions): Promise<Config> {
  if (config) return config;
  const { loadConfig } = await import('../config/config.js');
  return loadConfig({ cwd: host.cwd, env: host.env, flags });
}

type UseAssembly = (directory: string, assembly: Assembly) => Promise<void>;

/**
 * Runs the program with a private directory and reads the assembly there, so that no other process can change it. Then moves the assembly
 * to the output directory, or passes the private directory to `use`.
 */
export async function runProgram(
  config: Config,
  host: SynthesizeOptions['host'],
  use?: UseAssembly,
): Promise<{ assembly: Assembly; directory: string }> {
  checkEnvironment(config, host);
  const app = config.documents === undefined ? await appOf(config, host) : undefined;
  const [{ isFinishedAssembly }, { readAssembly }, { openDraft }] = await Promise.all([
    import('./load-program.js'),
    import('../../assembly/read.js'),
    import('../../assembly/draft.js'),
  ]);
  if (app !== undefined && isFinishedAssembly(app)) {
    if (config.cluster !== 'embedded') growHeapSlowly(); // No program runs.
    const assembly = await readAssembly(app);
    checkInstance(config, assembly.manifest, app);
    await use?.(app, assembly);
    return { assembly, directory: app };
  }
  const draft = openDraft(use ? path.join(tmpdir(), 'fieldwise') : config.output);
  try {
    await interruptibly(host, () => writeTo(draft.directory, app, config, host));
    const assembly = await readAssembly(draft.directory);
    checkInstance(config, assembly.manifest);
    if (use) await use(draft.directory, assembly);
    else draft.publish();
    return { assembly, directory: config.output };
  } finally {
    draft.discard();
  }
}

/** @throws FieldwiseError `environment-missing`. */
function checkEnvironment(config: Config, { stderr }: SynthesizeOptions['host']): void {
  requireEnvironment(config);
  for (const key of config.overridden) stderr(overriddenText(config, key));
}

/**
 * Returns the configured program, else `app` of cdk8s.yaml.
 *
 * @throws FieldwiseError `app-not-configured`, `config-invalid`.
 */
async function appOf({ app, directory }: Config, { stderr }: SynthesizeOptions['host']): Promise<string> {
  if (app !== undefined) return app;
  const { cdk8sApp, cdk8sFileName } = await import('./cdk8s-app.js');
  const found = await cdk8sApp(directory);
  if (found === undefined) {
    throw new FieldwiseError('app-not-configured', 'usage', 'No program is configured', {
      next: 'Pass `-a main.ts`, or set `app: main.ts` in fieldwise.yaml. To deploy documents without a program, pass `-f PATH --stack NAME`; destroy and owners need only `--stack NAME`.',
    });
  }
  stderr(`The program is \`app\` of ${cdk8sFileName}: ${found}\n`);
  return found;
}

const overriddenCode = 'environment-overridden' satisfies keyof Codes;

function overriddenText({ environment }: Config, key: string): string {
  const variable = `FIELDWISE_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
  return `warning: the environment variable ${variable} replaces \`${key}\` of the environment ${environment}. [${overriddenCode}]\n`;
}

/** Writes the assembly of the documents or of the program to a directory. */
async function writeTo(outdir: string, app: string | undefined, config: Config, host: SynthesizeOptions['host']): Promise<void> {
  const { documents, directory: cwd } = config;
  if (documents === undefined) {
    const { loadProgram } = await import('./load-program.js');
    const run = {
      timeoutSeconds: config.programTimeout,
      after: host.after ?? after,
      own: host.ownProcess,
      stderr: (host.raw ?? host).stderr,
    };
    return loadProgram({ ...config, ...run, app: app as string, cwd, outdir, env: host.env });
  }
  const [{ documentAssemblyFiles }, { writeAssembly }] = await Promise.all([
    import('./synthesize-documents.js'),
    import('../../assembly/write.js'),
  ]);
  writeAssembly(outdir, await documentAssemblyFiles(documents, config, host));
}

function interruptibly<Result>(host: SynthesizeOptions['host'], work: () => Promise<Result>): Promise<Result> {
  return host.interruptible?.(work) ?? work();
}

/** Returns the number of objects of an assembly. */
export function objectsIn({ stacks }: Manifest): number {
  return stacks.reduce((sum, { intents }) => sum + intents.length, 0);
}
