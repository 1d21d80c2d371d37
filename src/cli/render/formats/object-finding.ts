import type { ErrorCode } from '../../../util/error-codes.js';
import type { Phrase } from './phrase.js';

/** The changes that a person should look at before they are deployed, or after they were, with their meanings. */
export const riskyMeanings = {
  'field-taken': 'A field that another manager owns is forced: the other one loses it.',
  'field-perhaps-taken': 'A field that another manager owns is perhaps forced: the request was answered with an error.',
  'release-changes-value': 'A field that is no longer declared is removed or gets another value.',
  'last-owner-released': 'A field that is no longer declared loses its last owner; its value stays until somebody sets another one.',
  'collateral-removed': 'A field of others is removed together with a list item or map entry of this stack.',
  'object-deleted': 'An object is deleted.',
  'object-recreated': 'An object is deleted and created again, because an immutable field changes.',
  'object-pruned-elsewhere': 'An object also belongs to another tool, which deletes it once its files no longer contain it.',
  'rule-warned': 'A rule of the project warns of the change.',
  'admission-warned': 'A ValidatingAdmissionPolicy warns of the change.',
  'admission-audited': 'A ValidatingAdmissionPolicy objects to the change, and its binding only audits.',
  'admission-not-evaluated': 'A ValidatingAdmissionPolicy reads what a plan does not know: the server may still deny the change.',
  'definition-warned': 'A rule of a CustomResourceDefinition is broken by a value that the change leaves as it is: the server warns of it.',
  'definition-not-evaluated':
    'The rules of a CustomResourceDefinition read what a plan does not know: the server may still deny the change.',
  'field-contended': 'A field was forced many times in a row from the same manager: two writers fight over it.',
} as const;

export type RiskyCode = keyof typeof riskyMeanings;

/** The reasons for which an object is not changed or not ready, with their meanings; every code of an error is one, too. */
export const blockedMeanings = {
  'field-conflict': 'Another manager owns a declared field, and the policy is `fail`.',
  'not-ready': 'The object was applied, and did not become ready.',
} as const;

/** Codes that are neither a risk nor a reason for a failure, with their meanings. */
export const notedMeanings = {
  'not-judged':
    'The server cannot judge an object, because the deploy first creates or changes what its refusal of the dry run can depend on.',
} as const;

export type BlockedCode = keyof typeof blockedMeanings;

/** The weight of an object or a finding, the heaviest first. */
export type Risk = 'blocked' | 'risky' | 'skipped' | 'harmless' | 'unchanged';

/** Something about an object that a person has to know. */
export interface ObjectFinding {
  readonly code: RiskyCode | BlockedCode | ErrorCode;
  readonly risk: 'blocked' | 'risky';
  /** Returns its sentence: most formats show only some findings. */
  text(): Phrase;
  /** Further facts, one line each. */
  readonly details?: readonly Phrase[];
}
