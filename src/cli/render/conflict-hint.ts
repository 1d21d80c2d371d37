import type { Json } from '../../util/json.js';

/** A conflict in a field, which another manager owns. */
interface Contested {
  readonly field: string;
  /** Absent if the field is not declared. */
  readonly newValue?: Json | undefined;
  /** The owner. */
  readonly from: string;
}

/** Returns the next step after conflicts. A conflict about an undeclared field is about a union: only one of its members may be set. */
export function conflictHint(conflicts: readonly Contested[]): string {
  const inTheWay = conflicts.filter(({ newValue }) => newValue === undefined);
  const declared = conflicts.length - inTheWay.length;
  const hints = inTheWay.map(
    ({ field, from }) =>
      `The server rejects ${field} together with a declared field, so it cannot be left to its owner: remove it in ${from}, ` +
      `stop declaring the other field, or set the policy of ${field.replace(/^\./, '')} to force.`,
  );
  if (declared > 0) hints.unshift(`Leave out the field${declared > 1 ? 's' : ''}, set the policy to yield, or force the conflict.`);
  return hints.join(' ');
}
