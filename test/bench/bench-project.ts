import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const checkout = fileURLToPath(new URL('../..', import.meta.url));

/** A user's project in a temporary directory, with Fieldwise as it was built. */
export class BenchProject {
  readonly directory = mkdtempSync(join(tmpdir(), 'fieldwise-bench-'));

  /** @param packages other packages that the project has, in the versions of this repository. */
  constructor(packages: readonly string[] = []) {
    mkdirSync(join(this.directory, 'node_modules'));
    symlinkSync(checkout, join(this.directory, 'node_modules', 'fieldwise'));
    for (const name of packages) symlinkSync(join(checkout, 'node_modules', name), join(this.directory, 'node_modules', name));
    this.write('package.json', '{ "type": "module" }');
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  write(name: string, text: string): string {
    const file = this.path(name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

export interface TimedRun {
  readonly milliseconds: number;
  readonly stdout: string;
}

/** Runs a command to its end. @throws Error with what it printed, where it fails or takes too long. */
export function timed(
  file: string,
  words: readonly string[],
  options: { readonly cwd: string; readonly limit?: number },
): Promise<TimedRun> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const child = spawn(file, words, { cwd: options.cwd, stdio: ['ignore', 'pipe', 'pipe'], timeout: options.limit ?? 120_000 });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve({ milliseconds: performance.now() - start, stdout });
      else reject(new Error(`${file} ${words.join(' ')} ended with ${code}: ${(stderr || stdout).slice(-500)}`));
    });
  });
}
