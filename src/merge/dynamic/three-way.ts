import { type FieldSet, fieldSetOfPaths, withoutPath } from '../../fields/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { ThreeWayMerger } from './three-way-merger.js';
import type { CollateralValue, ContestedField, RetainedField, ThreeWayInput } from './three-way-result.js';

export interface ThreeWayResult {
  /** `live` itself if nothing changes. */
  readonly merged: JsonObject;
  readonly contested: readonly ContestedField[];
  readonly collateral: readonly CollateralValue[];
  readonly retained: readonly RetainedField[];
  /**
   * Declared fields and items that existed with the same value before this manager declared them, without a lasting record of who
   * introduced them.
   */
  readonly preexisting: FieldSet;
  /** The intent without yielded fields: the base of the next merge, after `digestSecretValues`. */
  readonly applied: JsonObject;
}

/**
 * Merges an intent into a live object field by field, as server-side apply does, for objects that no server merges: declared values win;
 * fields that were declared last time and no longer are removed, unless another manager owns them or has changed them since; everything
 * else stays. Maps merge member by member, lists by their rule. Items keep their live order, and new ones follow in the order in which they
 * are declared: an enforced order would be written repeatedly against every manager that sorts or injects items.
 *
 * An item that this manager introduced and no longer declares is removed whole, as on the server; `collateral` lists the fields of others
 * in it. A declared null removes a scalar or an atomic list and does nothing to the fields of others in a map or an associative list.
 *
 * @throws FieldwiseError `list-item-ambiguous` if declared items of an associative list are not distinguishable.
 */
export function threeWayMerge({ base, intent, live, ...rest }: ThreeWayInput): ThreeWayResult {
  const merger = new ThreeWayMerger(rest);
  const declared = withoutIdentity(intent);
  const merged = merger.members([], base === undefined ? undefined : withoutIdentity(base), declared, live, []);
  return {
    merged,
    contested: merger.contested,
    collateral: merger.collateral,
    retained: merger.retained,
    preexisting: fieldSetOfPaths(merger.preexisting),
    applied: merger.yielded.reduce<Json>((object, path) => withoutPath(object, path), intent) as JsonObject,
  };
}

const identity = ['apiVersion', 'kind'];
const metadataIdentity = ['name', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp', 'selfLink', 'managedFields'];

/** Returns an object without identity, preconditions and server-set metadata, which are never merged. */
function withoutIdentity(object: JsonObject): JsonObject {
  const { metadata, ...others } = omit(object, identity);
  if (!isJsonObject(metadata)) return others;
  return { ...others, metadata: omit(metadata, metadataIdentity) };
}

function omit(map: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(map).filter(([name]) => !names.includes(name)));
}
