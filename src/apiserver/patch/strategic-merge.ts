import { resolve, type Schema, type TypeRef } from '../../schema/index.js';
import { isJsonObject, type Json, type JsonObject, setMember } from '../../util/json.js';
import { internalError } from '../api/status-error.js';
import { has, listOfDirective, retainedKeys, unknownDirective, withoutDirectives, wrongType } from './directives.js';
import { isMerged, isReplaced, mergeKeyOf, typeNameOf } from './patch-strategies.js';
import { checkOrder, containsMaps, mergeLists, reordered } from './strategic-lists.js';

/**
 * Applies a strategic merge patch to an existing object: lists with a merge key are merged item by item.
 * Source: Kubernetes documentation "Update API Objects in Place Using kubectl patch"; directives `$patch`, `$retainKeys`,
 * `$deleteFromPrimitiveList`, `$setElementOrder`; edge cases as observed.
 *
 * @throws StatusError 400, 500
 */
export function strategicMerge(schema: Schema, ref: TypeRef | undefined, target: JsonObject, patch: JsonObject): JsonObject {
  if (has(patch, '$patch')) {
    const { $patch: directive, ...members } = patch;
    if (directive === 'replace') return members;
    if (directive === 'delete') return {};
    throw unknownDirective(patch);
  }
  const result = { ...target } as Record<string, Json>;
  const { $retainKeys: retained, ...members } = patch as Record<string, Json>;
  if (retained !== undefined) {
    const kept = retainedKeys(retained, members);
    for (const name of Object.keys(result)) if (!kept.has(name)) delete result[name];
  }
  const merge: MergeItems = (element, live, item) => strategicMerge(schema, element, live, item);
  for (const [patchMembers, order] of Object.entries(members)) {
    const name = listOfDirective(patchMembers, '$setElementOrder');
    if (name === undefined) continue;
    delete members[patchMembers];
    // That all are lists is checked before the schema is asked. Source: observed.
    for (const list of [order, result[name] ?? [], members[name] === undefined ? [] : members[name]])
      if (!Array.isArray(list)) throw wrongType([], list as Json);
    const ordered = orderedList(listStrategyAt(schema, ref, name), merge, result[name], members[name], order);
    if (ordered !== undefined) setMember(result, name, ordered);
    delete members[name];
  }
  for (const [patchMembers, value] of Object.entries(members)) {
    const removes = listOfDirective(patchMembers, '$deleteFromPrimitiveList');
    const name = removes ?? patchMembers;
    const live = Object.hasOwn(result, name) ? result[name] : undefined;
    if (value === null) delete result[name];
    else if (live === undefined || kindOf(live) !== kindOf(value)) {
      const added = removes === undefined ? withoutDirectives(value) : undefined;
      if (added !== undefined) setMember(result, name, added);
    } else if (isJsonObject(value)) {
      const field = fieldAt(schema, ref, name);
      setMember(result, name, isReplaced(typeNameOf(ref), name) ? value : strategicMerge(schema, field, live as JsonObject, value));
    } else if (Array.isArray(value)) {
      const { element, key, merges } = listStrategyAt(schema, ref, name);
      const changes = value as readonly Json[];
      const removing = removes !== undefined;
      const isMerged = merges || removing;
      setMember(result, name, isMerged ? mergeLists({ element, key, merge, removing }, live as readonly Json[], changes) : value);
    } else setMember(result, name, value);
  }
  return result;
}

/** Merges and orders a list with `$setElementOrder`; returns undefined if neither the object nor the patch has the list. */
function orderedList(
  { element, key, merges }: ListStrategy,
  merge: MergeItems,
  live: Json | undefined,
  changes: Json | undefined,
  order: Json,
): Json | undefined {
  const [before, patchItems] = [(live ?? []) as readonly Json[], (changes ?? []) as readonly Json[]];
  checkOrder(patchItems, order as readonly Json[], key);
  let merged = patchItems;
  if (changes === undefined) {
    if (live === undefined) return undefined;
    merged = before;
  } else if (live === undefined) merged = withoutDirectives(patchItems) as readonly Json[];
  else if (merges) merged = mergeLists({ element, key, merge }, before, patchItems);
  containsMaps(before, patchItems);
  return reordered(merged, order as readonly Json[], before, key);
}

type MergeItems = (element: TypeRef | undefined, live: JsonObject, item: JsonObject) => JsonObject;

function kindOf(value: Json): string {
  return Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value;
}

/** Returns the type of a member; undefined for a value without a schema. @throws StatusError 500 if the struct has no such member */
function fieldAt(schema: Schema, ref: TypeRef | undefined, name: string): TypeRef | undefined {
  const map = ref === undefined ? undefined : resolve(schema, ref).map;
  const field = map?.fields.get(name)?.type ?? map?.element;
  if (field !== undefined || map === undefined) return field;
  throw internalError(`unable to find api field in struct ${typeNameOf(ref)} for the json field ${JSON.stringify(name)}`);
}

/** How a strategic merge patch changes a list. */
interface ListStrategy {
  readonly element: TypeRef | undefined;
  /** Patch merge key; undefined for lists of scalars and for replaced lists. */
  readonly key: string | undefined;
  readonly merges: boolean;
}

export function listStrategyAt(schema: Schema, ref: TypeRef | undefined, name: string): ListStrategy {
  const field = fieldAt(schema, ref, name);
  const list = field === undefined ? undefined : resolve(schema, field).list;
  const owner = typeNameOf(ref);
  const merges = list !== undefined && (isMerged(owner, name) || (list.relation === 'associative' && !isReplaced(owner, name)));
  return { element: list?.element, key: merges ? mergeKeyOf(owner, name, list.keys) : undefined, merges };
}
