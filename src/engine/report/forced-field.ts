import type { FieldConflict } from '../../ownership/index.js';

/** A conflict that force has won, or has perhaps won; or a field of another owner that was removed, or perhaps removed. */
export interface ForcedField extends FieldConflict {
  /** The request was answered with an error, and nothing shows whether the server carried it out. */
  readonly perhaps?: true;
  /** An earlier run did it, and ended before it could report that. */
  readonly earlier?: true;
}

/** Returns conflicts of which nothing shows whether force has won them. */
export function perhapsForced(conflicts: readonly FieldConflict[]): readonly ForcedField[] {
  return conflicts.map((conflict) => ({ ...conflict, perhaps: true }));
}

/** Returns the word of a report for what was done to a field: the one place that decides how sure it is. */
export function forcedWord(
  { perhaps, earlier }: Pick<ForcedField, 'perhaps' | 'earlier'>,
  verb: 'forced' | 'took' | 'removed' | 'released' | 'changed',
): string {
  return `${perhaps ? 'perhaps ' : ''}${verb}${earlier ? ' in an earlier run' : ''}`;
}
