import { readFileSync } from 'node:fs';
import path from 'node:path';
import { objectText } from '../../assembly/identity.js';
import type { Assembly, IntentManifest, PartialObject, StackManifest } from '../../assembly/types.js';
import { isSecret } from '../../kubernetes/object.js';
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

interface Missing {
  readonly intent: IntentManifest;
  readonly key: string;
  readonly what: string;
}

/**
 * Returns the assembly with the referenced values of the Secrets of some stacks filled in, in base64. It is for requests only: nothing that
 * is printed or written may contain them unmasked.
 *
 * @throws FieldwiseError `reference-missing` naming every value that cannot be read: its object, key and construct.
 */
export function resolveReferences(
  assembly: Assembly,
  stacks: readonly StackManifest[],
  { env, directory }: ReferenceSources = { env: process.env, directory: process.cwd() },
): Assembly {
  const selected = new Set(stacks);
  const missing: Missing[] = [];
  const objects = assembly.objects.map((list, stack) => {
    const manifest = assembly.manifest.stacks[stack] as StackManifest;
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
        if ('what' in read) missing.push({ intent, key, what: read.what });
        return [key, 'what' in read ? '' : read.bytes.toString('base64')] as const;
      });
      resolved.set(index, { ...object, data: Object.fromEntries(values) } as PartialObject);
    }
    return resolved.size === 0 ? list : lazyList(list.length, (index) => resolved.get(index) ?? (list[index] as PartialObject));
  });
  if (missing.length > 0) throw missingError(missing);
  return { ...assembly, objects };
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

function missingError(missing: readonly Missing[]): FieldwiseError {
  const [first] = missing as readonly [Missing, ...Missing[]];
  const list = missing.map(({ intent, key, what }) => {
    const [declared] = intent.declaredBy;
    const by = declared ? ` declared by ${declared.construct}${declared.source ? ` (${declared.source})` : ''}` : '';
    return `key ${key} of ${objectText(intent)}${by}: ${what}`;
  });
  const count = missing.length === 1 ? 'A value of a Secret' : `${missing.length} values of Secrets`;
  return new FieldwiseError('reference-missing', 'usage', `${count} cannot be read, and nothing was sent: ${list.join('; ')}`, {
    location: { object: objectText(first.intent), field: `.data.${first.key}`, ...first.intent.declaredBy[0] },
    next: 'Set the variable, or create the file; paths are relative to the project.',
  });
}
