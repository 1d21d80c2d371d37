import pc from 'picocolors';
import type { RunDiagnostic } from '../../deploy/index.js';
import type { Host } from '../process/host.js';
import { forPeople, linesText } from './printable.js';
import { runWarningText } from './run-renderer.js';
import { wrapText } from './wrap.js';

/** Returns a renderer that prints warnings for people, on stderr. */
export function warningRenderer(host: Host): (warning: RunDiagnostic) => void {
  const colors = pc.createColors(host.colorsMessages);
  return forPeople((warning) => host.raw.stderr(wrapText(linesText([runWarningText(warning, colors)]), host.columns)));
}
