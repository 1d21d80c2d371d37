import { type FieldPath, type FieldSet, fieldKey, itemNames, parseElement, valueAt } from '../../fields/index.js';
import { stringifyExactJson } from '../../util/exact-json.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { annotationOf } from '../object.js';
import { lastAppliedAnnotation, readLastApplied } from './last-applied.js';

/** Returns the object that client-side `kubectl apply` last applied, read from its annotation. */
export function lastAppliedOf(object: JsonObject): JsonObject | undefined {
  const text = annotationOf(object, lastAppliedAnnotation);
  return text === undefined ? undefined : readLastApplied(text);
}

/** Returns a function that is true for fields that `kubectl apply` declared, and false for those defaulted in its name. */
export function declaredByKubectl(applied: JsonObject): (path: FieldPath) => boolean {
  return (path) => valueAt(applied, path) !== undefined;
}

/**
 * Returns the text of the annotation without some fields: client-side apply deletes the fields of its annotation that its file lacks, and
 * must not delete fields that now belong to others. Emptied containers, and empty ones around such fields, are removed too, or client-side apply
 * would delete them whole.
 *
 * @returns undefined if no declared field is left.
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
  return left.length > 0 ? Object.fromEntries(left) : undefined;
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
