import type { Json } from '../../util/json.js';
import type { PlannedObject } from '../report/plan-types.js';
import { maskField, type SecretMasker } from './secret-masker.js';

/**
 * Returns a planned object without the values of Secrets, neither in fields nor in texts that quote them.
 *
 * @param hide returns the replacement for a value; `***` unless given.
 */
export function maskedPlan(object: PlannedObject, secrets: SecretMasker, hide?: (value: Json) => Json): PlannedObject {
  const objectType = { apiVersion: object.apiVersion, kind: object.kind };
  const fields = object.fields.map((field) => ({
    ...maskField(field, objectType, hide),
    ...(field.reason === undefined ? {} : { reason: secrets.mask(field.reason) }),
    ...(field.collateral ? { collateral: field.collateral.map((lost) => maskField(lost, objectType, hide)) } : {}),
  }));
  return {
    ...object,
    fields,
    ...(object.reason === undefined ? {} : { reason: secrets.mask(object.reason) }),
    ...(object.error === undefined ? {} : { error: secrets.maskError(object.error) }),
  };
}
