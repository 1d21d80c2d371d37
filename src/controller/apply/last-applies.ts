import { metadataOf } from '../../kubernetes/object.js';
import { applyEntryOf } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import type { Outcome } from '../../util/outcome.js';

/** What an answer to an apply tells about a later one. */
interface LastApply {
  readonly uid: unknown;
  readonly resourceVersion: unknown;
  /** Time of our managedFields entry. */
  readonly appliedAt: string | undefined;
}

const capacity = 10_000;

/** The last apply to each object, the latest of them; what proves a later one a no-op or a patch. See docs/decisions/02-proofs.md. */
export class LastApplies {
  readonly #last = new Map<string, LastApply>();

  /** Records an answer and says what it proves: `applied` where nothing is proved. */
  recordAndCompare(
    key: string,
    applied: JsonObject,
    manager: string,
    subresource?: string,
  ): Extract<Outcome, 'unchanged' | 'updated' | 'applied'> {
    const before = this.#last.get(key);
    const { uid, resourceVersion } = metadataOf(applied);
    const appliedAt = applyEntryOf(applied, manager, subresource)?.time;
    this.#last.delete(key); // to the end of the line
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
