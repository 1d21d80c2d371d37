import pc from 'picocolors';
import type { SynthDiagnostic } from '../../assembly/types.js';
import type { RunDiagnostic } from '../../deploy/index.js';
import { sentence } from '../../util/error.js';
import type { Host } from '../process/host.js';
import { forPeople, linesText } from './printable.js';
import { wrapText } from './wrap.js';

type Warning = Pick<RunDiagnostic, 'message' | 'next' | 'code'>;
type WarningHost = Pick<Host, 'stderr'> & Partial<Pick<Host, 'raw' | 'colorsMessages' | 'columns'>>;

/** Returns a renderer that prints warnings for people, on stderr. */
export function warningRenderer({ stderr, raw, colorsMessages = false, columns }: WarningHost): (warning: Warning) => void {
  const colors = pc.createColors(colorsMessages);
  const print = raw?.stderr ?? stderr;
  return forPeople((warning) => print(wrapText(linesText([warningText(warning, colors)]), columns)));
}

/** Prints the warnings of a program, for people. */
export function printWarnings(warnings: readonly SynthDiagnostic[], host: WarningHost): void {
  const print = warningRenderer(host);
  for (const warning of warnings) print(synthWarning(warning));
}

/** Returns a warning of a program with the construct and the line that it is about. */
export function synthWarning({ code, message, construct, source }: SynthDiagnostic): Warning {
  const where = construct === undefined ? source && `at ${source}` : `by ${construct}${source ? ` (${source})` : ''}`;
  return { code, message, ...(where ? { next: `Declared ${where}.` } : {}) };
}

/** Formats a warning about a whole program, run or plan. */
export function warningText({ message, next, code }: Warning, colors: Pick<ReturnType<typeof pc.createColors>, 'yellow'>): string {
  return `${colors.yellow('warning:')} ${sentence(message)}${next ? ` ${sentence(next)}` : ''} [${code}]`;
}
