import type { Json, JsonObject } from '../../util/json.js';
import { isJsonObject } from '../../util/json.js';
/** Returns true for `x-kubernetes-int-or-string` of CRDs, and for the built-in IntOrString. */
export function isIntOrString(node: JsonObject): boolean {
  return node['x-kubernetes-int-or-string'] === true || (node.type === undefined && node.format === intOrStringFormat);
}

/** Returns true for the members that a CRD must write beside `x-kubernetes-int-or-string`: `anyOf` of `integer` and `string`. */
export function isIntOrStringChoice(choices: Json | undefined): boolean {
  return (
    Array.isArray(choices) &&
    choices.length === 2 &&
    choices.every(
      (choice: Json) => isJsonObject(choice) && Object.keys(choice).length === 1 && /^(integer|string)$/.test(String(choice.type)),
    )
  );
}

/** Format of scalars that may be a whole number or a string. */
export const intOrStringFormat = 'int-or-string';
