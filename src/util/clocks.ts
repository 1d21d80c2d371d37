import { pause } from './pause.js';

/** The two clocks of a machine, in milliseconds, and its timer. */
export interface Clocks {
  /** Never goes back, and stands still while the machine sleeps (Linux, CLOCK_MONOTONIC). */
  monotonic(): number;
  /** Goes on while the machine sleeps, and may be set to another time. */
  wall(): number;
  /** Waits. An abort ends the wait immediately, with an error. */
  pause(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** A moment on both clocks. */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

/** The clocks of this machine. */
export const systemClocks: Clocks = { monotonic: () => performance.now(), wall: () => Date.now(), pause };

export function momentOf(clocks: Clocks): Moment {
  return { monotonic: clocks.monotonic(), wall: clocks.wall() };
}

/**
 * Returns the milliseconds that may have passed since a moment: those of the clock that has moved more. Infinity if the wall clock has gone
 * back, because it then does not tell.
 */
export function elapsedSince(clocks: Clocks, { monotonic, wall }: Moment): number {
  const byWall = clocks.wall() - wall;
  return byWall < 0 ? Number.POSITIVE_INFINITY : Math.max(byWall, clocks.monotonic() - monotonic);
}
