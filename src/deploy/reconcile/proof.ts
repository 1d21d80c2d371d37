import { createHash } from 'node:crypto';
import { digestOfIntent } from '../ending/vanishing.js';
import type { InventoryEntry } from '../inventory/entry.js';
import type { Step } from '../order/waves.js';

/** An object as it was at one moment. */
export interface Moment {
  readonly uid: string;
  readonly resourceVersion: string;
}

/**
 * What the inventory notes when it has been seen that applying an intent changes nothing: by the server, which accepted the PATCH and
 * wrote nothing, or by `holdsIntent`. The same request to the same object under the same schema changes nothing again, so that an equal
 * text at the next run needs no look at any value. It stands for all of that at once: whatever changes makes another text.
 *
 * Source: Kubernetes API concepts, "Resource versions": an object that was written has another resourceVersion.
 */
export function proofOf({ object, stack }: Pick<Step, 'object' | 'stack'>, schema: string, { uid, resourceVersion }: Moment): string {
  const all = [stack.manager, digestOfIntent(object), schema, uid, resourceVersion];
  return createHash('sha256').update(JSON.stringify(all)).digest('base64url').slice(0, 22);
}

/**
 * What the inventory learns from an apply. Where the server wrote nothing and would write nothing if it were asked once more (`settled`), that
 * is noted. Where nobody asked for the schema, what was known lasts as long as the resourceVersion shows no write.
 */
export function learnedFrom(
  settled: boolean,
  step: Step,
  entry: InventoryEntry,
  known: InventoryEntry | undefined,
): Pick<InventoryEntry, 'schema' | 'proof'> {
  const { schema, uid, resourceVersion } = entry;
  if (uid === undefined || !resourceVersion) return {};
  if (schema !== undefined) return settled ? { proof: proofOf(step, schema, { uid, resourceVersion }) } : {};
  if (known?.schema === undefined || known.uid !== uid || known.resourceVersion !== resourceVersion) return {};
  return { schema: known.schema, ...(known.proof === undefined ? {} : { proof: known.proof }) };
}
