import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { FieldwiseError } from '../util/error.js';
import { isJsonObject } from '../util/json.js';
import type { Manifest } from './types.js';

export const manifestName = 'manifest.json';

/** An assembly ready to be written: the manifest and the text of the files that it names. */
export interface AssemblyFiles {
  readonly manifest: Manifest;
  readonly files: ReadonlyMap<string, string>;
}

/** SHA-256 in hex, as the manifest has it. */
export function digestOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/**
 * Writes an assembly to a new directory beside `directory` and swaps it in, so that a reader sees the old one or the new one and a
 * failure leaves the old one as it was.
 *
 * @throws FieldwiseError `output-not-ours` when `directory` holds anything that no assembly put there, `output-unwritable`.
 */
export function writeAssembly(directory: string, { manifest, files }: AssemblyFiles): void {
  try {
    const target = targetOf(directory);
    refuseForeign(target, directory);
    const sibling = (role: string) => `.${path.basename(target)}.${role}-${process.pid}-${randomBytes(4).toString('hex')}`;
    const fresh = path.join(path.dirname(target), sibling('new'));
    const old = path.join(path.dirname(target), sibling('old'));
    try {
      fs.mkdirSync(fresh, { recursive: true });
      for (const [name, content] of files) fs.writeFileSync(path.join(fresh, name), content);
      fs.writeFileSync(path.join(fresh, manifestName), manifestText(manifest));
      swap(fresh, target, old);
    } finally {
      for (const leftover of [fresh, old]) fs.rmSync(leftover, { recursive: true, force: true });
    }
  } catch (cause) {
    if (cause instanceof FieldwiseError) throw cause;
    throw new FieldwiseError('output-unwritable', 'usage', `The assembly cannot be written: ${(cause as Error).message}`, {
      place: { file: directory },
      next: 'Choose another directory with `--output`.',
      cause,
    });
  }
}

/** One intent a line: large assemblies stay short, and line by line comparisons tell what changed. */
function manifestText({ stacks, ...others }: Manifest): string {
  const lists = stacks.map(({ intents, ...stack }) => {
    const lines = intents.map((intent) => JSON.stringify(intent)).join(',\n    ');
    return `\n  ${JSON.stringify(stack).slice(0, -1)},"intents":[${lines && `\n    ${lines}`}]}`;
  });
  return `${JSON.stringify(others).slice(0, -1)},\n"stacks":[${lists.join(',')}]}\n`;
}

/** The directory itself where `directory` is a link to one, so that the link stays. */
function targetOf(directory: string): string {
  try {
    return fs.realpathSync(directory);
  } catch {
    return path.resolve(directory);
  }
}

function swap(fresh: string, target: string, old: string): void {
  if (!fs.existsSync(target)) {
    fs.renameSync(fresh, target);
    return;
  }
  fs.renameSync(target, old);
  try {
    fs.renameSync(fresh, target);
  } catch (error) {
    fs.renameSync(old, target);
    throw error;
  }
}

function refuseForeign(target: string, named: string): void {
  const stats = fs.statSync(target, { throwIfNoEntry: false });
  if (!stats) return;
  const foreign = stats.isDirectory() ? foreignEntry(target) : 'it is no directory';
  if (foreign === undefined) return;
  throw new FieldwiseError('output-not-ours', 'usage', `The output would replace what Fieldwise did not write: ${foreign}`, {
    place: { file: named },
    next: 'Remove it, or choose another directory with `--output`.',
  });
}

/** What in a directory no assembly put there, as a phrase; undefined when all of it is ours. */
function foreignEntry(directory: string): string | undefined {
  const names = fs.readdirSync(directory);
  if (names.length === 0) return undefined;
  const ours = filesOfManifest(path.join(directory, manifestName));
  if (!ours) return `it holds ${names.slice(0, 3).join(', ')} and is no assembly`;
  const foreign = names.find((name) => !ours.has(name));
  return foreign === undefined ? undefined : `the assembly there also holds ${foreign}`;
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
