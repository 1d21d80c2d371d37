import type { ErrorCode } from '../../../util/error-codes.js';
import type { Phrase } from './phrase.js';

/** A change that a person should look at before it is deployed, or after it was. */
export type RiskyCode =
  /** A field that another manager owns is forced: the other one loses it. */
  | 'field-taken'
  /** A field that is no longer declared is removed or gets another value. */
  | 'release-changes-value'
  /** A field that is no longer declared loses its last owner; its value stays until somebody sets another one. */
  | 'last-owner-released'
  /** A field of others is removed together with a list item or map entry of this stack. */
  | 'collateral-removed'
  /** An object is deleted. */
  | 'object-deleted'
  /** An object is deleted and created again, because an immutable field changes. */
  | 'object-recreated'
  /** An object also belongs to another tool, which deletes it once its files no longer contain it. */
  | 'object-pruned-elsewhere'
  /** A rule of the project warns of the change. */
  | 'rule-warned'
  /** A field was forced many times in a row from the same manager: two writers fight over it. */
  | 'field-contended';

/** A reason for which an object is not changed or not ready; every code of an error is one, too. */
export type BlockedCode =
  /** Another manager owns a declared field, and the policy is `fail`. */
  | 'field-conflict'
  /** The object was applied, and did not become ready. */
  | 'not-ready';

/** The weight of an object or a finding, the heaviest first. */
export const risks = ['blocked', 'risky', 'skipped', 'harmless', 'unchanged'] as const;

export type Risk = (typeof risks)[number];

/** Something about an object that a person has to know. */
export interface ObjectFinding {
  readonly code: RiskyCode | BlockedCode | ErrorCode;
  readonly risk: 'blocked' | 'risky';
  /** Returns its sentence: most formats show only some findings. */
  text(): Phrase;
  /** Further facts, one line each. */
  readonly details?: readonly Phrase[];
}
