import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { generatedMarker } from '../../../../codegen/generated-marker.js';
import type { GeneratedFile } from '../../../../codegen/index.js';
import { FieldwiseError } from '../../../util/error.js';
import { slashPath } from '../../../util/slash-path.js';
import { requirePlainPath } from './plain-path.js';
import { kindsIn } from './stale-modules.js';

export interface WriteGeneratedOptions {
  readonly cwd: string;
  /** The output directory as the user named it. */
  readonly output: string;
  /** Also replace modules with kinds that are not written now. */
  readonly replace: boolean;
}

/**
 * Writes generated files to a temporary directory first and then renames them, so that no file is ever incomplete. Never replaces files
 * that Fieldwise did not write, and never writes through a symbolic link.
 *
 * @throws FieldwiseError `output-not-generated`, `output-is-link`, `output-loses-kinds`, `output-not-written`.
 */
export async function writeGenerated(files: readonly GeneratedFile[], options: WriteGeneratedOptions): Promise<readonly string[]> {
  const output = resolve(options.cwd, options.output);
  for (const file of files) {
    await requirePlainPath(output, file.path, options.output);
    await checkTarget(file, join(output, file.path), join(options.output, file.path), options.replace);
  }
  let temporary: string | undefined;
  try {
    await mkdir(output, { recursive: true });
    temporary = await mkdtemp(join(output, '.fieldwise-import-'));
    for (const file of files) {
      await mkdir(dirname(join(temporary, file.path)), { recursive: true });
      await writeFile(join(temporary, file.path), file.text);
    }
    for (const file of files) {
      await mkdir(dirname(join(output, file.path)), { recursive: true });
      await requirePlainPath(output, file.path, options.output);
      await rename(join(temporary, file.path), join(output, file.path));
    }
  } catch (error) {
    if (error instanceof FieldwiseError) throw error;
    throw new FieldwiseError('output-not-written', 'usage', `The builders cannot be written: ${reason(error)}`, {
      location: { file: options.output },
      next: 'Check the directory and its permissions, or pass another directory with --outdir.',
      cause: error,
    });
  } finally {
    if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
  }
  return files.map((file) => slashPath(options.cwd, join(output, file.path)) || file.path);
}

async function checkTarget(file: GeneratedFile, path: string, shown: string, replace: boolean): Promise<void> {
  const present = await readFile(path, 'utf8').catch(() => undefined);
  if (present === undefined) return;
  // The only JSON file is the lock file, and `readLock` has checked it.
  if (file.path.endsWith('.json')) return;
  if (!present.startsWith(generatedMarker) && !present.startsWith(generatedMarker.replace('//', '#'))) {
    throw new FieldwiseError('output-not-generated', 'usage', 'Fieldwise did not write this file, and does not overwrite it', {
      location: { file: shown },
      next: 'Move it away, or pass another directory with --outdir.',
    });
  }
  const lost = kindsIn(present).filter((kind) => !file.kinds.includes(kind));
  if (lost.length > 0 && !replace) {
    throw new FieldwiseError('output-loses-kinds', 'usage', `The module also contains ${lost.join(', ')}, which this import would remove`, {
      location: { file: shown },
      next: 'Import all CRDs of the group in one command, or pass --replace to remove the others.',
    });
  }
}

function reason(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : error instanceof Error ? error.message : String(error);
}
