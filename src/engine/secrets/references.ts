import { readFileSync } from 'node:fs';
import path from 'node:path';
import { objectText } from '../../assembly/identity.js';
import type { Assembly, IntentManifest, PartialObject, StackManifest } from '../../assembly/types.js';
import { formatPath } from '../../fields/index.js';
import { isSecret } from '../../fields/object.js';
import { FieldwiseError } from '../../util/error.js';
import { isJsonObject } from '../../util/json.js';
import { lazyList } from '../../util/lazy-list.js';
import { isSecretReference, type ReferenceObject, sourceOfReference } from '../../util/secret-reference.js';

/** The sources of referenced values of Secrets. */
export interface ReferenceSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The base directory of relative file paths: the project. */
  readonly directory: string;
}

/** A referenced value that cannot be read. */
export interface UnreadValue {
  readonly stack: StackManifest;
  /** Position of the intent in its stack. */
  readonly index: number;
  readonly intent: IntentManifest;
  /** The key of `data`. */
  readonly key: string;
  /** The reason, such as `the environment variable DB_PASSWORD is not set`. */
  readonly why: string;
}

/** An assembly after its references were read. */
export interface ReadReferences {
  /** A reference that cannot be read is still in its place. */
  readonly assembly: Assembly;
  readonly unread: readonly UnreadValue[];
}

/**
 * Returns the assembly with the referenced values of the Secrets of some stacks filled in, in base64. It is for requests only: nothing that
 * is printed or written may contain them unmasked.
 *
 * @throws FieldwiseError `reference-missing` naming every value that cannot be read: its object, key and construct.
 */
export function resolveReferences(assembly: Assembly, stacks: readonly StackManifest[], sources?: ReferenceSources): Assembly {
  const read = readReferences(assembly, stacks, sources);
  if (read.unread.length > 0) throw missingError(read.unread);
  return read.assembly;
}

/** Returns each value of a Secret of some stacks that the program refers to, as `.data.password of Secret default/database`. */
export function referencedValues({ manifest, objects }: Assembly, stacks: readonly StackManifest[]): readonly string[] {
  return manifest.stacks.flatMap((stack, position) => {
    if (!stacks.includes(stack)) return [];
    return stack.intents.flatMap((intent, index) => {
      const data = isSecret(intent) ? objects[position]?.[index]?.data : undefined;
      const keys = isJsonObject(data) ? Object.keys(data).filter((key) => isSecretReference(data[key])) : [];
      return keys.map((key) => `${fieldOfValue('data', key)} of ${objectText(intent)}`);
    });
  });
}

/** Returns the path text of a value of a Secret, such as `.data.password`. */
export function fieldOfValue(member: 'data' | 'stringData', key: string): string {
  return formatPath([
    { kind: 'field', name: member },
    { kind: 'field', name: key },
  ]);
}

/** Fills in the referenced values of the Secrets of some stacks as `resolveReferences` does, as far as they can be read. */
export function readReferences(
  assembly: Assembly,
  stacks: readonly StackManifest[],
  { env, directory }: ReferenceSources = { env: process.env, directory: process.cwd() },
): ReadReferences {
  const selected = new Set(stacks);
  const unread: UnreadValue[] = [];
  const objects = assembly.objects.map((list, position) => {
    const manifest = assembly.manifest.stacks[position] as StackManifest;
    if (!selected.has(manifest)) return list;
    const resolved = new Map<number, PartialObject>();
    for (const [index, intent] of manifest.intents.entries()) {
      if (!isSecret(intent)) continue;
      const object = list[index] as PartialObject;
      const { data } = object;
      if (!isJsonObject(data) || !Object.values(data).some(isSecretReference)) continue;
      const values = Object.entries(data).map(([key, value]) => {
        if (!isSecretReference(value)) return [key, value] as const;
        const read = readValue(value, { env, directory });
        if ('bytes' in read) return [key, read.bytes.toString('base64')] as const;
        unread.push({ stack: manifest, index, intent, key, why: read.what });
        return [key, value] as const;
      });
      resolved.set(index, { ...object, data: Object.fromEntries(values) } as PartialObject);
    }
    return resolved.size === 0 ? list : lazyList(list.length, (index) => resolved.get(index) ?? (list[index] as PartialObject));
  });
  return { assembly: { ...assembly, objects }, unread };
}

function readValue(
  reference: ReferenceObject,
  { env, directory }: ReferenceSources,
): { readonly bytes: Buffer } | { readonly what: string } {
  const target = sourceOfReference(reference);
  if ('environment' in target) {
    const value = env[target.environment];
    if (value) return { bytes: Buffer.from(value, 'utf8') };
    return { what: `the environment variable ${target.environment} is ${value === undefined ? 'not set' : 'empty'}` };
  }
  try {
    return { bytes: readFileSync(path.resolve(directory, target.file)) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { what: `the file ${target.file} ${code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`}` };
  }
}

function missingError(missing: readonly UnreadValue[]): FieldwiseError {
  const [first] = missing as readonly [UnreadValue, ...UnreadValue[]];
  const list = missing.map(({ intent, key, why }) => {
    const [declared] = intent.declaredBy;
    const by = declared ? ` declared by ${declared.construct}${declared.source ? ` (${declared.source})` : ''}` : '';
    return `key ${key} of ${objectText(intent)}${by}: ${why}`;
  });
  const count = missing.length === 1 ? 'A value of a Secret' : `${missing.length} values of Secrets`;
  return new FieldwiseError('reference-missing', 'usage', `${count} cannot be read, and nothing was sent: ${list.join('; ')}`, {
    location: { object: objectText(first.intent), field: `.data.${first.key}`, ...first.intent.declaredBy[0] },
    next: 'Set the variable, or create the file; paths are relative to the project. `fieldwise diff --read-only` plans without the value; in a test, any value does.',
  });
}
