import type { ImportDiagnosticCodes } from '../../util/error-codes.js';

/** A part of a schema that the model does not hold, reported so that nothing is dropped silently. */
export interface SchemaDiagnostic {
  /** Stable, such as `junctor-not-checked`; listed in docs/errors.md. */
  readonly code: SchemaDiagnosticCode;
  /** Kind and group-version, such as `Gateway edge.example.com/v1`, or the name of a built-in type. */
  readonly subject: string;
  /** Field path inside the subject, such as `.spec.listeners[].port`; `.` for the root. */
  readonly path: string;
  /** One sentence without the path. */
  readonly message: string;
}

/** Each code is documented at its declaration. */
export type SchemaDiagnosticCode = keyof ImportDiagnosticCodes;
