import fs from 'node:fs';
import path from 'node:path';
import { isJsonObject } from '../util/json.js';
import { directoryIdentity } from './directory-identity.js';
import { manifestName } from './manifest-name.js';

/** Says what at a path no assembly put there, as a phrase; undefined where all of it is an assembly's, or nothing is there. */
export type ForeignContentFinder = (directory: string) => string | undefined;

/** The names in a directory that its manifest gives, as long as that file is the same, wherever the directory moves. */
interface ReadManifest {
  readonly identity: string;
  readonly files: ReadonlySet<string>;
}

/** Looks several times at one directory, of which the manifest may be large. */
export function foreignContentFinder(): ForeignContentFinder {
  let last: ReadManifest | undefined;
  return (directory) => {
    const file = path.join(directory, manifestName);
    const identity = directoryIdentity(file);
    const known = last !== undefined && last.identity === identity ? last.files : undefined;
    return foreignContent(directory, () => {
      const files = known ?? filesOfManifest(file);
      last = files && identity !== undefined && directoryIdentity(file) === identity ? { identity, files } : undefined;
      return files;
    });
  };
}

function foreignContent(directory: string, readFiles: () => ReadonlySet<string> | undefined): string | undefined {
  const stats = fs.statSync(directory, { throwIfNoEntry: false });
  if (stats && !stats.isDirectory()) return 'it is not a directory';
  const names = stats ? namesIn(directory) : [];
  if (names.length === 0) return undefined;
  const expected = readFiles();
  if (!expected) return `it holds ${names.slice(0, 3).join(', ')} and is not an assembly`;
  const foreign = names.find((name) => !expected.has(name));
  return foreign === undefined ? undefined : `the assembly there also holds ${foreign}`;
}

/** Another process may have moved the directory. */
function namesIn(directory: string): readonly string[] {
  try {
    return fs.readdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function filesOfManifest(file: string): ReadonlySet<string> | undefined {
  try {
    const manifest: unknown = JSON.parse(fs.readFileSync(file, 'utf8'));
    if (!isJsonObject(manifest) || typeof manifest.fieldwise !== 'number' || !Array.isArray(manifest.stacks)) return undefined;
    const stacks = manifest.stacks as readonly { json?: { path?: string }; yaml?: { path?: string } }[];
    return new Set([manifestName, ...stacks.flatMap(({ json, yaml }) => [json?.path ?? '', yaml?.path ?? ''])]);
  } catch {
    return undefined;
  }
}
