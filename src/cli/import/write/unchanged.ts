import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { GeneratedFile, LockedNames } from '../../../../codegen/index.js';
import { kubernetesVersion } from '../../../../codegen/index.js';
import { jsonEqual } from '../../../util/json.js';
import { packageFile } from '../../../util/package-file.js';
import { digestOf, textDigest } from '../digest.js';
import type { GenerationPart } from './generation-part.js';
import type { ImportLock, LockedFiles } from './lock.js';
import { requirePlainPath } from './plain-path.js';
import { kindsIn } from './stale-modules.js';

/** The directories of this package whose code decides what is generated. */
const generatorDirectories = ['lib/codegen', 'lib/generated', 'lib/src/schema'];

/**
 * Returns a digest of the code that generates modules, and of package.json, which pins the versions of the libraries that it uses. A
 * version alone would not tell builds of a checkout apart. Undefined if the code is not built.
 */
export async function generatorDigest(): Promise<string | undefined> {
  const texts: (string | Buffer)[] = [kubernetesVersion, await readFile(packageFile('package.json'))];
  for (const directory of generatorDirectories) {
    const names = await readdir(packageFile(directory), { recursive: true }).catch(() => []);
    const modules = names.filter((name) => name.endsWith('.js')).sort();
    if (modules.length === 0) return undefined;
    for (const name of modules) texts.push(name, await readFile(join(packageFile(directory), name)));
  }
  return textDigest(...texts);
}

/** Returns the digest of everything that the files of a part depend on. `names` are those of its modules. */
export function partDigest(
  part: GenerationPart,
  { generator, docs, names }: { generator: string; docs: boolean; names: LockedNames },
): string {
  const { key, name, builtIn, shipped = false } = part;
  const inputs = part.inputs.map(({ digest }) => digest).sort();
  return digestOf({ generator, docs, names, key, name, builtIn, shipped, inputs });
}

/** Returns the entry of a part in a lock file. */
export function lockedPart({ generated }: ImportLock, key: string): LockedFiles | undefined {
  return generated !== undefined && Object.hasOwn(generated, key) ? generated[key] : undefined;
}

/**
 * Returns the entry of the lock file for generated files. An entry of the same files stays as it is, so that nobody has to commit that
 * another build of the generator wrote the same.
 */
export function lockedFiles(from: string, files: readonly GeneratedFile[], before: LockedFiles | undefined): LockedFiles {
  const digests = Object.fromEntries(files.map(({ path, text }) => [path, textDigest(text)]));
  return before !== undefined && jsonEqual(before.files, digests) ? before : { from, files: digests };
}

/** Returns the names of the modules among these files. */
export function namesOfModules(names: LockedNames, files: Readonly<Record<string, unknown>>): LockedNames {
  return Object.fromEntries(Object.entries(names).filter(([module]) => Object.hasOwn(files, `${module}.ts`)));
}

/**
 * Returns the files of a part if they would be generated exactly as they are: the lock file has the same digest of their input, and the
 * digest of each file. Returns undefined if anything differs, or a file is missing.
 *
 * @throws FieldwiseError `output-is-link`, `output-not-generated`.
 */
export async function unchangedFiles(
  part: GenerationPart,
  lock: ImportLock,
  options: { readonly generator: string; readonly docs: boolean; readonly cwd: string; readonly output: string },
): Promise<readonly GeneratedFile[] | undefined> {
  const locked = lockedPart(lock, part.key);
  if (locked === undefined) return undefined;
  if (locked.from !== partDigest(part, { ...options, names: namesOfModules(lock.names, locked.files) })) return undefined;
  const files: GeneratedFile[] = [];
  for (const [path, digest] of Object.entries(locked.files)) {
    // The lock file is committed, so it must not make an import read outside of its directory.
    if (!path.startsWith(part.builtIn ? '' : `${part.key}/`) || path.split('/').includes('..')) return undefined;
    await requirePlainPath(resolve(options.cwd, options.output), path, options.output);
    const text = await readFile(join(resolve(options.cwd, options.output), path), 'utf8').catch(() => undefined);
    if (text === undefined || textDigest(text) !== digest) return undefined;
    files.push({ path, text, kinds: path.endsWith('.ts') ? kindsIn(text) : [] });
  }
  return files;
}
