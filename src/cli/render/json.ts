import { stringifyExactJson } from '../../util/exact-json.js';
import type { Json } from '../../util/json.js';
import type { Host } from '../host.js';

/** Writes events as NDJSON on stdout: one JSON object per line, the summary last. */
export function jsonEvents(host: Host): (event: object) => void {
  return (event) => host.stdout(`${stringifyExactJson(event as Json)}\n`);
}
