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

/** The part of an object that a stack declares. */
export interface DeclaredFields {
  readonly memory: AppliedIntent | undefined;
  /** In the terms of the server's schema. */
  readonly declared: FieldSet;
  /** The values, where the object may have others by now. */
  readonly values?: JsonObject | undefined;
  /** The object as the server would create it from the declared fields; undefined where that is unknown. */
  readonly fresh: JsonObject | undefined;
}

/**
 * Returns the managedFields of an object for which the server began its record with an apply, and so made `before-first-apply` the owner of
 * everything in it: without the fields that a stack had introduced by then, according to its recorded intent. Otherwise they would stay for
 * good once the stack drops them.
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
