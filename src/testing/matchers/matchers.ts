import { matchConflictWith } from './conflict-with.js';
import type { FieldManager } from './field-manager.js';
import type { MatchResult } from './match-result.js';
import { matchOwnedBy } from './owned-by.js';
import { type ExpectedPlan, matchPlan } from './plan.js';
import { type ExpectedFields, matchReleaseOnly } from './release-only.js';
import { matchSucceeded } from './succeeded.js';

/** The matchers, for `expect.extend` of vitest, jest, and other test runners with the same interface. */
export const matchers = {
  toBeOwnedBy: (received: unknown, field: string, owner: FieldManager): MatchResult => matchOwnedBy(received, field, owner),
  toReleaseOnly: (received: unknown, fields: ExpectedFields): MatchResult => matchReleaseOnly(received, fields),
  toPlan: (received: unknown, expected: ExpectedPlan): MatchResult => matchPlan(received, expected),
  toConflictWith: (received: unknown, manager: FieldManager, field?: string): MatchResult => matchConflictWith(received, manager, field),
  toSucceed: (received: unknown): MatchResult => matchSucceeded(received),
};

/**
 * The matchers as methods of `expect(…)`. `fieldwise/testing/vitest` and `fieldwise/testing/jest` declare them; with another test runner,
 * let its interface of matchers extend this one.
 */
export interface FieldwiseMatchers<R = unknown> {
  /**
   * Passes if a manager owns a field of an object, or owns a container of it as a whole.
   *
   * ```ts
   * expect(await cluster.get('Deployment', 'web', 'shop')).toBeOwnedBy('.spec.template.spec.containers[name="web"].image', stack);
   * ```
   */
  toBeOwnedBy(field: string, owner: FieldManager): R;
  /**
   * Passes if a deploy, a destroy or a plan releases exactly these fields, deletes no object, and takes no field of others along.
   *
   * ```ts
   * expect(await cluster.deploy(app)).toReleaseOnly(['.spec.replicas']);
   * ```
   */
  toReleaseOnly(fields: ExpectedFields): R;
  /**
   * Passes if a plan has these actions and changes, and leaves every other object unchanged.
   *
   * ```ts
   * expect(await cluster.plan(app)).toPlan({ 'Deployment shop/web': { fields: { '.spec.replicas': { newValue: 5 } } } });
   * ```
   */
  toPlan(expected: ExpectedPlan): R;
  /**
   * Passes if an apply, a deploy or a plan meets a conflict with a manager; the policy may force the field, yield it or stop.
   *
   * ```ts
   * await expect(cluster.apply('kubectl', intent)).rejects.toConflictWith(stack, '.spec.replicas');
   * ```
   */
  toConflictWith(manager: FieldManager, field?: string): R;
  /**
   * Passes if every object of a deploy or destroy succeeded.
   *
   * ```ts
   * expect(await cluster.deploy(app)).toSucceed();
   * ```
   */
  toSucceed(): R;
}
