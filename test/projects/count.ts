import { spawnSync } from 'node:child_process';

/** A command in a directory. */
export interface Step {
  readonly name: string;
  readonly directory: string;
  readonly words: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Checks the output; returns what is wrong. */
  readonly check?: (output: string) => string | undefined;
  /** @default 0 */
  readonly code?: number;
}

/** Runs steps, and counts those that passed. */
export class Count {
  passed = 0;
  failed = 0;

  constructor(private readonly show: boolean) {}

  /** Returns true if the step passed. */
  run({ name, directory, words, environment = {}, check, code = 0 }: Step): boolean {
    const started = Date.now();
    const [file = '', ...rest] = words;
    const env = { ...process.env, CI: 'true', NO_COLOR: '1', ...environment };
    const { status, stdout, stderr } = spawnSync(file, rest, {
      cwd: directory,
      env,
      encoding: 'utf8',
      timeout: 600_000,
      maxBuffer: 1 << 28,
    });
    const output = `${stdout}${stderr}`;
    const problem = status === code ? check?.(output) : `exit code ${status}, not ${code}`;
    this.note(name, problem, started);
    if (problem !== undefined || this.show) process.stdout.write(`${output.replaceAll(/^/gm, '  | ')}\n`);
    return problem === undefined;
  }

  note(name: string, problem: string | undefined, started: number): void {
    if (problem === undefined) this.passed += 1;
    else this.failed += 1;
    const seconds = ((Date.now() - started) / 1000).toFixed(1);
    process.stdout.write(problem === undefined ? `ok     ${name} (${seconds} s)\n` : `FAILED ${name} (${seconds} s): ${problem}\n`);
  }
}
