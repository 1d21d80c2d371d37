import type { Readiness } from '../../deploy/index.js';

/** Reasons for which an object is ready although not everything that it declares runs; these are shown. */
const notable: ReadonlySet<string> = new Set(['Paused', 'Suspended', 'OnDelete', 'PartitionUpdated']);

/** Formats the readiness of a ready object. */
export function readyText({ reason, message }: Readiness): string {
  return notable.has(reason) ? `ready: ${message}` : 'ready';
}
