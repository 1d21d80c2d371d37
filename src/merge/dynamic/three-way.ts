import { type FieldSet, fieldSetOfPaths, withoutPath } from '../../fields/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { ThreeWayMerger } from './three-way-merger.js';
import type { CollateralValue, ContestedField, RetainedField, ThreeWayInput } from './three-way-result.js';

export interface ThreeWayResult {
  /** `live` itself where nothing changes. */
  readonly merged: JsonObject;
  readonly contested: readonly ContestedField[];
  readonly collateral: readonly CollateralValue[];
  readonly retained: readonly RetainedField[];
  /** Declared fields and items that were there, with the same value, before this manager declared them, brought by nobody on lasting record. */
  readonly preexisting: FieldSet;
  /** The intent without the fields that were yielded: the base of the next merge, once through `rememberedIntent`. */
  readonly applied: JsonObject;
}

/**
 * Lays an intent over a live object field by field, as server-side apply does, where no server does it: what is declared wins; what was
 * declared last time and no longer is goes, unless somebody else holds it or has changed it since; everything else stays. Maps merge
 * member by member, lists by their rule. Items stand in their live order, new ones behind them in the order in which they are declared:
 * an order that is enforced would be written again and again against whoever else sorts or injects items.
 *
 * An item that this manager brought and no longer declares goes whole, as on the server; `vanishing` lists what others have in it. A
 * declared null takes a scalar or an atomic list away and does nothing to what others have in a map or an associative list.
 *
 * @throws FieldwiseError `list-item-ambiguous` where declared items of an associative list are not told apart.
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

/** What names an object, pins it or is the server's own is nobody's to merge. */
function withoutIdentity(object: JsonObject): JsonObject {
  const { metadata, ...others } = omit(object, identity);
  if (!isJsonObject(metadata)) return others;
  return { ...others, metadata: omit(metadata, metadataIdentity) };
}

function omit(map: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(map).filter(([name]) => !names.includes(name)));
}
