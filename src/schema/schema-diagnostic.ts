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

/** Stable codes of the diagnostics about schemas. */
export type SchemaDiagnosticCode =
  /** `oneOf`, `anyOf`, `allOf` or `not`: the server checks it, builders do so for complete objects only. */
  | 'junctor-not-checked'
  /** A rule about values that the model does not hold (CEL): the server checks it, builders do not. */
  | 'value-rule-not-checked'
  /** A node that the model cannot hold as written; the message says how it was read. */
  | 'node-widened'
  /** A kind that server-side apply cannot reach; no builder is made. */
  | 'kind-not-applied'
  /** A version that the API does not serve. */
  | 'version-not-served'
  /** A version that the CRD marks as deprecated. */
  | 'version-deprecated'
  /** Two wire names, or two types, wanted one name in TypeScript. */
  | 'name-changed';
