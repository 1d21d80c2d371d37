import { type FieldPath, type FieldSet, fieldKey, itemNames, parseElement, valueAt } from '../fields/index.js';
import { parseExactJson, stringifyExactJson } from '../util/exact-json.js';
import { isJsonObject, type Json, type JsonObject } from '../util/json.js';
import { lastAppliedAnnotation } from './last-applied.js';
import { annotationOf } from './object.js';

/** What client-side `kubectl apply` last applied to an object, as its annotation tells. */
export function lastAppliedOf(object: JsonObject): JsonObject | undefined {
  const text = annotationOf(object, lastAppliedAnnotation);
  if (text === undefined) return undefined;
  try {
    const value = parseExactJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether `kubectl apply` declared a field, rather than had it defaulted in its name. */
export function declaredByKubectl(applied: JsonObject): (path: FieldPath) => boolean {
  return (path) => valueAt(applied, path) !== undefined;
}

/**
 * The text of the annotation without some fields: client-side apply deletes what its annotation has and its file has not, and must not
 * delete what is somebody else's by now. Containers that this empties go, too, or else it would delete them whole.
 *
 * @returns undefined where nothing is left that it declares.
 */
export function trimmedLastApplied(applied: JsonObject, transferred: FieldSet): string | undefined {
  const { apiVersion, kind, metadata, ...content } = trimmedMap(applied, transferred) ?? {};
  const { name, namespace, ...declared } = isJsonObject(metadata) ? metadata : {};
  const { annotations, ...others } = declared;
  const isBare = isJsonObject(annotations) && Object.keys(annotations).length === 0;
  if (Object.keys({ ...content, ...others, ...(annotations === undefined || isBare ? {} : { annotations }) }).length === 0)
    return undefined;
  return `${stringifyExactJson({ apiVersion, kind, metadata: metadata ?? { name, namespace }, ...content })}\n`;
}

function trimmed(value: Json, transferred: FieldSet): Json | undefined {
  if (isJsonObject(value)) return trimmedMap(value, transferred);
  return Array.isArray(value) ? trimmedList(value as readonly Json[], transferred) : value;
}

function trimmedMap(value: JsonObject, transferred: FieldSet): JsonObject | undefined {
  const left = Object.entries(value).flatMap(([name, member]): [string, Json][] => {
    const element = fieldKey(name);
    const below = transferred.children.get(element);
    if (member === undefined || (transferred.members.has(element) && below === undefined)) return [];
    const kept = below === undefined ? member : trimmed(member, below);
    return kept === undefined ? [] : [[name, kept]];
  });
  return left.length > 0 || Object.keys(value).length === 0 ? Object.fromEntries(left) : undefined;
}

function trimmedList(items: readonly Json[], transferred: FieldSet): readonly Json[] | undefined {
  const at = itemNames(items, transferred);
  const left = items.flatMap((item, index): Json[] => {
    const text = at.get(index);
    if (text === undefined) return [item];
    const below = transferred.children.get(text);
    if (below === undefined || !isJsonObject(item)) return transferred.members.has(text) ? [] : [item];
    const element = parseElement(text);
    const names = element.kind === 'key' ? element.keys.map(([name]) => name) : [];
    const kept = trimmedMap(item, below) ?? {};
    const declaresMore = Object.keys(kept).some((name) => !names.includes(name));
    if (!declaresMore && transferred.members.has(text)) return [];
    const keys = Object.fromEntries(names.filter((name) => item[name] !== undefined).map((name) => [name, item[name] as Json]));
    return [{ ...keys, ...kept }];
  });
  return left.length > 0 ? left : undefined;
}
