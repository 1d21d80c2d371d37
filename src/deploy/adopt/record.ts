import type { ObjectReference } from '../../engine/target/object-reference.js';
import type { OwnershipTransfers } from '../../engine/transfer/ownership-transfers.js';
import { readFieldsV1Strictly, writeFieldsV1 } from '../../fields/index.js';
import { FieldwiseError } from '../../util/error.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';

/** The changes of an adoption to one object, complete enough to undo them. */
export interface RecordedAdoption {
  readonly reference: Pick<ObjectReference, 'stack' | 'manager' | 'object' | 'apiVersion' | 'kind' | 'namespace' | 'name'>;
  readonly uid: string;
  readonly transfers: OwnershipTransfers;
  /** Present if the stack got the right to delete the object. */
  readonly lifecycleTransferred?: true;
}

/** A record of an adoption, written before the first change. */
export interface AdoptionRecord {
  readonly app: string;
  readonly instance: string;
  readonly server: string;
  /** RFC 3339. */
  readonly time: string;
  readonly objects: readonly RecordedAdoption[];
}

/** Returns a record as JSON, without the annotations of Secrets, which contain their values. */
export function recordJson({ objects, ...head }: AdoptionRecord): JsonObject {
  return {
    fieldwiseAdoption: 1,
    ...head,
    objects: objects.map(({ reference, uid, transfers: { transfers, annotation }, lifecycleTransferred }) => ({
      ...reference,
      uid,
      transfers: transfers.map(({ from, fields }) => ({ from: { ...from }, fieldsV1: writeFieldsV1(fields) })),
      ...(lifecycleTransferred ? { lifecycleTransferred } : {}),
      ...(annotation === undefined || reference.kind === 'Secret' ? {} : { annotation: { ...annotation } }),
    })),
  };
}

/**
 * Reads a record.
 *
 * @throws FieldwiseError `record-invalid`.
 */
export function parseRecord(text: string, file: string): AdoptionRecord {
  try {
    const value = JSON.parse(text) as Json;
    if (!isJsonObject(value) || value.fieldwiseAdoption !== 1) throw new TypeError('it is not a record of `fieldwise adopt`');
    return {
      app: textOf(value, 'app'),
      instance: textOf(value, 'instance'),
      server: textOf(value, 'server'),
      time: textOf(value, 'time'),
      objects: listOf(value, 'objects').map(readObject),
    };
  } catch (cause) {
    throw new FieldwiseError('record-invalid', 'usage', `The record cannot be read: ${(cause as Error).message}`, {
      location: { file },
      next: 'Name a file that `fieldwise adopt` wrote, unchanged.',
      cause,
    });
  }
}

function readObject(object: JsonObject): RecordedAdoption {
  const [stack, manager, text, apiVersion, kind, name, uid] = ['stack', 'manager', 'object', 'apiVersion', 'kind', 'name', 'uid'].map(
    (member) => textOf(object, member),
  ) as [string, string, string, string, string, string, string];
  const scope = object.namespace === undefined ? {} : { namespace: textOf(object, 'namespace') };
  const { annotation } = object;
  return {
    reference: { stack, manager, object: text, apiVersion, kind, ...scope, name },
    uid,
    ...(object.lifecycleTransferred === true ? { lifecycleTransferred: true as const } : {}),
    transfers: {
      transfers: listOf(object, 'transfers').map((transfer) => {
        const from = isJsonObject(transfer.from) ? transfer.from : {};
        const operation = from.operation === 'Apply' ? 'Apply' : 'Update';
        const identity = { manager: textOf(from, 'manager'), operation, apiVersion: textOf(from, 'apiVersion') } as const;
        return { from: { ...identity, subresource: textOf(from, 'subresource') }, fields: readFieldsV1Strictly(transfer.fieldsV1) };
      }),
      ...(isJsonObject(annotation)
        ? {
            annotation: {
              owner: textOf(annotation, 'owner'),
              before: textOf(annotation, 'before'),
              after: annotation.after === undefined ? undefined : textOf(annotation, 'after'),
            },
          }
        : {}),
    },
  };
}

function textOf(object: JsonObject, member: string): string {
  const value = object[member];
  if (typeof value !== 'string') throw new TypeError(`${member} is missing`);
  return value;
}

function listOf(object: JsonObject, member: string): readonly JsonObject[] {
  const value = object[member];
  if (!Array.isArray(value) || !value.every(isJsonObject)) throw new TypeError(`${member} is not a list of objects`);
  return value;
}
