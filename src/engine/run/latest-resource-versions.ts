/**
 * The resourceVersion of each object after the last apply of a run, by any stack. Responses to concurrent applies arrive in any order: the
 * greater version is the later one; non-numeric versions are compared by arrival.
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

/** Compares numbers of any length, without leading zeros. */
function isGreater(one: string, other: string): boolean {
  return one.length === other.length ? one > other : one.length > other.length;
}
