import { AssertionError } from 'node:assert';
import { matchConflictWith } from './matchers/conflict-with.js';
import type { FieldManager } from './matchers/field-manager.js';
import type { MatchResult } from './matchers/match-result.js';
import { matchOwnedBy } from './matchers/owned-by.js';
import { type ExpectedPlan, matchPlan } from './matchers/plan.js';
import { type ExpectedFields, matchReleaseOnly } from './matchers/release-only.js';
import { matchSucceeded } from './matchers/succeeded.js';

/**
 * Asserts that a manager owns a field of an object, or owns a container of it as a whole.
 *
 * @throws AssertionError; FieldwiseError `option-invalid`.
 */
export function assertOwnedBy(object: unknown, field: string, owner: FieldManager): void {
  assertMatch(matchOwnedBy(object, field, owner), true, assertOwnedBy);
}

/**
 * Asserts that a manager does not own a field of an object.
 *
 * @throws AssertionError; FieldwiseError `option-invalid`.
 */
export function assertNotOwnedBy(object: unknown, field: string, owner: FieldManager): void {
  assertMatch(matchOwnedBy(object, field, owner), false, assertNotOwnedBy);
}

/**
 * Asserts that a deploy, a destroy or a plan releases exactly these fields, deletes no object, and takes no field of others along.
 *
 * @throws AssertionError; FieldwiseError `option-invalid`.
 */
export function assertReleasesOnly(result: unknown, fields: ExpectedFields): void {
  assertMatch(matchReleaseOnly(result, fields), true, assertReleasesOnly);
}

/**
 * Asserts that a plan has these actions and changes, and leaves every other object unchanged.
 *
 * @throws AssertionError; FieldwiseError `option-invalid`.
 */
export function assertPlan(plan: unknown, expected: ExpectedPlan): void {
  assertMatch(matchPlan(plan, expected), true, assertPlan);
}

/**
 * Asserts that an apply, a deploy or a plan meets a conflict with a manager.
 *
 * @param result the error of a rejected apply, or a result of the engine.
 * @throws AssertionError; FieldwiseError `option-invalid`.
 */
export function assertConflictWith(result: unknown, manager: FieldManager, field?: string): void {
  assertMatch(matchConflictWith(result, manager, field), true, assertConflictWith);
}

/**
 * Asserts that an apply, a deploy or a plan meets no conflict with a manager.
 *
 * @param result the error of a rejected apply, or a result of the engine.
 * @throws AssertionError; FieldwiseError `option-invalid`.
 */
export function assertNoConflictWith(result: unknown, manager: FieldManager, field?: string): void {
  assertMatch(matchConflictWith(result, manager, field), false, assertNoConflictWith);
}

/**
 * Asserts that every object of a deploy or destroy succeeded.
 *
 * @throws AssertionError; FieldwiseError `option-invalid`.
 */
export function assertSucceeded(report: unknown): void {
  assertMatch(matchSucceeded(report), true, assertSucceeded);
}

// biome-ignore lint/suspicious/noExplicitAny: the stack of the error begins where this function was called
function assertMatch({ pass, message }: MatchResult, expected: boolean, caller: (...words: any[]) => void): void {
  if (pass !== expected) throw new AssertionError({ message: message(), operator: caller.name, stackStartFn: caller });
}
