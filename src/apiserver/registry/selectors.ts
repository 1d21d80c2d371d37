import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { matchesLabels } from '../../util/label-selector.js';

export type Matcher = (object: JsonObject) => boolean;

/** Returns a matcher for a LabelSelector; one that is absent or empty matches everything. */
export function selectorMatcher(selector: Json | undefined): Matcher {
  return ({ metadata }) => matchesLabels(selector, isJsonObject(metadata) && isJsonObject(metadata.labels) ? metadata.labels : {});
}
