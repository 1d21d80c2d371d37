import type { OwnershipTransfers } from '../../engine/transfer/ownership-transfers.js';
import { emptyFieldSet, readFieldsV1Strictly, writeFieldsV1 } from '../../fields/index.js';
import { FieldwiseError } from '../../util/error.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { applySetJson, type RecordedApplySet, readApplySet } from './apply-set/recorded-apply-set.js';
import { listOf, type RecordedReference, readOwner, readReference, recordText } from './record-json.js';

/** The changes of an adoption to one object, complete enough to undo them. */
export interface RecordedAdoption {
  readonly reference: RecordedReference;
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
  /** Present after the takeover of an ApplySet. */
  readonly applySet?: RecordedApplySet;
}

/** Returns a record as JSON, without the annotations of Secrets, which contain their values. */
export function recordJson({ objects, applySet, ...head }: AdoptionRecord): JsonObject {
  return {
    fieldwiseAdoption: 1,
    ...head,
    objects: objects.map(({ reference, uid, transfers: { transfers, annotation }, lifecycleTransferred }) => ({
      ...reference,
      uid,
      transfers: transfers.map(({ from, fields }) => ({ from: { ...from }, fieldsV1: writeFieldsV1(fields) })),
      ...(lifecycleTransferred ? { lifecycleTransferred } : {}),
      ...(annotation === undefined || reference.kind === 'Secret' ? {} : { annotation: annotationJson(annotation) }),
    })),
    ...(applySet === undefined ? {} : { applySet: applySetJson(applySet) }),
  };
}

function annotationJson({ fields, ...texts }: NonNullable<OwnershipTransfers['annotation']>): JsonObject {
  return { ...texts, fieldsV1: writeFieldsV1(fields) };
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
      app: recordText(value, 'app'),
      instance: recordText(value, 'instance'),
      server: recordText(value, 'server'),
      time: recordText(value, 'time'),
      objects: listOf(value, 'objects').map(readObject),
      ...(isJsonObject(value.applySet) ? { applySet: readApplySet(value.applySet) } : {}),
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
  const { annotation } = object;
  return {
    reference: readReference(object),
    uid: recordText(object, 'uid'),
    ...(object.lifecycleTransferred === true ? { lifecycleTransferred: true as const } : {}),
    transfers: {
      transfers: listOf(object, 'transfers').map((transfer) => ({
        from: readOwner(transfer.from),
        fields: readFieldsV1Strictly(transfer.fieldsV1),
      })),
      ...(isJsonObject(annotation)
        ? {
            annotation: {
              owner: recordText(annotation, 'owner'),
              before: recordText(annotation, 'before'),
              after: annotation.after === undefined ? undefined : recordText(annotation, 'after'),
              fields: annotation.fieldsV1 === undefined ? emptyFieldSet : readFieldsV1Strictly(annotation.fieldsV1),
            },
          }
        : {}),
    },
  };
}
