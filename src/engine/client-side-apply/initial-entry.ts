import { type FieldSet, fieldSetOfPaths, membersOf, valueAt } from '../../fields/index.js';
import { equalsStored } from '../../merge/dynamic/index.js';
import {
  type AppliedIntent,
  entriesWithout,
  isBeforeFirstApply,
  isPreexisting,
  recordedFieldsOf,
  releasableByInitialEntry,
} from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';

/** What a stack declares of an object. */
export interface DeclaredFields {
  readonly memory: AppliedIntent | undefined;
  /** In the terms of the server's schema. */
  readonly declared: FieldSet;
  /** The values, where the object may have others by now. */
  readonly values?: JsonObject | undefined;
  /** The object as the server would create it from what is declared; undefined where nobody knows. */
  readonly fresh: JsonObject | undefined;
}

/**
 * The managedFields of an object of which the server began its record with an apply, and so made `before-first-apply` the owner of all that was
 * there: without its part in what a stack had brought by then, as the memory of the stack shows. It would stay for good once the stack drops it.
 */
export function entriesWithoutInitialOwnership(
  live: JsonObject,
  { memory, declared, values, fresh }: DeclaredFields,
): readonly JsonObject[] {
  const from = recordedFieldsOf(live).find(isBeforeFirstApply);
  if (from === undefined || !memory?.unrecorded) return entriesWithout(live, []) as readonly JsonObject[];
  const isStill = ({ path, leaf }: { path: Parameters<typeof valueAt>[1]; leaf: boolean }) =>
    !leaf || values === undefined || equalsStored(valueAt(live, path), valueAt(values, path));
  const introduced = membersOf(declared).filter((member) => !isPreexisting(member.path, memory) && isStill(member));
  const fields = releasableByInitialEntry(from.fields, fieldSetOfPaths(introduced.map(({ path }) => path)), live, fresh);
  return entriesWithout(live, [{ from, fields }]) as readonly JsonObject[];
}
