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

/** Collects a plan as it is made; see `PlanOptions.record`. */
export class PlanRecorder {
  readonly salt = randomBytes(24).toString('base64');
  readonly #objects: PlannedObject[] = [];
  #plan: Omit<SavedPlan, 'objects' | 'salt'> | undefined;

  begin(assembly: Assembly, settings: PlanSettings): void {
    const { app, instance } = assembly.manifest;
    this.#plan = { fieldwise: 1, kind: 'plan', assembly: assemblyDigest(assembly.manifest), app, instance, settings };
  }

  add(object: PlannedObject, secrets: SecretMasker): void {
    this.#objects.push(withHmacs(object, this.salt, secrets));
  }

  /** The plan, once it is made. */
  get saved(): SavedPlan {
    if (this.#plan === undefined) throw new Error('No plan was made.');
    return { ...this.#plan, salt: this.salt, objects: this.#objects };
  }
}

/** A planned object with HMACs in place of the values of Secrets. */
export function withHmacs(object: PlannedObject, salt: string, secrets: SecretMasker): PlannedObject {
  const key = Buffer.from(salt, 'base64');
  const hide = (value: Json) => `${hmacPrefix}${createHmac('sha256', key).update(serializeValue(value)).digest('hex').slice(0, 32)}`;
  return maskedPlan(object, secrets, hide);
}

/** A value of a saved plan as it may be shown. */
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
  let value: unknown;
  let issue: string | undefined;
  try {
    value = parseExactJson(text);
    issue = savedPlanIssue(value);
  } catch (error) {
    issue = (error as Error).message;
  }
  if (issue === undefined) return value as SavedPlan;
  throw new FieldwiseError('plan-invalid', 'usage', `The file holds no plan that can be used: ${issue}`, {
    location: { file },
    next: 'Write one with `fieldwise diff --out FILE`.',
  });
}
