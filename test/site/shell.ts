import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface ShellOptions {
  readonly cwd: string;
  /** `export` adds to it. */
  readonly environment: Record<string, string>;
}

/** Runs a line of a shell; what it exports is there for the next one. */
export async function runShell(line: string, { cwd, environment }: ShellOptions): Promise<{ exitCode: number; output: string }> {
  const exported = /^export (\w+)=/.exec(line)?.[1];
  const script = exported === undefined ? line : `${line}; printf %s "$${exported}"`;
  const child = spawn('bash', ['-c', script], {
    cwd,
    env: { HOME: cwd, NO_COLOR: '1', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const exitCode = await new Promise<number>((done, reject) => child.on('error', reject).on('exit', (code) => done(code ?? -1)));
  if (exported === undefined) return { exitCode, output };
  environment[exported] = output;
  return { exitCode, output: '' };
}

/** Writes `npx` and `npm` that know the checkout's tools, and need no network. */
export function writeShims(directory: string, checkout: string): void {
  mkdirSync(directory);
  const cli = `exec '${process.execPath}' '${checkout}lib/src/cli/main.cjs'`;
  const scripts = {
    fieldwise: `${cli} "$@"`,
    npx: `case "$1" in fieldwise) shift; ${cli} "$@" ;; *) tool="$1"; shift; exec '${checkout}node_modules/.bin/'"$tool" "$@" ;; esac`,
    npm: `case "$1" in ci) ;; install) [ -e package.json ] || echo '{}' >package.json ;; *) echo "npm $1 is not for tests" >&2; exit 1 ;; esac`,
  };
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(directory, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(directory, name), 0o755);
  }
}
