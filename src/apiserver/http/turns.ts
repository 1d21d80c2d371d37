import { setImmediate as nextIteration } from 'node:timers';
import type { ApiRequest } from '../api/request.js';

/** A body of this length is handled in milliseconds. */
export const maxShortLength = 128 * 1024;

/** Returns true for a request that is handled in milliseconds, or in one go in any case. */
export function isShort({ body = '', inOneGo = false }: ApiRequest): boolean {
  return inOneGo || body.length <= maxShortLength;
}

/** Steps of large requests that wait for their turn, the next one last. */
const waiting: (() => void)[] = [];

/**
 * Lets small requests go on between two steps of a request with a large body. Such steps run one by one, with all that arrived meanwhile
 * between them; a request that was begun goes on before others, so that few are under way.
 */
export async function letOthersGoOn(request: ApiRequest): Promise<void> {
  if (!isShort(request)) await takeTurn();
}

/** Waits for the turn of a step. */
export function takeTurn(): Promise<void> {
  return new Promise((resolve) => enqueue((turn) => waiting.push(turn), resolve));
}

/** Runs the first step of a large request, after those of the requests that were begun. */
export function begin(step: () => void): void {
  enqueue((turn) => waiting.unshift(turn), step);
}

function enqueue(add: (step: () => void) => number, step: () => void): void {
  if (add(step) === 1) nextIteration(runNext);
}

/** Runs one step in each iteration of the event loop: what is set for one iteration runs before anything that arrives. */
function runNext(): void {
  const step = waiting.pop();
  if (waiting.length > 0) nextIteration(runNext);
  step?.();
}
