import type { SynthDiagnostic } from '../../assembly/types.js';

/** Formats a warning of synth as one line, for synth, diff and deploy. */
export function warningText({ code, message, construct, source }: SynthDiagnostic): string {
  const where = construct === undefined ? source && `at ${source}` : `by ${construct}${source ? ` (${source})` : ''}`;
  return `warning ${code}: ${message}${where ? ` Declared ${where}.` : ''}\n`;
}
