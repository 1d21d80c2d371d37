import type { PlannedObject } from '../../deploy/index.js';

/** Returns the note about an object that has taken the place of the one to which the stack applied last. */
export function rejoinedText({ lifecycle }: Pick<PlannedObject, 'lifecycle'>): string {
  return lifecycle === 'own' ? 'applied to the new object of this name' : 'shared with the new object of this name';
}
