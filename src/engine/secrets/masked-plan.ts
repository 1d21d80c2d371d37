import type { PlannedObject } from '../report/plan-types.js';
import type { SecretMasker } from './secret-masker.js';

/** Returns a planned object without the values of Secrets, neither in fields, also of other objects, nor in texts that quote them. */
export function maskedPlan(object: PlannedObject, secrets: SecretMasker): PlannedObject {
  const objectType = { apiVersion: object.apiVersion, kind: object.kind };
  const fields = object.fields.map((field) => ({
    ...secrets.maskField(field, objectType),
    ...(field.reason === undefined ? {} : { reason: secrets.mask(field.reason) }),
    ...(field.collateral ? { collateral: field.collateral.map((lost) => secrets.maskField(lost, objectType)) } : {}),
  }));
  return {
    ...object,
    fields,
    ...(object.reason === undefined ? {} : { reason: secrets.maskSentence(object.reason) }),
    ...(object.error === undefined ? {} : { error: secrets.maskError(object.error) }),
    ...(object.notJudged === undefined ? {} : { notJudged: { ...object.notJudged, refusal: secrets.maskError(object.notJudged.refusal) } }),
    ...(object.warnings === undefined ? {} : { warnings: object.warnings.map((warning) => secrets.mask(warning)) }),
    ...(object.judgments === undefined
      ? {}
      : { judgments: object.judgments.map((judgment) => ({ ...judgment, message: secrets.mask(judgment.message) })) }),
  };
}
