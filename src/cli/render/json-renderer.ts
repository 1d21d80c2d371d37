import { withIntegersAsText } from '../../util/integers-as-text.js';
import type { Host } from '../process/host.js';

/** Returns a renderer that prints events as NDJSON on stdout: one JSON object per line, of the type of the command in `json/lines.ts`. */
export function jsonRenderer<Line extends object>(host: Pick<Host, 'stdout'>): (line: Line) => void {
  return (event) => host.stdout(`${JSON.stringify(withIntegersAsText(event))}\n`);
}

/** Adds the environment to each line of JSON. */
export function withEnvironment(host: Host, environment: string): Host {
  return { ...host, stdout: (text) => host.stdout(text.replace(/\}\n$/, `,"environment":${JSON.stringify(environment)}}\n`)) };
}
