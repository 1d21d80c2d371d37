/**
 * The resourceVersion of each object after the last apply of a run, by whichever stack. Answers to applies that were under way together
 * come in any order: of two, the greater is the later. Where a server gives versions that are no numbers, the one that came last counts.
 *
 * Source: KEP-5504, "Comparable Resource Version": those of one resource are whole numbers that may be compared.
 */
export class LatestResourceVersions {
  readonly #versions = new Map<string, string>();

  record(uid: string, resourceVersion: string): void {
    const known = this.#versions.get(uid);
    if (known === undefined || !isNumber(known) || !isNumber(resourceVersion) || isGreater(resourceVersion, known)) {
      this.#versions.set(uid, resourceVersion);
    }
  }

  has(uid: string): boolean {
    return this.#versions.has(uid);
  }

  get(uid: string): string | undefined {
    return this.#versions.get(uid);
  }
}

function isNumber(version: string): boolean {
  return /^[1-9]\d*$/.test(version);
}

/** Of numbers of any length, without leading zeros. */
function isGreater(one: string, other: string): boolean {
  return one.length === other.length ? one > other : one.length > other.length;
}
