/** A name that was replaced. No aliases are kept: nothing in the sources may bear it again. */
export interface RefusedName {
  readonly old: string;
  /** The name to use, for the message. */
  readonly new: string;
  /**
   * - `name` (default): exactly this name, `waitGone`; as the name of a file or folder, as a code or as a quoted key also `wait-gone`.
   * - `word`: any name that has it as a word, `vanishing` in `isVanishing`, `VanishingField` and `item-vanishing`; a `*` at its end stands for
   *   any ending.
   */
  readonly as?: 'name' | 'word';
  /** Only below this path: where the same name means something else in other places. */
  readonly below?: string;
}

/** The renames, by docs/glossary.md. */
export const refusedNames: readonly RefusedName[] = [
  { old: 'Ending', new: 'Removal', below: 'src/deploy/' },
  { old: 'Going', new: 'RemovalCandidate' },
  { old: 'retire', new: 'removeEntry or pruneObject' },
  { old: 'endInReverse', new: 'removeInReverseOrder' },
  { old: 'waitGone', new: 'waitForDeletion' },
  { old: 'goneSeconds', new: 'deletionTimeoutSeconds' },
  { old: 'Sight', new: 'Observation' },
  { old: 'vanish*', new: 'collateral removal: CollateralField, item-removed', as: 'word' },
  { old: 'giver*', new: 'previousOwner', as: 'word' },
  { old: 'Attendance', new: 'RequestContext' },
  { old: 'Emptied', new: 'prunedContainers' },
  { old: 'goForm', new: 'roundTripGoStruct' },
  { old: 'Hazard', new: 'Diagnostic', as: 'word' },
  { old: 'forcedAllTheSame', new: 'forceWasApplied' },
  { old: 'inPool', new: 'forEachConcurrent' },
  { old: 'EmbeddedCluster', new: 'EmbeddedApiServer' },
];
