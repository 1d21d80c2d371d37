import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { registerImport } from '../../../src/cli/commands/import.js';
import { requirePrintedAsDescribed } from '../../harness/json-lines.js';

export const sharedGateway = await readFile(new URL('../codegen/fixtures/shared-gateway.yaml', import.meta.url), 'utf8');

/** The fixture under another kind. */
export function gatewayNamed(kind: string): string {
  return sharedGateway.replaceAll('SharedGateway', kind).replaceAll('sharedgateway', kind.toLowerCase());
}

/** A project directory with `fieldwise import` in it. */
export class ImportProject {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  static async make(): Promise<ImportProject> {
    return new ImportProject(await mkdtemp(join(tmpdir(), 'fieldwise-import-')));
  }

  remove(): Promise<void> {
    return rm(this.directory, { recursive: true, force: true });
  }

  async put(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.directory, path)), { recursive: true });
    await writeFile(join(this.directory, path), text);
  }

  read(path: string): Promise<string> {
    return readFile(join(this.directory, path), 'utf8');
  }

  async files(below = '.'): Promise<readonly string[]> {
    const entries = await readdir(join(this.directory, below), { recursive: true, withFileTypes: true }).catch(() => []);
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(this.directory.length + 1))
      .sort();
  }

  async import(words: readonly string[], more: { env?: NodeJS.ProcessEnv; stdin?: string | Buffer } = {}) {
    const printed = { stdout: '', stderr: '', exitCode: 0 };
    const program = new Command('fieldwise').option('-v, --verbose').exitOverride();
    registerImport(program, {
      stdout: (text) => {
        printed.stdout += text;
      },
      stderr: (text) => {
        printed.stderr += text;
      },
      setExitCode: (code) => {
        printed.exitCode = code;
      },
      cwd: this.directory,
      env: { HOME: this.directory, ...more.env },
      ...(more.stdin === undefined ? {} : { stdin: textStream(more.stdin) }),
    });
    await program.parseAsync(['import', ...words], { from: 'user' });
    if (words.includes('json')) for (const line of linesOf(printed.stdout)) requirePrintedAsDescribed(['import'], line);
    return printed;
  }
}

async function* textStream(text: string | Buffer): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
}

/** Returns the objects of `-o json`, one a line. */
export function linesOf(stdout: string) {
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
