import { objectReference } from '../../../engine/addresses/object-reference.js';
import type { Step } from '../../../engine/graph/waves.js';
import { emptyReport, type ObjectReport } from '../../../engine/report/events.js';

/** Returns the constant part of a report about an intent. */
export function stepReport(step: Step): Omit<ObjectReport, 'result'> {
  return emptyReport(objectReference(step.stack.name, step.stack.manager, step.intent), step.intent.declaredBy);
}
