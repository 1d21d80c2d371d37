import { type FieldSet, fieldSetOfPaths, membersOf, valueAt } from '../../fields/index.js';
import type { Step } from '../graph/waves.js';

/** Returns those fields of a set that an intent declares. */
export function declaredIn(fields: FieldSet, { object }: Pick<Step, 'object'>): FieldSet {
  return fieldSetOfPaths(
    membersOf(fields)
      .map(({ path }) => path)
      .filter((path) => valueAt(object, path) !== undefined),
  );
}
