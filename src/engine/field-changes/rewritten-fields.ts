import type { PartialObject } from '../../assembly/types.js';
import { type FieldPath, formatPath, membersOf, valueAt } from '../../fields/index.js';
import { applyEntryOf } from '../../ownership/index.js';
import { isBuiltIn } from '../../schema/index.js';
import { isJsonObject, isList, type Json, type JsonObject } from '../../util/json.js';
import type { RewrittenField } from '../report/rewritten-field.js';
import { maskField } from '../secrets/secret-masker.js';
import { keepsValue } from './keeps-declared-values.js';

/**
 * Returns the fields of an applied intent of which the server keeps another value. An equal value in another form, an empty value that storage
 * leaves out, and members and items of others beside the declared ones do not count.
 *
 * @param after the whole object as the server answered the apply.
 */
export function rewrittenIn(after: JsonObject, intent: PartialObject, manager: string): readonly RewrittenField[] {
  if (holds(after, intent)) return [];
  const entry = applyEntryOf(after, manager);
  if (entry === undefined) return [];
  return membersOf(entry.fields).flatMap(({ path, leaf }): RewrittenField[] => {
    const declared = leaf ? rewrittenAt(path, intent, after) : undefined;
    if (declared === undefined) return [];
    const value = valueAt(after, path);
    return [maskField({ field: formatPath(path), declared, ...(value === undefined ? {} : { value }) }, after)];
  });
}

/** Returns the declared value of a field if the server keeps another one, or none. */
export function rewrittenAt(path: FieldPath, intent: PartialObject, after: JsonObject): Json | undefined {
  const declared = valueAt(intent, path);
  if (declared === undefined || declared === null) return undefined;
  const kept = valueAt(after, path);
  if (kept === declared) return undefined;
  // A custom resource is stored as it was sent, except for its metadata.
  const isDropped = kept === undefined && !isMetadata(path) && !isBuiltIn(intent.apiVersion);
  return isDropped || !keepsValue(kept, declared) ? declared : undefined;
}

/** Returns true if a value has what is declared, in the same form and order: the usual case, for which no owners are read. */
function holds(kept: Json | undefined, declared: Json | undefined): boolean {
  if (isJsonObject(declared)) return isJsonObject(kept) && Object.keys(declared).every((name) => holds(kept[name], declared[name]));
  if (isList(declared)) return isList(kept) && kept.length === declared.length && declared.every((item, index) => holds(kept[index], item));
  return kept === declared;
}

function isMetadata([first]: FieldPath): boolean {
  return first?.kind === 'field' && first.name === 'metadata';
}
