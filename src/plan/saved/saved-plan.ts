import { createHmac, randomBytes } from 'node:crypto';
import type { Assembly, Manifest } from '../../assembly/types.js';
import { digestOf } from '../../assembly/write.js';
import type { PlannedObject } from '../../engine/report/plan-types.js';
import type { PlanSettings, SavedPlan } from '../../engine/report/saved-plan.js';
import { maskedPlan } from '../../engine/secrets/masked-plan.js';
import type { SecretMasker } from '../../engine/secrets/secret-masker.js';
import { serializeValue } from '../../fields/index.js';
import { FieldwiseError } from '../../util/error.js';
import { parseExactJson } from '../../util/exact-json.js';
import type { Json } from '../../util/json.js';

const hmacPrefix = 'hmac-sha256:';

/** Returns a plan as it can be saved. */
export function savedPlanOf(
  { manifest }: Assembly,
  settings: PlanSettings,
  objects: readonly PlannedObject[],
  secrets: SecretMasker,
): SavedPlan {
  const { app, instance } = manifest;
  const salt = randomBytes(24).toString('base64');
  const sealed = objects.map((object) => withHmacs(object, salt, secrets));
  return { fieldwise: 1, kind: 'plan', assembly: assemblyDigest(manifest), app, instance, settings, salt, objects: sealed };
}

/** Returns a planned object with HMACs in place of the values of Secrets. */
export function withHmacs(object: PlannedObject, salt: string, secrets: SecretMasker): PlannedObject {
  const key = Buffer.from(salt, 'base64');
  const hide = (value: Json) => `${hmacPrefix}${createHmac('sha256', key).update(serializeValue(value)).digest('hex').slice(0, 32)}`;
  return maskedPlan(object, secrets, hide);
}

/** Returns a value of a saved plan as text for people: Secrets masked, and cut after 120 characters. */
export function shownValue(value: Json | undefined): string {
  if (value === undefined) return '(absent)';
  const text = serializeValue(value).replaceAll(/hmac-sha256:[0-9a-f]{32}/g, '***');
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

export function assemblyDigest(manifest: Manifest): string {
  return digestOf(JSON.stringify(manifest));
}

/**
 * Reads a saved plan.
 *
 * @throws FieldwiseError `plan-invalid` (usage).
 */
export async function parseSavedPlan(text: string, file: string): Promise<SavedPlan> {
  const { savedPlanIssue } = await import('./saved-plan-schema.js');
  const invalid = (issue: string) =>
    new FieldwiseError('plan-invalid', 'usage', `The file is not a saved plan (${issue})`, {
      location: { file },
      next: 'Save a plan with `fieldwise diff --out FILE`.',
    });
  const value = parsed(text, invalid);
  const issue = savedPlanIssue(value);
  if (issue !== undefined) throw invalid(issue);
  return value as SavedPlan;
}

function parsed(text: string, invalid: (issue: string) => FieldwiseError): unknown {
  try {
    return parseExactJson(text);
  } catch (error) {
    throw invalid((error as Error).message);
  }
}
