import { readdir, readFile } from 'node:fs/promises';
import { join, posix, resolve } from 'node:path';
import { generatedMarker } from '../../../../codegen/generated-marker.js';
import type { GeneratedFile } from '../../../../codegen/index.js';
import { lockName } from './lock.js';

/** A module that an earlier import wrote and this one does not. */
export interface StaleModule {
  /** Path below the output directory, with forward slashes. */
  readonly path: string;
  readonly kinds: readonly string[];
}

/**
 * Finds modules in an output directory that an earlier import of the same sources wrote and this one does not: all other generated modules
 * if the whole project is imported, else those of kinds of which another version is written now. Ignores directories with a lock file of
 * their own, and symbolic links.
 */
export async function findStaleModules(
  files: readonly GeneratedFile[],
  { cwd, output, all }: { readonly cwd: string; readonly output: string; readonly all: boolean },
): Promise<readonly StaleModule[]> {
  const written = new Set(files.map(({ path }) => path));
  const kinds = new Set(files.flatMap((file) => file.kinds.map((kind) => `${posix.dirname(file.path)} ${kind}`)));
  const found: StaleModule[] = [];
  for (const path of await modulesBelow(resolve(cwd, output), '')) {
    if (written.has(path)) continue;
    const text = await readFile(resolve(cwd, output, path), 'utf8').catch(() => '');
    if (!text.startsWith(generatedMarker)) continue;
    const existing = kindsIn(text);
    if (all || existing.some((kind) => kinds.has(`${posix.dirname(path)} ${kind}`))) found.push({ path, kinds: existing });
  }
  return found;
}

/** Returns the warning about such a module. */
export function staleModuleText({ path, kinds }: StaleModule, output: string): string {
  const file = join(output, path);
  const shown = /^[\w./\\@-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`;
  const what = kinds.length === 0 ? '' : ` (${kinds.join(', ')})`;
  return `${file}${what} is from an earlier import, and this import no longer writes it. If no program needs it, remove it: rm ${shown}`;
}

/** Returns the kinds that the header of a generated module lists. */
export function kindsIn(text: string): readonly string[] {
  return /^\/\/ Kinds: (.*)$/m.exec(text.slice(0, 4096))?.[1]?.split(', ') ?? [];
}

async function modulesBelow(root: string, below: string): Promise<readonly string[]> {
  const entries = await readdir(join(root, below), { withFileTypes: true }).catch(() => []);
  if (below !== '' && entries.some(({ name }) => name === lockName)) return [];
  const found: string[] = [];
  for (const entry of entries.toSorted((left, right) => (left.name < right.name ? -1 : 1))) {
    const path = posix.join(below, entry.name);
    if (entry.isFile() && entry.name.endsWith('.ts')) found.push(path);
    if (entry.isDirectory() && entry.name !== 'node_modules') found.push(...(await modulesBelow(root, path)));
  }
  return found;
}
