/** The things that a run holds, such as locks and watches. At its end they are given up, the last one first. */
export class Cleanup {
  readonly #ends: (() => void | Promise<void>)[] = [];

  /** Adds a thing that is held from now on; `end` must not throw. */
  add(end: () => void | Promise<void>): void {
    this.#ends.push(end);
  }

  /** Gives up everything that is held. Does nothing when called again. */
  async run(): Promise<void> {
    for (let end = this.#ends.pop(); end !== undefined; end = this.#ends.pop()) await end();
  }
}
