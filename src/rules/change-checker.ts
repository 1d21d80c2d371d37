import type { Judgment } from '../engine/report/judgment.js';
import type { PlannedObject } from '../engine/report/plan-types.js';
import { Change, type ObjectStates } from './change.js';
import { checkChange } from './check-change.js';
import type { Rule } from './rule.js';

/** Returns the function with which a plan has its objects checked. */
export function changeChecker(rules: readonly Rule[]): (planned: PlannedObject, states: ObjectStates) => readonly Judgment[] {
  return (planned, states) => checkChange(rules, new Change(planned, states));
}
