import type { Json, JsonObject } from '../util/json.js';
import { fieldErrorText } from './api/field-error.js';
import { schemaErrors } from './built-in/validation/crd-rules.js';
import { mentionsRules } from './custom/rule-module.js';

/**
 * Returns the errors by which an API server refuses the schema of a version of a CRD, one text each. Rules in CEL are left out: their code
 * would take longer to load than all else.
 */
export function schemaErrorTexts(schema: JsonObject, hasStatus: boolean): readonly string[] {
  const checked = mentionsRules(schema) ? (withoutRules(schema) as JsonObject) : schema;
  return schemaErrors(checked, 'openAPIV3Schema', hasStatus).all.map(fieldErrorText);
}

function withoutRules(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map(withoutRules);
  const members = Object.entries(value).filter(([name]) => name !== 'x-kubernetes-validations');
  return Object.fromEntries(members.map(([name, member]) => [name, withoutRules(member as Json)]));
}
