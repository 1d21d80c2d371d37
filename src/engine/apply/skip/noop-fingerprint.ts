import { createHash } from 'node:crypto';
import type { Step } from '../../graph/waves.js';
import { digestOfIntent } from '../../inventory/intent-digest.js';
import type { InventoryEntry } from '../../inventory/inventory-entry.js';

/** Of managers and schemas, which are few. */
const digests = new Map<string, string>();

/**
 * What the inventory notes when it has been seen that applying an intent changes nothing: by the server, which accepted the PATCH and
 * wrote nothing, or by `holdsIntent`. The same request to the same object under the same schema changes nothing again, so that an equal
 * text at the next run needs no look at any value. It stands for the intent, the field manager, the schema and the resourceVersion at once:
 * whatever changes makes another text. The object's uid stands beside it in the entry, and is compared first.
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
 * What the inventory learns from an apply. Where the server wrote nothing and would write nothing if it were asked once more (`settled`), that
 * is noted. Where nobody asked for the schema, what was known lasts as long as the resourceVersion shows no write.
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
