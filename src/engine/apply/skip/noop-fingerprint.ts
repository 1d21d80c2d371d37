import { createHash } from 'node:crypto';
import type { Step } from '../../graph/waves.js';
import type { InventoryEntry } from '../../inventory/inventory-entry.js';

/**
 * Computes noop fingerprints. The inventory records one when applying an intent is known to change nothing: by `isIntentApplied`, or because
 * the server accepted the PATCH, wrote nothing, nothing in its admission saw the PATCH, and the object has the declared values
 * (`keepsDeclaredValues`): a policy may come and go between the look at admission and the PATCH, and a server takes a moment to notice either. The same request to the same object under the same schema changes nothing again, so with
 * an equal fingerprint the next run needs no look at any value. A fingerprint stands for the intent, the field manager, the schema and the
 * resourceVersion at once: any change makes another one. The object's uid is recorded beside it in the entry, and is compared first.
 *
 * A run has one instance, which caches the digests of managers and schemas: they are few.
 *
 * Source: Kubernetes API concepts, "Resource versions": an object that was written has another resourceVersion.
 */
export class NoopFingerprints {
  readonly #digests = new Map<string, string>();

  of({ digest: intentDigest, stack }: Pick<Step, 'digest' | 'stack'>, schema: string, resourceVersion: string): string {
    const key = `${schema} ${stack.manager}`;
    let digest = this.#digests.get(key);
    if (digest === undefined) {
      digest = createHash('sha256').update(key).digest('hex').slice(0, 12);
      this.#digests.set(key, digest);
    }
    return `${intentDigest}/${digest}/${resourceVersion}`;
  }
}

/**
 * Returns the members of an inventory entry that record a proof after an apply. If the apply is known to change
 * nothing whenever it is sent (`isNoop`), they hold a new fingerprint. If the schema was not read, the known fingerprint stays valid as long as the
 * resourceVersion shows no write.
 */
export function rememberedFingerprint(
  fingerprints: NoopFingerprints,
  isNoop: () => boolean,
  step: Step,
  entry: InventoryEntry,
  known: InventoryEntry | undefined,
): Pick<InventoryEntry, 'schema' | 'noopFingerprint'> {
  const { schema, uid, resourceVersion } = entry;
  if (uid === undefined || !resourceVersion) return {};
  if (schema !== undefined) return isNoop() ? { noopFingerprint: fingerprints.of(step, schema, resourceVersion) } : {};
  if (known?.schema === undefined || known.uid !== uid || known.resourceVersion !== resourceVersion) return {};
  return { schema: known.schema, ...(known.noopFingerprint === undefined ? {} : { noopFingerprint: known.noopFingerprint }) };
}
