import type { FieldConflict } from '../../ownership/index.js';

/** A conflict that force has won, or has perhaps won. */
export interface ForcedField extends FieldConflict {
  /** The request was answered with an error, and nothing shows whether the server carried it out. */
  readonly perhaps?: true;
  /** An earlier run forced it, and ended before it could report that. */
  readonly earlier?: true;
}

/** Returns conflicts of which nothing shows whether force has won them. */
export function perhapsForced(conflicts: readonly FieldConflict[]): readonly ForcedField[] {
  return conflicts.map((conflict) => ({ ...conflict, perhaps: true }));
}

/** Returns the word of a report for a conflict that is won by force: the one place that decides how sure it is. */
export function forcedWord({ perhaps, earlier }: ForcedField, verb: 'forced' | 'took'): string {
  return `${perhaps ? 'perhaps ' : ''}${verb}${earlier ? ' in an earlier run' : ''}`;
}
