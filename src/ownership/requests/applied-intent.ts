import { createHash } from 'node:crypto';
import { emptyFieldSet, type FieldPath, type FieldSet, fieldSetOfPaths, has, readFieldsV1, writeFieldsV1 } from '../../fields/index.js';
import { metadataOf } from '../../fields/object.js';
import type { ListKeys } from '../../merge/dynamic/index.js';
import { parseExactJson, stringifyExactJson } from '../../util/exact-json.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { hasDescendants } from '../owners/covers.js';

/**
 * The intent that a stack of the strategy `dynamic` last applied to an object, read from an annotation of the object. It replaces the Apply
 * entry that the server keeps for a server-side apply. See docs/decisions, "The strategy dynamic".
 */
export interface AppliedIntent {
  readonly manager: string;
  /** The intent; values of Secrets are digests. */
  readonly intent: JsonObject;
  /** The keys of its lists, by path without list keys; a list without an entry is one value. */
  readonly lists: Readonly<Record<string, ListKeys>>;
  /** Fields that existed with the same value before, without an owner on record. */
  readonly preexisting: FieldSet;
  /** True if this manager's request created the object. */
  readonly created: boolean;
  /** True if no owner was on record since this manager came: it introduced every field that is not in `preexisting`. */
  readonly unrecorded: boolean;
}

const prefix = 'applied.fieldwise.dev/';

/** Returns the annotation name of a manager. It is a hash, because managers may be longer than annotation names. */
export function appliedAnnotation(manager: string): string {
  return prefix + createHash('sha256').update(manager).digest('hex').slice(0, 20);
}

/** Returns true if an annotation stores a stack's intent. */
export function isAppliedAnnotation(name: string): boolean {
  return name.startsWith(prefix);
}

/** Returns true if a field only stores stacks' intents: its recorded owner declared nothing there. */
export function isAppliedIntentField([first, second, third]: FieldPath, value: Json | undefined): boolean {
  const isNamed = (element: FieldPath[number] | undefined, name: string) => element?.kind === 'field' && element.name === name;
  if (!isNamed(first, 'metadata') || !isNamed(second, 'annotations')) return false;
  if (third === undefined) return isJsonObject(value) && Object.keys(value).every(isAppliedAnnotation);
  return third.kind === 'field' && isAppliedAnnotation(third.name);
}

/** Returns the text of the annotation. */
export function writeAppliedIntent({ manager, intent, lists, preexisting, created, unrecorded }: AppliedIntent): string {
  return stringifyExactJson({
    manager,
    intent,
    ...(Object.keys(lists).length > 0 ? { lists: lists as JsonObject } : {}),
    ...(preexisting === emptyFieldSet ? {} : { preexisting: writeFieldsV1(preexisting) }),
    ...(created ? { created } : {}),
    ...(unrecorded ? { unrecorded } : {}),
  });
}

/**
 * Returns the intents that stacks of the strategy `dynamic` applied to an object. Annotations that were copied from another object are
 * ignored.
 */
export function appliedIntentsOf(object: Json | undefined): readonly AppliedIntent[] {
  const annotations = isJsonObject(object) ? metadataOf(object).annotations : undefined;
  if (!isJsonObject(annotations)) return [];
  return Object.entries(annotations).flatMap(([name, text]) => {
    if (!isAppliedAnnotation(name) || typeof text !== 'string') return [];
    const read = readAppliedIntent(text);
    return read && appliedAnnotation(read.manager) === name && isOf(object as JsonObject, read.intent) ? [read] : [];
  });
}

/** Returns the intent that one manager applied by the strategy `dynamic`, if any. */
export function appliedIntentOf(object: Json | undefined, manager: string): AppliedIntent | undefined {
  return appliedIntentsOf(object).find((applied) => applied.manager === manager);
}

function readAppliedIntent(text: string): AppliedIntent | undefined {
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(value) || typeof value.manager !== 'string' || !isJsonObject(value.intent)) return undefined;
  return {
    manager: value.manager,
    intent: value.intent,
    lists: isJsonObject(value.lists) ? (value.lists as Readonly<Record<string, ListKeys>>) : {},
    preexisting: isJsonObject(value.preexisting) ? readFieldsV1(value.preexisting) : emptyFieldSet,
    created: value.created === true,
    unrecorded: value.unrecorded === true,
  };
}

/** Controllers copy annotations to the objects that they create: a Deployment's to its ReplicaSets. */
function isOf(object: JsonObject, intent: JsonObject): boolean {
  const [its, applied] = [metadataOf(object), metadataOf(intent)];
  const ofKind = object.kind === undefined || object.kind === 'PartialObjectMetadata' || object.kind === intent.kind;
  return ofKind && its.name === applied.name && (applied.namespace ?? its.namespace) === its.namespace;
}

/**
 * Returns true if a field that the server attributes to the stack existed before: itself, as a key of an existing item, or, if the server
 * and the stored intent disagree about the list type, as a part of an existing list or as a list that contained an existing item.
 */
export function isPreexisting(path: FieldPath, { preexisting }: Pick<AppliedIntent, 'preexisting'>): boolean {
  const [last, item] = [path.at(-1), path.at(-2)];
  const isKey = item?.kind === 'key' && last?.kind === 'field' && item.keys.some(([name]) => name === last.name);
  if (has(preexisting, path) || (isKey && has(preexisting, path.slice(0, -1)))) return true;
  if (last?.kind === 'field' && hasDescendants(preexisting, path)) return true;
  return path.some(({ kind }, index) => kind !== 'field' && path[index - 1]?.kind === 'field' && has(preexisting, path.slice(0, index)));
}

/** Returns the fields that a stored intent declares, as a server would name them. */
export function fieldsOfApplied({ intent, lists }: Pick<AppliedIntent, 'intent' | 'lists'>): FieldSet {
  const paths = [...fieldsBelow(intent, [], '', lists)];
  return fieldSetOfPaths(paths.filter((path) => !isIdentity(path)));
}

const identity = new Set(['name', 'namespace', 'uid', 'resourceVersion']);

function isIdentity([first, second]: FieldPath): boolean {
  if (first?.kind !== 'field') return true;
  if (first.name === 'apiVersion' || first.name === 'kind') return true;
  return first.name === 'metadata' && (second === undefined || (second.kind === 'field' && identity.has(second.name)));
}

function* fieldsBelow(value: Json | undefined, path: FieldPath, pattern: string, lists: AppliedIntent['lists']): Generator<FieldPath> {
  if (value === undefined || value === null) return;
  if (isJsonObject(value) && Object.keys(value).length > 0) {
    for (const [name, member] of Object.entries(value)) {
      yield* fieldsBelow(member, [...path, { kind: 'field', name }], pattern === '' ? name : `${pattern}.${name}`, lists);
    }
    return;
  }
  const keys = Array.isArray(value) ? lists[pattern] : undefined;
  if (keys === undefined || keys === 'atomic') {
    yield path;
    return;
  }
  for (const item of value as readonly Json[]) {
    const element = elementOf(item, keys);
    if (element === undefined) continue;
    yield [...path, element];
    if (isJsonObject(item)) yield* fieldsBelow(item, [...path, element], pattern, lists);
  }
}

function elementOf(item: Json, keys: Exclude<ListKeys, 'atomic'>): FieldPath[number] | undefined {
  if (keys === 'set') return typeof item === 'object' ? undefined : { kind: 'value', value: item };
  if (!isJsonObject(item)) return undefined;
  const named = [...keys].sort().flatMap((name) => (item[name] === undefined ? [] : [[name, item[name] as Json] as const]));
  return named.length > 0 ? { kind: 'key', keys: named } : undefined;
}
