import type { ClusterClient } from '../../../kubernetes/index.js';
import type { JsonObject } from '../../../util/json.js';
import type { Step } from '../../graph/waves.js';
import { forEachConcurrent } from '../../run/for-each-concurrent.js';
import { candidatesIn, collectionsOf, type SkipCandidate, unchangedIn } from './find-unchanged.js';
import { NoopFingerprints } from './noop-fingerprint.js';
import { type AdmissionLook, type SeenBy, seesNothing } from './observers/admission-look.js';
import type { SchemaFingerprints } from './schema-fingerprints.js';

/** Intents of which a read of their object may prove that their PATCH would change nothing, and that nothing would see it. */
export class NoopProofs {
  readonly #provable: ReadonlyMap<Step, Provable>;
  readonly #fingerprints = new NoopFingerprints();

  private constructor(provable: ReadonlyMap<Step, Provable>) {
    this.#provable = provable;
  }

  /** Reads the schemas of kinds, and what sees their objects. Kinds of which that cannot be read prove nothing. */
  static async read(
    cluster: ClusterClient,
    candidates: readonly SkipCandidate[],
    options: {
      readonly schemaFingerprints: SchemaFingerprints;
      readonly admission: AdmissionLook | undefined;
      readonly concurrency: number;
    },
  ): Promise<NoopProofs> {
    const provable = new Map<Step, Provable>();
    const collections = await collectionsOf(cluster, candidates, options.schemaFingerprints);
    await forEachConcurrent(collections, options.concurrency, async (collection) => {
      const seenBy = (await options.admission?.at(collection).catch(() => 'admission, which could not be read')) ?? seesNothing;
      if (typeof seenBy === 'string') return;
      for (const candidate of candidatesIn(collection)) provable.set(candidate.step, { candidate, seenBy });
    });
    return new NoopProofs(provable);
  }

  /** Returns true if the PATCH of an intent would change nothing in an object that was read with its values. */
  prove(step: Step, live: JsonObject): boolean {
    const provable = this.#provable.get(step);
    return (
      provable !== undefined &&
      provable.seenBy(live) === undefined &&
      unchangedIn(provable.candidate, live, 'values', this.#fingerprints) !== undefined
    );
  }
}

interface Provable {
  readonly candidate: SkipCandidate;
  readonly seenBy: SeenBy;
}
