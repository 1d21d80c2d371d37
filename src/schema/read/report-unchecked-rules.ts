import type { JsonObject } from '../../util/json.js';
import { isJsonObject } from '../../util/json.js';
import { enumOf } from '../value-validation.js';
import { isIntOrString, isIntOrStringChoice } from './int-or-string.js';
import type { SchemaDiagnostic } from './schema-diagnostic.js';

/** Rules outside the model; bounds and patterns are in the model, and `build()` checks them. */
const valueRules = ['uniqueItems', 'x-kubernetes-validations'];

/** Reports the rules of a node that builders of partial objects do not check: the API server enforces them. */
export function reportUncheckedRules(
  node: JsonObject,
  context: { readonly subject: string; readonly path: string; readonly diagnostics: SchemaDiagnostic[] },
): void {
  const at = { subject: context.subject, path: context.path || '.' };
  for (const name of ['oneOf', 'anyOf', 'allOf', 'not'] as const) {
    const value = node[name];
    if (value === undefined || isSingleReference(value)) continue;
    if (isIntOrString(node) && (isIntOrStringChoice(value) || isWrappedChoice(value))) continue;
    context.diagnostics.push({
      code: 'junctor-not-checked',
      ...at,
      message: `${name}: only the API server checks it, and a build of a complete object`,
    });
  }
  for (const name of valueRules) {
    const value = node[name];
    if (value === undefined || value === false) continue;
    const count = Array.isArray(value) && value.length > 1 ? ` (${value.length} rules)` : '';
    context.diagnostics.push({ code: 'value-rule-not-checked', ...at, message: `${name}${count}: only the API server checks it` });
  }
  if (restrictsContents(node)) {
    context.diagnostics.push({
      code: 'value-rule-not-checked',
      ...at,
      message: `enum on ${node.type ?? 'any value'}: only the API server checks it, and a build of a complete object`,
    });
  }
}

/** Returns true for an enum that lists or objects may meet: of a part that one owner declares, nobody knows whether it will. */
function restrictsContents(node: JsonObject): boolean {
  if (node.type === 'array' || node.type === 'object') return enumOf(node) !== undefined;
  return node.type === undefined && enumOf(node)?.some((value) => typeof value === 'object' && value !== null) === true;
}

function isSingleReference(value: unknown): boolean {
  return Array.isArray(value) && value.length === 1 && isJsonObject(value[0]) && typeof value[0].$ref === 'string';
}

// Kubernetes also accepts `allOf: [{ anyOf: [integer, string] }, …]`.
function isWrappedChoice(value: unknown): boolean {
  return Array.isArray(value) && value.length === 1 && isJsonObject(value[0]) && isIntOrStringChoice(value[0].anyOf);
}
