import { isJsonObject, type Json, type JsonObject } from '../util/json.js';
import { canonicalElement, sortElements } from './element.js';
import { emptyFieldSet, type FieldSet, isEmpty } from './field-set.js';

/**
 * Reads FieldsV1 as the server does: unknown prefixes are skipped and the content of `.` is ignored. Anything but an object reads as the
 * empty set. Source: Kubernetes API reference, FieldsV1.
 */
export function readFieldsV1(fields: Json | undefined): FieldSet {
  return isJsonObject(fields) ? readNode(fields, false) : emptyFieldSet;
}

/**
 * Reads FieldsV1 that may be damaged.
 *
 * @throws SyntaxError if an element cannot be read, or if the value below one is neither an object nor null.
 */
export function readFieldsV1Strictly(fields: Json | undefined): FieldSet {
  if (fields === undefined || fields === null) return emptyFieldSet;
  if (!isJsonObject(fields)) throw new SyntaxError('FieldsV1 is not a JSON object');
  return readNode(fields, true);
}

function readNode(fields: JsonObject, strict: boolean): FieldSet {
  const members = new Set<string>();
  const children = new Map<string, FieldSet>();
  for (const name of Object.keys(fields)) {
    if (name === '.') continue;
    const below = fields[name];
    const element = elementOf(name, strict);
    if (element === undefined) continue;
    if (strict && below !== null && !isJsonObject(below))
      throw new SyntaxError(`FieldsV1 does not hold a JSON object below ${JSON.stringify(name)}`);
    const map = isJsonObject(below) ? below : {};
    const child = readNode(map, strict);
    if (Object.hasOwn(map, '.') || Object.keys(map).length === 0) members.add(element);
    if (!isEmpty(child)) children.set(element, child);
  }
  if (members.size === 0 && children.size === 0) return emptyFieldSet;
  // Most nodes have members or children, not both: an empty set of their own would cost as much memory as a full one.
  return { members: members.size > 0 ? members : emptyFieldSet.members, children: children.size > 0 ? children : emptyFieldSet.children };
}

function elementOf(name: string, strict: boolean): string | undefined {
  if (strict && name[1] !== ':') throw new SyntaxError(`FieldsV1 holds ${JSON.stringify(name)}, which has no prefix`);
  if (strict) return canonicalElement(name);
  try {
    return canonicalElement(name);
  } catch {
    return undefined;
  }
}

/** Returns FieldsV1 whose `JSON.stringify` equals the server's bytes: the members are in the server's order. */
export function writeFieldsV1(set: FieldSet): JsonObject {
  const result: Record<string, Json> = {};
  const elements = new Set([...set.members, ...set.children.keys()]);
  for (const element of sortElements(elements)) {
    const child = set.children.get(element);
    if (child === undefined) result[element] = {};
    else result[element] = set.members.has(element) ? { '.': {}, ...writeFieldsV1(child) } : writeFieldsV1(child);
  }
  return result;
}
