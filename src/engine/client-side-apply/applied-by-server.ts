import { type FieldSet, isEmpty, itemIndex, parseElement } from '../../fields/index.js';
import { recordedFieldsOf } from '../../ownership/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';

/**
 * Returns what a manager has applied by server-side apply, read back from the object: the base of its first client-side merge. Undefined
 * where it has applied nothing.
 */
export function appliedByServer(live: JsonObject, manager: string): JsonObject | undefined {
  const entry = recordedFieldsOf(live).find(
    (one) => one.manager === manager && one.operation === 'Apply' && one.subresource === '' && !isEmpty(one.fields),
  );
  return entry && (extractOwned(live, entry.fields) as JsonObject | undefined);
}

/** Returns the part of a value that a set names; the set itself distinguishes list items by their keys. */
function extractOwned(value: Json, set: FieldSet): Json | undefined {
  const parts = [...new Set([...set.members, ...set.children.keys()])].flatMap((text) => {
    const element = parseElement(text);
    const member = element.kind === 'field' ? memberOf(value, element.name) : itemOf(value, element);
    if (member === undefined) return [];
    const below = set.children.get(text);
    const part = below === undefined ? member : (extractOwned(member, below) ?? emptyLike(member));
    const keys = element.kind === 'key' && isJsonObject(part) ? Object.fromEntries(element.keys) : {};
    return [{ element, part: isJsonObject(part) ? { ...keys, ...part } : part }];
  });
  if (parts.length === 0) return undefined;
  if (!isJsonObject(value)) return parts.map(({ part }) => part);
  return Object.fromEntries(parts.map(({ element, part }) => [element.kind === 'field' ? element.name : '', part]));
}

function memberOf(value: Json, name: string): Json | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function itemOf(value: Json, element: Parameters<typeof itemIndex>[1]): Json | undefined {
  const index = itemIndex(value, element);
  return index === undefined ? undefined : (value as readonly Json[])[index];
}

function emptyLike(value: Json): Json {
  return Array.isArray(value) ? [] : isJsonObject(value) ? {} : value;
}
