import fs from 'node:fs';
import path from 'node:path';
import { isJsonObject } from '../util/json.js';
import { directoryIdentity } from './directory-identity.js';
import { manifestName } from './manifest-name.js';

/** Returns a clause about a file at a path that is not part of an assembly; undefined if there is none. */
export type ForeignContentFinder = (directory: string) => string | undefined;

/** The file names of a manifest, valid as long as the manifest has the same identity, even if its directory is moved. */
interface ReadManifest {
  readonly identity: string;
  readonly files: ReadonlySet<string>;
}

/** Returns a finder that caches the manifest, which may be large, for repeated checks of one directory. */
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
  const names = stats ? namesIn(directory).filter((name) => !isAssembly(path.join(directory, name))) : [];
  if (names.length === 0) return undefined;
  const expected = readFiles();
  if (!expected && names.every((name) => isOfCdk8s(path.join(directory, name)))) return undefined;
  if (!expected) return `it contains ${names.slice(0, 3).join(', ')} and is not an assembly`;
  const foreign = names.find((name) => !expected.has(name));
  return foreign === undefined ? undefined : `the directory of the assembly also contains ${foreign}`;
}

/** Returns true for a file of the name that cdk8s gives to what it writes, which its command removes before each synth. */
function isOfCdk8s(file: string): boolean {
  return file.endsWith('.k8s.yaml') && fs.lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;
}

/**
 * Returns the names of the subdirectories that are assemblies themselves, those of environments: they stay when the assembly around them is replaced.
 */
export function assembliesIn(directory: string): readonly string[] {
  return namesIn(directory).filter((name) => isAssembly(path.join(directory, name)));
}

function isAssembly(directory: string): boolean {
  const isDirectory = fs.lstatSync(directory, { throwIfNoEntry: false })?.isDirectory() === true;
  return isDirectory && filesOfManifest(path.join(directory, manifestName)) !== undefined;
}

/** Returns the names in a directory; none if another process has moved it. */
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
    const manifest: unknown = JSON.parse(withoutIntents(fs.readFileSync(file)));
    if (!isJsonObject(manifest) || typeof manifest.fieldwise !== 'number' || !Array.isArray(manifest.stacks)) return undefined;
    const stacks = manifest.stacks as readonly { json?: { path?: string }; yaml?: { path?: string } }[];
    return new Set([manifestName, ...stacks.flatMap(({ json, yaml }) => [json?.path ?? '', yaml?.path ?? ''])]);
  } catch {
    return undefined;
  }
}

const listStart = '"intents":[';

/** Returns a manifest without its intents, which are most of it: synth writes each in a line of its own, and no string contains the end of a line. */
function withoutIntents(content: Buffer): string {
  const parts: string[] = [];
  for (let from = 0; ; ) {
    const start = content.indexOf(`${listStart}\n`, from);
    const next = start < 0 ? -1 : content.indexOf('}]},\n', start);
    const end = next < 0 ? content.lastIndexOf('}]}]}\n') : next;
    if (start < 0 || end < start) return parts.concat(content.toString('utf8', from)).join('');
    parts.push(content.toString('utf8', from, start), listStart);
    from = end + 1;
  }
}
