import { metadataOf } from '../../fields/object.js';
import { applyEntryOf } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import type { Outcome } from '../../util/outcome.js';

/** The part of the response to an apply with which a later response is compared. */
interface LastApply {
  readonly uid: unknown;
  readonly resourceVersion: unknown;
  /** The time of the manager's managedFields entry. */
  readonly appliedAt: string | undefined;
}

const capacity = 10_000;

/**
 * The last apply to each object, which proves that a later one changed the object or not; keeps the latest 10,000. See
 * docs/decisions/02-proofs.md.
 */
export class LastApplies {
  readonly #last = new Map<string, LastApply>();

  /** Records a response and returns the outcome that it proves; `applied` if it proves none. */
  recordAndCompare(
    key: string,
    applied: JsonObject,
    manager: string,
    subresource?: string,
  ): Extract<Outcome, 'unchanged' | 'updated' | 'applied'> {
    const before = this.#last.get(key);
    const { uid, resourceVersion } = metadataOf(applied);
    const appliedAt = applyEntryOf(applied, manager, subresource)?.time;
    this.#last.delete(key); // Moves the key to the end of the insertion order.
    this.#last.set(key, { uid, resourceVersion, appliedAt });
    for (const oldest of this.#last.keys()) {
      if (this.#last.size <= capacity) break;
      this.#last.delete(oldest);
    }
    if (!before || before.uid !== uid) return 'applied';
    if (before.resourceVersion === resourceVersion) return 'unchanged';
    return appliedAt !== undefined && appliedAt !== before.appliedAt ? 'updated' : 'applied';
  }
}
