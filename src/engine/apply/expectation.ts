import { identityKey } from '../../assembly/identity.js';
import { pathCovers } from '../../fields/index.js';
import type { FieldConflict } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { SavedPlan } from '../run/saved-plan.js';

/** What a plan says of one object, for the deploy that is bound to it. */
export interface Expectation {
  /** Absent where there was no object. */
  readonly uid: string | undefined;
  /** The object is to be made by this stack or another one of the plan, and by nobody else. */
  readonly creates: boolean;
  /** Field managers of all stacks of the plan that declare the object. */
  readonly managers: readonly string[];
  /** Whether the plan told of a conflict. */
  expects(conflict: Pick<FieldConflict, 'field' | 'from'>): boolean;
}

/** What a saved plan says of the objects of a stack. */
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
      // Another stack of the plan may have set the field a moment ago, as planned.
      const byPlan = same.some((object) => object.manager === from && object.fields.some((other) => other.field === field));
      return contested === true || byPlan;
    },
  };
}

/** The object is not as the plan has it, found between the check and the apply. */
export function planOutdatedError(what: string, manager?: string): FieldwiseError {
  return new FieldwiseError('plan-outdated', 'resource', what, {
    ...(manager === undefined ? {} : { location: { manager } }),
    next: 'Make a new plan with `fieldwise diff --out FILE`, and look at it again.',
  });
}
