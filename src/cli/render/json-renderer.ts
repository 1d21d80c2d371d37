import { withIntegersAsText } from '../../util/integers-as-text.js';
import type { Host } from '../host.js';

/** Returns a renderer that prints events as NDJSON on stdout: one JSON object per line, the summary last. */
export function jsonRenderer(host: Host): (event: object) => void {
  return (event) => host.stdout(`${JSON.stringify(withIntegersAsText(event))}\n`);
}
