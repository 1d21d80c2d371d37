import type { Question } from './question.js';
export interface ReportedError {
  /** Stable; listed in docs/errors.md. */
  readonly code: string;
  readonly message: string;
  readonly next?: string;
  /** What nobody has agreed to, with each object (`confirmation-needed`); the message names the first ones. */
  readonly questions?: readonly Pick<Question, 'text' | 'objects'>[];
  /** The server's answer, where it was one. */
  readonly status?: { readonly code: number; readonly reason: string };
}

/** Something about the whole run that a person should know. */
export interface RunDiagnostic {
  readonly event: 'warning';
  /** Stable, such as `server-without-apply`; listed in docs/errors.md. */
  readonly code: string;
  readonly message: string;
  readonly next?: string;
}

/** Says each warning once, however often it is met. */
export function warnOnce(host: (warning: RunDiagnostic) => void): (warning: RunDiagnostic) => void {
  const said = new Set<string>();
  return (warning) => {
    if (said.has(warning.message)) return;
    said.add(warning.message);
    host(warning);
  };
}
