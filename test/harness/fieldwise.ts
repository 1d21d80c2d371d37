import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ResponseBody } from './api-client.js';
import { requirePrintedAsDescribed } from './json-lines.js';

const checkout = fileURLToPath(new URL('../..', import.meta.url));

/** The command line as users start it: the built one. */
export const commandLine = `${checkout}/lib/src/cli/main.cjs`;

export interface RunOptions {
  readonly cwd: string;
  readonly kubeconfig?: string | undefined;
  readonly environment?: Readonly<Record<string, string>>;
  /** The text of standard input; empty by default. */
  readonly stdin?: string | undefined;
  /** Kills the process, without a chance to clean up, when it aborts. */
  readonly signal?: AbortSignal;
  /** Receives the process when it has been started. */
  readonly onStart?: (child: ChildProcess) => void;
}

export interface RunResult {
  /** -1 where it was killed. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Both, in the order in which they were read, as a terminal shows them. */
  readonly output: string;
  /** With `-o json`: the events of stdout. */
  readonly events: readonly ResponseBody[];
}

/** Runs `fieldwise` as a user would: a process of its own, without a terminal, without this machine's configuration. */
export function fieldwise(args: readonly string[], options: RunOptions): Promise<RunResult> {
  const { cwd, signal, onStart } = options;
  const child = spawn(process.execPath, [commandLine, ...args], { cwd, env: environmentOf(options), stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.on('error', () => {}); // a command that reads no input may end before it is written
  child.stdin.end(options.stdin ?? '');
  signal?.addEventListener('abort', () => child.kill('SIGKILL'), { once: true });
  onStart?.(child);
  let stdout = '';
  let stderr = '';
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    output += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      try {
        resolve(resultOf(args, { exitCode: code ?? -1, stdout, stderr, output }));
      } catch (error) {
        reject(error);
      }
    });
  });
}

/** A command whose output a test reads, and stops reading. */
export interface PipedRun {
  readonly firstLine: Promise<string>;
  closeOutput(): void;
  /** -1 where it was killed. */
  readonly exitCode: Promise<number>;
}

/** Runs `fieldwise` as a process of its own, and returns before it ends. */
export function piped(args: readonly string[], options: RunOptions): PipedRun {
  const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore'];
  const child = spawn(process.execPath, [commandLine, ...args], { cwd: options.cwd, env: environmentOf(options), stdio });
  const firstLine = new Promise<string>((resolve) => {
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
  });
  const exitCode = new Promise<number>((resolve, reject) => child.on('error', reject).on('exit', (code) => resolve(code ?? -1)));
  return { firstLine, exitCode, closeOutput: () => child.stdout.destroy() };
}

/** Nothing of this machine's configuration. */
export function environmentOf({ cwd, kubeconfig, environment }: RunOptions): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: cwd,
    XDG_CONFIG_HOME: cwd,
    NO_COLOR: '1',
    ...(kubeconfig === undefined ? {} : { KUBECONFIG: kubeconfig }),
    ...environment,
  };
}

/** With the events of `-o json` read, which are as the schema of the command says. */
export function resultOf(args: readonly string[], output: Omit<RunResult, 'events'>): RunResult {
  const lines = output.stdout.split('\n').filter((line) => line.startsWith('{"event"'));
  const events: readonly ResponseBody[] = lines.map((line) => JSON.parse(line));
  for (const event of events) requirePrintedAsDescribed(args, event);
  return { ...output, events };
}
