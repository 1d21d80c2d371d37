import { createHash } from 'node:crypto';
import type { Step } from '../../graph/waves.js';
import { digestOfIntent } from '../../inventory/intent-digest.js';
import type { InventoryEntry } from '../../inventory/inventory-entry.js';

/** By schema and manager, which are few. */
const digests = new Map<string, string>();

/**
 * Returns what the inventory records when applying an intent is known to change nothing: because the server accepted the PATCH and wrote
 * nothing, or by `isIntentApplied`. The same request to the same object under the same schema changes nothing again, so with an equal text
 * the next run needs no look at any value. It stands for the intent, the field manager, the schema and the resourceVersion at once: any
 * change makes another text. The object's uid is recorded beside it in the entry, and is compared first.
 *
 * Source: Kubernetes API concepts, "Resource versions": an object that was written has another resourceVersion.
 */
export function noopFingerprintOf({ object, stack }: Pick<Step, 'object' | 'stack'>, schema: string, resourceVersion: string): string {
  const key = `${schema} ${stack.manager}`;
  let digest = digests.get(key);
  if (digest === undefined) {
    digest = createHash('sha256').update(key).digest('hex').slice(0, 12);
    digests.set(key, digest);
  }
  return `${digestOfIntent(object)}/${digest}/${resourceVersion}`;
}

/**
 * Returns what the inventory records after an apply. Where the server wrote nothing and would write nothing if asked once more (`settled`),
 * that is recorded. Where nobody asked for the schema, what was known stays valid as long as the resourceVersion shows no write.
 */
export function rememberedFingerprint(
  settled: boolean,
  step: Step,
  entry: InventoryEntry,
  known: InventoryEntry | undefined,
): Pick<InventoryEntry, 'schema' | 'noopFingerprint'> {
  const { schema, uid, resourceVersion } = entry;
  if (uid === undefined || !resourceVersion) return {};
  if (schema !== undefined) return settled ? { noopFingerprint: noopFingerprintOf(step, schema, resourceVersion) } : {};
  if (known?.schema === undefined || known.uid !== uid || known.resourceVersion !== resourceVersion) return {};
  return { schema: known.schema, ...(known.noopFingerprint === undefined ? {} : { noopFingerprint: known.noopFingerprint }) };
}
