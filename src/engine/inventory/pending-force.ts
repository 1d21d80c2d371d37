import type { ForcedPass, PassField, PassLoss } from '../../ownership/index.js';
import { stringifyExactJson } from '../../util/exact-json.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';

/**
 * A pass that is about to take fields by force, as the inventory notes it before it is sent. Never with a value: everybody who deploys may
 * list inventories. The old values are in the Secret of the history that has the number `values`; see `OldValues`.
 */
export interface PendingForce extends ForcedPass {
  readonly fields: readonly Omit<PassField, 'oldValue'>[];
  readonly losses?: readonly Omit<PassLoss, 'oldValue'>[];
  readonly values?: number;
}

/** Returns the note of a pass. */
export function pendingForceOf({ uid, resourceVersion, fields, losses, appliedAt }: ForcedPass, values: number | undefined): PendingForce {
  const noted = fields.map(({ oldValue: _, ...field }) => field);
  return {
    uid,
    resourceVersion,
    fields: noted,
    ...(losses === undefined ? {} : { losses: losses.map(({ oldValue: _, ...loss }) => loss) }),
    ...(appliedAt === undefined ? {} : { appliedAt }),
    ...(values === undefined ? {} : { values }),
  };
}

/** Returns the uid of an object to which no manager of the stack had applied when the last such pass was noted. */
export function foundUidIn(passes: readonly PendingForce[]): string | undefined {
  return passes.findLast(({ appliedAt }) => appliedAt === undefined)?.uid;
}

/** A larger value is not noted: the run that takes the field still knows it. */
const maxValueBytes = 1024;

/** Returns true if a value is small enough to be noted. */
export function isNotable(value: Json | undefined): value is Json {
  return value !== undefined && Buffer.byteLength(stringifyExactJson(value)) <= maxValueBytes;
}

/** Reads noted passes; unreadable ones are left out. */
export function readPendingForces(value: Json): readonly PendingForce[] {
  return (Array.isArray(value) ? (value as readonly Json[]) : [])
    .filter(isJsonObject)
    .flatMap(({ uid, resourceVersion, fields, losses, appliedAt, values }) => {
      if (typeof uid !== 'string' || typeof resourceVersion !== 'string' || !Array.isArray(fields)) return [];
      const read = (fields as readonly Json[]).filter(isJsonObject).flatMap(readField);
      const slot = Number.isSafeInteger(values) && (values as number) >= 0 ? { values: values as number } : {};
      const time = typeof appliedAt === 'string' ? { appliedAt } : {};
      const lost = Array.isArray(losses) ? (losses as readonly Json[]).filter(isJsonObject).flatMap(readLoss) : [];
      if (read.length + lost.length === 0) return [];
      return [{ uid, resourceVersion, fields: read, ...(lost.length === 0 ? {} : { losses: lost }), ...time, ...slot }];
    });
}

function readLoss(value: JsonObject): NonNullable<PendingForce['losses']> {
  const { change } = value;
  if (change !== 'released' && change !== 'overwritten' && change !== 'collateral') return [];
  return readField(value).map(({ owned: _, ...field }) => ({ ...field, change }));
}

function readField({ field, from, operation, subresource, owned }: JsonObject): PendingForce['fields'] {
  if (typeof field !== 'string' || typeof from !== 'string' || (operation !== 'Apply' && operation !== 'Update')) return [];
  return [
    {
      field,
      from,
      operation,
      ...(typeof subresource === 'string' ? { subresource } : {}),
      ...(owned === true ? { owned } : {}),
    },
  ];
}
