import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { FieldwiseError } from '../util/error.js';
import { parseExactJson } from '../util/exact-json.js';
import { isJsonObject, type Json, type JsonObject } from '../util/json.js';
import { thisMachine } from '../util/machine.js';
import { pluralize } from '../util/pluralize.js';
import { directoryIdentity } from './directory-identity.js';
import { identityKey, objectText } from './identity.js';
import { manifestName } from './manifest-name.js';
import { objectsOnDemand } from './objects-on-demand.js';
import type { Assembly, FileDigest, IntentManifest, Manifest, PartialObject, StackManifest } from './types.js';
import { digestOf } from './write.js';
import { takeWritten } from './written-here.js';

/** The limit of attempts, each of which meets another assembly than the one before. */
const maxAttempts = 100;
/** The limit of attempts in a row without a directory: while an assembly is published, the directory is absent for a moment. */
const maxAbsences = 5;
const absenceDelayMs = 10;

/**
 * Reads an assembly and validates all of it: format version, shape, digests, that its files are inside the directory, and that every object
 * is the object of its intent. Reads again if another process replaces the directory meanwhile.
 *
 * @throws FieldwiseError `assembly-invalid` with the file and the reason.
 */
export async function readAssembly(directory: string): Promise<Assembly> {
  let absences = 0;
  for (let tries = 1; ; tries++) {
    const before = directoryIdentity(directory);
    try {
      return await readOnce(directory);
    } catch (error) {
      const after = directoryIdentity(directory);
      if (before === undefined && after === undefined) absences += 1;
      else if (before === after) throw error;
      else absences = 0;
      if (absences === maxAbsences || tries === maxAttempts) throw error;
      if (after === undefined) await thisMachine.pause(absenceDelayMs);
    }
  }
}

async function readOnce(directory: string): Promise<Assembly> {
  const file = path.join(directory, manifestName);
  const content = await readBytes(file);
  const written = takeWritten(directory, content);
  const manifest = await checkManifest(written ?? parseJson(content.toString('utf8'), file), file, written !== undefined);
  const objects = await Promise.all(manifest.stacks.map((stack) => readStack(directory, stack, written !== undefined)));
  return { manifest, objects };
}

/**
 * Validates an assembly that was read from elsewhere, as `readAssembly` does, except for the digests of its files.
 *
 * @param lists the objects of each stack.
 * @param source the name of the assembly in errors.
 * @throws FieldwiseError `assembly-invalid`.
 */
export async function parseAssembly(value: unknown, lists: readonly (readonly Json[])[], source: string): Promise<Assembly> {
  const manifest = await checkManifest(value, source);
  const objects = manifest.stacks.map((stack, index) => checkObjects(lists[index], stack, source));
  return { manifest, objects };
}

/** @param writtenHere the intents are those that synth has just written, and so valid. */
async function checkManifest(value: unknown, file: string, writtenHere = false): Promise<Manifest> {
  if (!isJsonObject(value)) throw invalid(file, 'it is not a JSON object');
  if (value.fieldwise !== 1) {
    throw invalid(
      file,
      `its format version is ${JSON.stringify(value.fieldwise) ?? 'absent'}, and this version of Fieldwise reads format 1${neededVersion(value)}`,
    );
  }
  const { parseManifest } = await import('./manifest-schema.js');
  const result = parseManifest(value, writtenHere);
  if ('issue' in result) throw invalid(file, result.issue);
  checkStacks(result.manifest, file);
  return result.manifest;
}

/** Returns the version of Fieldwise that a document of a later format needs, if the document says so. */
export function neededVersion({ needs }: JsonObject): string {
  return typeof needs === 'string' && /^[\w.+-]{1,40}$/.test(needs) ? `; it needs Fieldwise ${needs} or a later version` : '';
}

function checkStacks({ stacks }: Manifest, file: string): void {
  const before = new Set<string>();
  const current = new Set(stacks.map(({ manager }) => manager));
  const former = new Set<string>();
  const managers = new Set<string>();
  const paths = new Set<string>([manifestName]);
  for (const stack of stacks) {
    if (before.has(stack.name)) throw invalid(file, `it lists stack ${stack.name} twice`);
    if (managers.has(stack.manager)) throw invalid(file, `field manager ${stack.manager} belongs to two stacks`);
    managers.add(stack.manager);
    for (const { manager } of stack.formerIdentities ?? []) {
      if (current.has(manager) || former.has(manager)) throw invalid(file, `the former field manager ${manager} belongs to two stacks`);
      former.add(manager);
    }
    const late = stack.dependsOn.find((name) => !before.has(name));
    if (late !== undefined) throw invalid(file, `stack ${stack.name} depends on ${late}, which is not listed before it`);
    before.add(stack.name);
    for (const { path: name } of [stack.json, stack.yaml]) {
      if (!isInside(name))
        throw invalid(file, `stack ${stack.name} names the file ${JSON.stringify(name)}, which is not inside the directory`);
      if (paths.has(name)) throw invalid(file, `it lists the file ${name} twice`);
      paths.add(name);
    }
    checkIntents(stack, file);
  }
}

function checkIntents({ name, intents, groups = [] }: StackManifest, file: string): void {
  const nodes = intents.length + groups.length;
  const seen = new Set<string>();
  for (const [index, intent] of intents.entries()) {
    const key = identityKey(intent);
    if (seen.has(key)) throw invalid(file, `stack ${name} has two intents for ${objectText(intent)}`);
    seen.add(key);
    const wrong = intent.dependsOn.find((other) => other >= nodes || other === index);
    if (wrong !== undefined) throw invalid(file, `${objectText(intent)} of stack ${name} depends on intent ${wrong}, which does not exist`);
  }
  for (const [index, group] of groups.entries()) {
    const wrong = group.find((other) => other >= intents.length + index);
    if (wrong !== undefined)
      throw invalid(file, `group ${index} of stack ${name} contains ${wrong}, which is neither an intent nor an earlier group`);
  }
}

/** Returns true for a path without root, drive, `..` and backslash, which names the same file on every system. */
function isInside(name: string): boolean {
  return name !== '' && !/[\\:\0]/.test(name) && name.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

async function readStack(directory: string, stack: StackManifest, writtenHere: boolean): Promise<readonly PartialObject[]> {
  const [json] = await Promise.all([readDigested(directory, stack.json), checkDigest(directory, stack.yaml)]);
  const file = path.join(directory, stack.json.path);
  const objects = objectsOnDemand(json);
  if (writtenHere && objects !== undefined) return objects as readonly PartialObject[]; // those of its intents, as the digest says
  try {
    if (objects !== undefined) return checkObjects(objects, stack, file);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error; // parsing all of it tells what is wrong
  }
  return checkObjects(parseJson(json.toString('utf8'), file), stack, file);
}

function checkObjects(items: unknown, stack: StackManifest, file: string): readonly PartialObject[] {
  if (!Array.isArray(items)) throw invalid(file, 'it is not a JSON array');
  if (items.length !== stack.intents.length) {
    throw invalid(
      file,
      `it contains ${pluralize(items.length, 'object')}, but the manifest lists ${pluralize(stack.intents.length, 'intent')} of stack ${stack.name}`,
    );
  }
  for (const [index, intent] of stack.intents.entries()) checkObject(items[index], intent, `${file}, item ${index}`);
  return items as readonly PartialObject[];
}

function checkObject(item: unknown, intent: IntentManifest, file: string): void {
  const metadata = isJsonObject(item) ? item.metadata : undefined;
  if (!isJsonObject(item) || !isJsonObject(metadata)) throw invalid(file, 'it is not an object with metadata');
  const pairs = [
    ['apiVersion', item.apiVersion, intent.apiVersion],
    ['kind', item.kind, intent.kind],
    ['metadata.name', metadata.name, intent.name],
    ['metadata.namespace', metadata.namespace, intent.namespace],
  ] as const;
  for (const [field, found, expected] of pairs) {
    if (found !== expected) {
      throw invalid(
        file,
        `its ${field} is ${JSON.stringify(found) ?? 'absent'}, but the manifest says ${JSON.stringify(expected) ?? 'none'}`,
      );
    }
  }
}

async function readDigested(directory: string, { path: name, sha256 }: FileDigest): Promise<Buffer> {
  const file = path.join(directory, name);
  const content = await readBytes(file);
  if (digestOf(content) !== sha256) throw changed(file);
  return content;
}

/** Compares a file with its digest, part by part: nobody needs its content. */
async function checkDigest(directory: string, { path: name, sha256 }: FileDigest): Promise<void> {
  const file = path.join(directory, name);
  const hash = createHash('sha256');
  await readable(file, async () => {
    for await (const part of createReadStream(file)) hash.update(part as Buffer);
  });
  if (hash.digest('hex') !== sha256) throw changed(file);
}

function readBytes(file: string): Promise<Buffer> {
  return readable(file, () => readFile(file));
}

async function readable<Result>(file: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (cause) {
    const absent = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    throw invalid(file, absent ? 'the file does not exist' : (cause as Error).message, cause);
  }
}

function changed(file: string): FieldwiseError {
  return invalid(file, 'it was changed after it was written: its digest differs from that in the manifest');
}

function parseJson(text: string, file: string): unknown {
  try {
    return parseExactJson(text);
  } catch (cause) {
    throw invalid(file, `it is not JSON: ${(cause as Error).message}`, cause);
  }
}

function invalid(file: string, reason: string, cause?: unknown): FieldwiseError {
  return new FieldwiseError('assembly-invalid', 'usage', `The assembly cannot be used: ${reason}`, {
    location: { file },
    next: 'Run `fieldwise synth` again.',
    cause,
  });
}
