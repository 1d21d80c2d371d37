import { identityKey } from '../../../assembly/identity.js';
import { pathCovers } from '../../../fields/index.js';
import type { FieldConflict } from '../../../ownership/index.js';
import { FieldwiseError } from '../../../util/error.js';
import type { SavedPlan } from '../../run/saved-plan.js';

/** The part of a plan that is about one object, for the deploy that is bound to it. */
export interface Expectation {
  /** Absent where the object did not exist. */
  readonly uid: string | undefined;
  /** The object is to be created by this stack or another one of the plan, and by nobody else. */
  readonly creates: boolean;
  /** Field managers of all stacks of the plan that declare the object. */
  readonly managers: readonly string[];
  /** Returns true if the plan shows the conflict. */
  expects(conflict: Pick<FieldConflict, 'field' | 'from'>): boolean;
}

/** Returns what a saved plan says about an object of a stack. */
export function expectationOf(saved: SavedPlan, stack: string, key: string): Expectation {
  const same = saved.objects.filter((object) => identityKey(object) === key);
  const planned = same.find((object) => object.stack === stack);
  return {
    uid: planned?.uid,
    creates: planned?.uid === undefined && (planned?.action === 'create' || planned?.action === 'update'),
    managers: same.map(({ manager }) => manager),
    expects({ field, from }) {
      const contested = planned?.fields.some(({ field: path, change, owners }) => {
        const isSame = path === field ? ['force', 'yield', 'conflict'].includes(change) : change === 'force' && pathCovers(path, field);
        return isSame && owners?.some(({ manager }) => manager === from);
      });
      // Another stack of the plan may have just set the field, as planned.
      const byPlan = same.some((object) => object.manager === from && object.fields.some((other) => other.field === field));
      return contested === true || byPlan;
    },
  };
}

/** Returns the error for an object that the plan has seen, and that is no longer the one of its name. */
export function plannedObjectGone(manager: string): FieldwiseError {
  return planOutdatedError('The planned object no longer exists, or another one has its name', manager);
}

/** Returns the error for an object that differs from the plan, found between the check and the apply. */
export function planOutdatedError(what: string, manager?: string): FieldwiseError {
  return new FieldwiseError('plan-outdated', 'resource', what, {
    ...(manager === undefined ? {} : { location: { manager } }),
    next: 'Make a new plan with `fieldwise diff --output-file plan=FILE`, and review it.',
  });
}
