import { createHash } from 'node:crypto';
import type { Step } from '../../graph/waves.js';
import { digestOfIntent } from '../../inventory/intent-digest.js';
import type { InventoryEntry } from '../../inventory/inventory-entry.js';

/**
 * Makes noop fingerprints: what the inventory notes when applying an intent is known to change nothing, because the server accepted the PATCH
 * and wrote nothing, or by `isIntentApplied`. The same request to the same object under the same schema changes nothing again, so that an
 * equal text at the next run needs no look at any value. It stands for the intent, the field manager, the schema and the resourceVersion at
 * once: a change of any of them makes another text. The object's uid stands beside it in the entry, and is compared first.
 *
 * A run has one, which remembers the digests of managers and schemas: they are few.
 *
 * Source: Kubernetes API concepts, "Resource versions": an object that was written has another resourceVersion.
 */
export class NoopFingerprints {
  readonly #digests = new Map<string, string>();

  of({ object, stack }: Pick<Step, 'object' | 'stack'>, schema: string, resourceVersion: string): string {
    const key = `${schema} ${stack.manager}`;
    let digest = this.#digests.get(key);
    if (digest === undefined) {
      digest = createHash('sha256').update(key).digest('hex').slice(0, 12);
      this.#digests.set(key, digest);
    }
    return `${digestOfIntent(object)}/${digest}/${resourceVersion}`;
  }
}

/**
 * Returns what the inventory learns from an apply. Where the server wrote nothing and would write nothing if it were asked once more
 * (`settled`), that is noted. Where nobody asked for the schema, the known fingerprint lasts as long as the resourceVersion shows no write.
 */
export function rememberedFingerprint(
  fingerprints: NoopFingerprints,
  settled: boolean,
  step: Step,
  entry: InventoryEntry,
  known: InventoryEntry | undefined,
): Pick<InventoryEntry, 'schema' | 'noopFingerprint'> {
  const { schema, uid, resourceVersion } = entry;
  if (uid === undefined || !resourceVersion) return {};
  if (schema !== undefined) return settled ? { noopFingerprint: fingerprints.of(step, schema, resourceVersion) } : {};
  if (known?.schema === undefined || known.uid !== uid || known.resourceVersion !== resourceVersion) return {};
  return { schema: known.schema, ...(known.noopFingerprint === undefined ? {} : { noopFingerprint: known.noopFingerprint }) };
}
