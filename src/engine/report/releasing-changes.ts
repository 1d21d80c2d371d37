import type { FieldChange } from './plan-types.js';

/** The changes of a plan by which a stack gives a field up. */
export const releasingChanges: ReadonlySet<FieldChange> = new Set(['removed', 'defaulted', 'kept', 'item-removed']);
