import type { ObjectReference } from '../../engine/addresses/object-reference.js';
import type { EntryIdentity } from '../../ownership/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';

/** A recorded object of a stack. */
export type RecordedReference = Pick<ObjectReference, 'stack' | 'manager' | 'object' | 'apiVersion' | 'kind' | 'namespace' | 'name'>;

/** Reads the object of a record. @throws TypeError. */
export function readReference(value: JsonObject): RecordedReference {
  const scope = value.namespace === undefined ? {} : { namespace: recordText(value, 'namespace') };
  return {
    stack: recordText(value, 'stack'),
    manager: recordText(value, 'manager'),
    object: recordText(value, 'object'),
    apiVersion: recordText(value, 'apiVersion'),
    kind: recordText(value, 'kind'),
    ...scope,
    name: recordText(value, 'name'),
  };
}

/** Reads an owner of a record. @throws TypeError. */
export function readOwner(value: Json | undefined): EntryIdentity {
  const owner = isJsonObject(value) ? value : {};
  const operation = owner.operation === 'Apply' ? 'Apply' : 'Update';
  return {
    manager: recordText(owner, 'manager'),
    operation,
    apiVersion: recordText(owner, 'apiVersion'),
    subresource: recordText(owner, 'subresource'),
  };
}

/** Returns a member that is a text. @throws TypeError. */
export function recordText(object: JsonObject, member: string): string {
  const value = object[member];
  if (typeof value !== 'string') throw new TypeError(`${member} is missing`);
  return value;
}

/** Returns a member that is a list of objects. @throws TypeError. */
export function listOf(object: JsonObject, member: string): readonly JsonObject[] {
  const value = object[member];
  if (!Array.isArray(value) || !value.every(isJsonObject)) throw new TypeError(`${member} is not a list of objects`);
  return value;
}
