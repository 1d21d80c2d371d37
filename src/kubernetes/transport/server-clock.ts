/** The difference of two clocks up to which nothing is said about it: tokens and certificates tolerate about as much. */
export const toleratedDifferenceMs = 5 * 60_000; // milliseconds

/** Compares the clock of this machine with that of a server, by the Date header of its first response that has one. */
export class ServerClock {
  #difference: number | undefined;

  /** Milliseconds by which the clock of this machine is ahead, negative if it is behind; undefined before a response with a date. */
  get difference(): number | undefined {
    return this.#difference;
  }

  /**
   * Notes a response.
   *
   * @param date its Date header.
   * @param sent when the request was sent, by the clock of this machine.
   * @param received when the response had arrived.
   */
  note(date: string | undefined, sent: number, received: number): void {
    if (this.#difference !== undefined || date === undefined) return;
    this.#difference = clockDifference(Date.parse(date), sent, received);
  }
}

/** Returns the milliseconds by which a clock is certainly ahead of a date that was written between two moments; undefined if that is not a date. */
export function clockDifference(date: number, sent: number, received: number): number | undefined {
  if (Number.isNaN(date)) return undefined;
  if (date > received) return received - date;
  const written = date + 1_000; // The header has whole seconds.
  return sent > written ? sent - written : 0;
}
