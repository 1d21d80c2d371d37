import type { Assembly, Manifest } from '../../assembly/types.js';
import { digestOf } from '../../assembly/write.js';
import type { PlannedObject } from '../../engine/report/plan-types.js';
import type { PlannedCluster, PlanSettings, SavedPlan } from '../../engine/run/saved-plan.js';
import { maskedPlan } from '../../engine/secrets/masked-plan.js';
import type { SecretMasker } from '../../engine/secrets/secret-masker.js';
import { serializeValue } from '../../fields/index.js';
import { FieldwiseError } from '../../util/error.js';
import { parseExactJson } from '../../util/exact-json.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';

/** Returns a plan as it can be saved: without any value of a Secret, and without any digest of one, which could be guessed. */
export function savedPlanOf(
  { manifest }: Assembly,
  cluster: PlannedCluster,
  settings: PlanSettings,
  objects: readonly PlannedObject[],
  secrets: SecretMasker,
): SavedPlan {
  const { app, instance } = manifest;
  const masked = objects.map((object) => maskedPlan(object, secrets));
  return { fieldwise: 2, kind: 'plan', assembly: assemblyDigest(manifest), app, instance, cluster, settings, objects: masked };
}

/** Returns a value of a saved plan as text for people, cut after 120 characters. */
export function shownValue(value: Json | undefined): string {
  if (value === undefined) return '(absent)';
  const text = serializeValue(value);
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
      next: 'Save a plan with `fieldwise diff --output-file plan=FILE`.',
    });
  const value = parsed(text, invalid);
  if (isJsonObject(value as Json) && (value as JsonObject).fieldwise === 1) {
    throw invalid('it is of an older version of Fieldwise, and contains digests of values of Secrets, which can be guessed: delete it');
  }
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
