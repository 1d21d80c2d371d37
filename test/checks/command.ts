import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Outcome {
  readonly code: number;
  readonly output: string;
}

/** Runs a program and collects its output; a check prints it only on failure. */
export function run(file: string, args: readonly string[], cwd: string, environment: NodeJS.ProcessEnv = process.env): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? 1, output: output.trim() }));
  });
}

/** Runs a program of node_modules/.bin. */
export function runTool(name: string, args: readonly string[], cwd = root, environment?: NodeJS.ProcessEnv): Promise<Outcome> {
  return run(`${root}/node_modules/.bin/${name}`, args, cwd, environment);
}
