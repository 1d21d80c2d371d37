import type { ErrorCode, WarningCode } from '../../util/error-codes.js';
import type { Question } from './question.js';

/** An error as a report contains it. */
export interface ReportedError {
  /** Stable; listed in docs/errors.md. */
  readonly code: ErrorCode;
  /** The event or problem, as a sentence. */
  readonly message: string;
  /** The next step, as a sentence. */
  readonly next?: string;
  /** The questions without a yes, with each object (`confirmation-needed`); the message names the first ones. */
  readonly questions?: readonly Pick<Question, 'text' | 'objects'>[];
  /** The status of the server's response, where a response was the cause. */
  readonly status?: { readonly code: number; readonly reason: string };
}

/** The run has something to report that does not concern one object. */
export interface RunDiagnostic {
  readonly event: 'warning';
  /** Stable, such as `server-without-apply`; listed in docs/errors.md. */
  readonly code: ErrorCode | WarningCode;
  /** The warning, as a sentence. */
  readonly message: string;
  /** The next step. */
  readonly next?: string;
}

/** Returns a host that reports each warning once. */
export function warnOnce(host: (warning: RunDiagnostic) => void): (warning: RunDiagnostic) => void {
  const reported = new Set<string>();
  return (warning) => {
    if (reported.has(warning.message)) return;
    reported.add(warning.message);
    host(warning);
  };
}
