import type { PlannedObject } from '../engine/report/plan-types.js';
import type { RunDiagnostic } from '../engine/report/run-diagnostic.js';
import { pluralize } from '../util/pluralize.js';

/** Returns a warning about the objects that a plan could not read; undefined if there are none. */
export function objectsNotRead(objects: readonly PlannedObject[]): RunDiagnostic | undefined {
  const [first, ...others] = objects.filter(({ notRead }) => notRead);
  if (first === undefined) return undefined;
  const more = others.length === 0 ? '' : ` and ${pluralize(others.length, 'other new object')}`;
  return {
    event: 'warning',
    code: 'objects-not-read',
    message: `These credentials may not read ${first.object}${more}: permissions name objects, and those of new ones are not among them yet. They are planned as if nobody had made them, and the deploy judges them`,
    next: 'Print the permissions again with `fieldwise rbac`, for the planner with --read-only, and apply them before the deploy.',
  };
}
