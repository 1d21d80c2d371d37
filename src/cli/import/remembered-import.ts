import { mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { nearestWith } from '../../util/nearest-with.js';
import { writeWhole } from '../files/write-whole.js';
import { textDigest } from './digest.js';
import { filesOf, type SourceContext } from './read/source-files.js';
import type { ImportSpec } from './read/spec.js';
import { generatorDigest } from './write/unchanged.js';

/** The parts of an import that decide its result, apart from the content of files. */
export interface ImportSettings {
  readonly specs: readonly ImportSpec[];
  /** The output directory as the user named it. */
  readonly output: string;
  /** The directory that it is relative to. */
  readonly cwd: string;
  /** Flags and list types. */
  readonly options: unknown;
}

/** The result of an import that changes nothing. */
export interface RememberedImport {
  /** The number of generated files. */
  readonly unchanged: number;
  /** The text that the import printed about its sources. */
  readonly notes: string;
}

/**
 * Returns the digest of everything that an import depends on and writes: the generator, the options, and the bytes of all sources and of the
 * output directory. If a later import has the same key, it would write the same. Undefined for sources that are not files.
 */
export async function importKey({ specs, output, cwd, options }: ImportSettings, context: SourceContext): Promise<string | undefined> {
  if (memoryDirectory(cwd) === undefined || specs.some(({ kind }) => kind !== 'path')) return undefined;
  try {
    const generator = await generatorDigest();
    if (generator === undefined) return undefined;
    const parts = [generator, JSON.stringify([specs, output, options])];
    for (const spec of specs) {
      for (const { location, content } of await filesOf(spec, context)) parts.push(location, textDigest(await content()));
    }
    const below = resolve(cwd, output);
    const entries = await readdir(below, { recursive: true, withFileTypes: true });
    for (const file of entries.map((entry) => (entry.isFile() ? join(entry.parentPath, entry.name) : undefined)).sort()) {
      if (file !== undefined && !file.includes('node_modules', below.length)) parts.push(file, textDigest(await readFile(file)));
    }
    return textDigest(JSON.stringify(parts));
  } catch {
    return undefined; // the import reports what cannot be read
  }
}

/** Returns the result of an earlier import with this key. */
export async function recallImport(key: string | undefined, settings: ImportSettings): Promise<RememberedImport | undefined> {
  if (key === undefined) return undefined;
  try {
    const known = JSON.parse(await readFile(memoryFile(settings), 'utf8')) as { readonly key: string } & RememberedImport;
    return known.key === key && Number.isInteger(known.unchanged) && typeof known.notes === 'string' ? known : undefined;
  } catch {
    return undefined;
  }
}

/** Stores the result of an import in `node_modules/.cache`, if there is one. An import without a memory only takes longer. */
export async function rememberImport(key: string, settings: ImportSettings, result: RememberedImport): Promise<void> {
  const file = memoryFile(settings);
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeWhole(file, JSON.stringify({ key, ...result }));
  } catch {
    // a read-only node_modules
  }
}

/** Returns the line about files that are as they would be generated. */
export function unchangedText(count: number): string {
  return `${count} ${count === 1 ? 'file is' : 'files are'} unchanged.\n`;
}

/** One file for each output directory and list of sources, so that several imports of a project do not replace each other. */
function memoryFile({ specs, output, cwd }: ImportSettings): string {
  const name = textDigest(JSON.stringify([resolve(cwd, output), specs.map(({ text }) => text)])).slice('sha256:'.length, 32);
  return join(memoryDirectory(cwd) as string, `${name}.json`);
}

function memoryDirectory(cwd: string): string | undefined {
  const directory = nearestWith(resolve(cwd), 'node_modules');
  return directory === undefined ? undefined : join(directory, 'node_modules', '.cache', 'fieldwise', 'imports');
}
