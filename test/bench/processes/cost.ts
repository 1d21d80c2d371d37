import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** The cost of a process and of the processes that it waited for. */
export interface Cost {
  /** On the clock. */
  readonly seconds: number;
  /** Seconds of CPU, of the user and of the system. */
  readonly cpu: number;
  /** The peak of resident memory, in bytes. */
  readonly peak: number;
}

/** A command to be measured. */
export interface Command {
  readonly file: string;
  readonly words: readonly string[];
  /** Exit codes that are no failure (default: 0). */
  readonly accepted?: readonly number[];
}

/** A directory to run in, which is also the home, and the cluster. */
export interface Surroundings {
  readonly directory: string;
  readonly kubeconfig: string;
  /** The directory of the program that measures. */
  readonly binaries: string;
}

/** Runs a command as a process of its own. @throws Error with the end of what it printed where it fails. */
export async function costOf({ file, words, accepted = [0] }: Command, { directory, kubeconfig, binaries }: Surroundings): Promise<Cost> {
  const result = path.join(directory, 'cost.json');
  const child = spawn(path.join(binaries, 'measure'), [result, file, ...words], {
    cwd: directory,
    env: { PATH: process.env.PATH, HOME: directory, KUBECONFIG: kubeconfig },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let end = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (end = (end + chunk).slice(-2000)));
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (code === null || !accepted.includes(code)) throw new Error(`${path.basename(file)} ${words.join(' ')} ended with ${code}: ${end}`);
  return JSON.parse(await readFile(result, 'utf8')) as Cost;
}
