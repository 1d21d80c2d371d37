import type { Readiness } from '../../deploy/index.js';

/** Reasons for which an object is ready although not all of what it declares runs: a person should know them. */
const notable: ReadonlySet<string> = new Set(['Paused', 'Suspended', 'OnDelete', 'PartitionUpdated']);

/** An object that is ready, for a person. */
export function readyText({ reason, message }: Readiness): string {
  return notable.has(reason) ? `ready: ${message}` : 'ready';
}
