import type { ChildProcess } from 'node:child_process';
import { type Dirent, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Manifest } from '../../src/assembly/index.js';
import type { ObjectReport, Outcome, RunSummary } from '../../src/deploy/index.js';
import { eventsOf } from './events.js';
import { fieldwise, type PipedRun, piped, type RunOptions, type RunResult } from './fieldwise.js';
import { deployAsPlanned, plansOnForks } from './forked-plan.js';
import { atTerminal, type TerminalRun } from './terminal.js';

const checkout = fileURLToPath(new URL('../..', import.meta.url));

export interface ProjectOptions {
  readonly kubeconfig?: string | undefined;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface ProjectRunOptions extends ProjectOptions {
  /** The text of standard input. */
  readonly stdin?: string;
  /** Directory below the project's, for examples with several programs. */
  readonly in?: string;
  /** Runs it in a process of its own, as a user would: for what only a process has, such as its end. */
  readonly asProcess?: boolean;
  /** Kills the process when it aborts; implies `asProcess`. */
  readonly signal?: AbortSignal;
  /** Receives the process when it has been started; with `asProcess`. */
  readonly onStart?: (child: ChildProcess) => void;
}

/** A user's project: a directory with a program, in which commands run. The test environment that made it removes it. */
export class Project {
  readonly directory: string;

  constructor(
    files: Readonly<Record<string, string>>,
    private readonly options: ProjectOptions,
  ) {
    this.directory = mkdtempSync(join(tmpdir(), 'fieldwise-project-'));
    mkdirSync(join(this.directory, 'node_modules'));
    symlinkSync(checkout, join(this.directory, 'node_modules', 'fieldwise'));
    for (const peer of ['cdk8s', 'constructs'])
      symlinkSync(join(checkout, 'node_modules', peer), join(this.directory, 'node_modules', peer));
    this.write(files);
  }

  /** Replaces or adds files: the user edits the program. */
  write(files: Readonly<Record<string, string>>): void {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(this.directory, path)), { recursive: true });
      writeFileSync(join(this.directory, path), content);
    }
  }

  read(path: string): string {
    return readFileSync(join(this.directory, path), 'utf8');
  }

  /** Names what is in a directory and below it. Links are named and not followed: to an installed package, say, in which others work. */
  files(below: string): string[] {
    const entries = readdirSync(join(this.directory, below), { withFileTypes: true });
    const inside = (entry: Dirent) =>
      entry.isDirectory() ? this.files(join(below, entry.name)).map((name) => join(entry.name, name)) : [];
    return entries.flatMap((entry) => [entry.name, ...inside(entry)]).sort();
  }

  /** Runs a command: in this process, unless the process is what matters. */
  async run(args: readonly string[], options: ProjectRunOptions = {}): Promise<RunResult> {
    if (plansOnForks && args[0] === 'deploy') {
      const { asProcess } = options;
      const run = (others: readonly string[], { kubeconfig }: RunOptions) =>
        this.#run(others, { ...options, kubeconfig, ...(asProcess ? { asProcess } : {}) });
      return deployAsPlanned(run, args, this.#runOptions(options));
    }
    return this.#run(args, options);
  }

  async #run(args: readonly string[], options: ProjectRunOptions): Promise<RunResult> {
    const asProcess = options.asProcess || options.signal !== undefined || process.env.FIELDWISE_TEST_PROCESSES;
    if (asProcess) return fieldwise(options.signal ? await this.#synthesizedFirst(args, options) : args, this.#runOptions(options));
    const { inProcess } = await import('./in-process.js'); // some projects run processes alone, and need no command line here
    return inProcess(args, this.#runOptions(options));
  }

  /** A deploy that is killed works on the finished assembly: a process that loads the program first costs twice as much. */
  async #synthesizedFirst(args: readonly string[], { signal: _, ...options }: ProjectRunOptions): Promise<readonly string[]> {
    if (args[0] !== 'deploy' || args.includes('-a')) return args;
    const { exitCode, stderr } = await this.run(['synth'], options);
    if (exitCode !== 0) throw new Error(`synth ended with ${exitCode}: ${stderr}`);
    return [...args, '-a', 'dist'];
  }

  /** Runs a command as a process whose reader may go away, such as `head -1`. */
  runPiped(args: readonly string[]): PipedRun {
    return piped(args, this.#runOptions({}));
  }

  /** Runs a command at a terminal, where a person presses the next of `keys` at each question. */
  runAtTerminal(args: readonly string[], keys: readonly string[], options: ProjectRunOptions = {}): Promise<TerminalRun> {
    return atTerminal(args, keys, this.#runOptions(options));
  }

  #runOptions(options: ProjectRunOptions): RunOptions {
    return {
      cwd: join(this.directory, options.in ?? '.'),
      ...(options.signal ? { signal: options.signal } : {}),
      ...(options.onStart ? { onStart: options.onStart } : {}),
      stdin: options.stdin,
      kubeconfig: options.kubeconfig ?? this.options.kubeconfig,
      environment: { ...this.options.environment, ...options.environment },
    };
  }

  /** Deploys with `-o json`; what the report says of each object. */
  async deploy(args: readonly string[] = [], options: ProjectRunOptions = {}): Promise<Report> {
    return new Report(await this.run(['deploy', '-o', 'json', ...args], options));
  }

  async destroy(args: readonly string[] = [], options: ProjectRunOptions = {}): Promise<Report> {
    return new Report(await this.run(['destroy', '-o', 'json', '--yes', ...args], options));
  }

  /** The field manager of a stack of the last synth or deploy. */
  manager(stack: string, below = '.'): string {
    const manifest: Manifest = JSON.parse(this.read(join(below, 'dist/manifest.json')));
    const found = manifest.stacks.find(({ name }) => name === stack);
    if (found === undefined) throw new Error(`the assembly has no stack ${stack}`);
    return found.manager;
  }
}

/** A finished deploy or destroy. */
export class Report {
  readonly exitCode: number;
  readonly stderr: string;
  readonly objects: readonly ObjectReport[];
  readonly summary: RunSummary;

  constructor(readonly result: RunResult) {
    this.exitCode = result.exitCode;
    this.stderr = result.stderr;
    this.objects = eventsOf(result.events, 'object');
    this.summary = eventsOf(result.events, 'summary')[0] as RunSummary;
  }

  /** What became of each object: `{ 'Service default/web': 'created' }`. */
  get results(): Record<string, Outcome> {
    return Object.fromEntries(this.objects.map(({ object, result }) => [object, result]));
  }

  /** What became of the only object, or of the one of that kind or name. */
  only(word = ''): ObjectReport {
    const found = this.objects.filter(({ object }) => object.split(/[ /]/).includes(word) || word === '');
    if (found.length !== 1) throw new Error(`${found.length} objects for "${word}" in the report:\n${this}`);
    return found[0] as ObjectReport;
  }

  toString(): string {
    return `exit code ${this.exitCode}\n${this.result.stdout}${this.stderr}`;
  }
}
