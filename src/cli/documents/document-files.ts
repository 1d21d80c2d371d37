import { createReadStream } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { maxArchiveFiles, maxArchiveTexts, megabytes, readBounded } from '../../schema/read/source-limits.js';
import { FieldwiseError } from '../../util/error.js';
import type { DocumentHost } from './document-host.js';
import { chartNotRendered, kustomizationNotRendered } from './not-rendered.js';

/** The text of a file, or of standard input. */
export interface DocumentFile {
  /** The file as errors name it: as the user named it or its directory, or `stdin`. */
  readonly location: string;
  readonly bytes: Buffer;
}

/**
 * Reads the files that paths name: files, all YAML and JSON files at and below directories, and standard input. Each file is read once, even if
 * links or several paths lead to it. Hidden files are not read.
 *
 * @param reject receives the error of each path that cannot be read.
 * @param ifMissing what to do about a path that does not exist.
 */
export async function* documentFiles(
  paths: readonly string[],
  host: DocumentHost,
  reject: (error: FieldwiseError) => void,
  ifMissing = 'Correct the path of `--file`, or pass - for standard input.',
): AsyncGenerator<DocumentFile> {
  const visited = new Visited(host.cwd, reject, ifMissing);
  let total = 0;
  for (const named of new Set(paths)) {
    const files = named === '-' ? ['-'] : await visited.filesAt(named);
    for (const file of files) {
      const bytes = await attempt(() => (file === '-' ? readStdin(host) : readFile(path.resolve(host.cwd, file), file)), reject);
      if (bytes === undefined) continue;
      total += bytes.byteLength;
      if (total > maxArchiveTexts) throw tooLarge(`The documents are larger than ${megabytes(maxArchiveTexts)}`, file);
      yield { location: file === '-' ? 'stdin' : file, bytes };
    }
  }
}

/** The files and directories that were found, by their real paths. */
class Visited {
  readonly #cwd: string;
  readonly #reject: (error: FieldwiseError) => void;
  readonly #ifMissing: string;
  readonly #known = new Set<string>();

  constructor(cwd: string, reject: (error: FieldwiseError) => void, ifMissing: string) {
    this.#cwd = cwd;
    this.#reject = reject;
    this.#ifMissing = ifMissing;
  }

  /** Returns the files at and below a path that the user named. */
  async filesAt(named: string): Promise<readonly string[]> {
    const found = await this.#statOf(named);
    if (found === undefined) {
      this.#reject(
        new FieldwiseError('input-missing', 'usage', 'The file or directory does not exist', {
          location: { file: named },
          next: this.#ifMissing,
        }),
      );
      return [];
    }
    if (!found.isDirectory()) return (await this.#isNew(named)) ? [named] : [];
    const files: string[] = [];
    await this.#collect(named, files);
    return files;
  }

  async #collect(directory: string, files: string[]): Promise<void> {
    if (!(await this.#isNew(directory))) return;
    const names = (await attempt(() => readDirectory(path.resolve(this.#cwd, directory), directory), this.#reject)) ?? [];
    const notRendered = names.includes('Chart.yaml') ? chartNotRendered(directory) : kustomizationNotRendered(directory, names);
    if (notRendered !== undefined) {
      this.#reject(notRendered);
      return;
    }
    for (const name of names) {
      if (name.startsWith('.')) continue;
      const file = path.join(directory, name);
      const found = await this.#statOf(file);
      if (found?.isDirectory()) await this.#collect(file, files);
      if (!/\.(?:ya?ml|json)$/i.test(name)) continue;
      if (found === undefined) this.#reject(unreadable(file, new Error('the link leads nowhere')));
      else if (found.isFile() && (await this.#isNew(file))) files.push(file);
      if (files.length > maxArchiveFiles) throw tooLarge(`The directory contains more than ${maxArchiveFiles} files`, directory);
    }
  }

  async #statOf(file: string) {
    return stat(path.resolve(this.#cwd, file)).catch(() => undefined);
  }

  /** Returns true the first time, so that links do not lead to a file twice and never in a circle. */
  async #isNew(file: string): Promise<boolean> {
    const absolute = path.resolve(this.#cwd, file);
    const real = await realpath(absolute).catch(() => absolute);
    if (this.#known.has(real)) return false;
    this.#known.add(real);
    return true;
  }
}

async function readDirectory(absolute: string, named: string): Promise<readonly string[]> {
  try {
    return (await readdir(absolute)).sort();
  } catch (cause) {
    throw unreadable(named, cause);
  }
}

async function readFile(absolute: string, named: string): Promise<Buffer> {
  try {
    return await readBounded(createReadStream(absolute), named);
  } catch (cause) {
    throw cause instanceof FieldwiseError ? cause : unreadable(named, cause);
  }
}

async function readStdin({ stdin }: DocumentHost): Promise<Buffer> {
  if (stdin === undefined && process.stdin.isTTY) {
    throw new FieldwiseError('input-missing', 'usage', 'Standard input is a terminal', {
      location: { file: 'stdin' },
      next: 'Pipe documents to the command, such as `helm template CHART | fieldwise deploy -f - --stack NAME`.',
    });
  }
  return readBounded(stdin ?? process.stdin, 'stdin');
}

/** Runs a step; rejects its error, with a next step that fits documents. */
async function attempt<Result>(step: () => Promise<Result>, reject: (error: FieldwiseError) => void): Promise<Result | undefined> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof FieldwiseError)) throw error;
    reject(error.code === 'source-too-large' ? tooLarge(error.message, error.location.file ?? '') : error);
    return undefined;
  }
}

function unreadable(file: string, cause: unknown): FieldwiseError {
  return new FieldwiseError('input-missing', 'usage', `It cannot be read: ${(cause as Error).message}`, {
    location: { file },
    next: 'Check its permissions.',
    cause,
  });
}

/** Returns the error for input beyond a limit. */
export function tooLarge(what: string, file: string): FieldwiseError {
  return new FieldwiseError('source-too-large', 'usage', what, {
    location: { file },
    next: 'Check that the input is neither damaged nor hostile, or deploy it as several stacks.',
  });
}
