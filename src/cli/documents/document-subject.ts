import type { DiagnosticSubject } from '../../synth/diagnostic-collector.js';

/** The words for several errors of documents. */
export const subject: DiagnosticSubject = { several: 'The documents have', result: 'nothing was sent' };
