import type { JsonObject } from '../../util/json.js';

/** The schemas of Go types with a JSON form of their own, which clients know by their names. Source: observed. */
export const specialSchemas: Readonly<Record<string, JsonObject>> = {
  'intstr.IntOrString': { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  'meta/v1.FieldsV1': { type: 'object' },
  'meta/v1.MicroTime': { type: 'string', format: 'date-time' },
  'meta/v1.Time': { type: 'string', format: 'date-time' },
  'resource.Quantity': { oneOf: [{ type: 'string' }, { type: 'number' }] },
  'runtime.RawExtension': { type: 'object' },
};

/** Returns such a schema in OpenAPI 2, which has no `oneOf`: a string; undefined for another schema. */
export function specialInV2({ oneOf, ...rest }: JsonObject): JsonObject | undefined {
  const isSpecial = Object.values(specialSchemas).some(
    (special) => oneOf !== undefined && JSON.stringify(special.oneOf) === JSON.stringify(oneOf),
  );
  return isSpecial && rest.properties === undefined ? { ...rest, type: 'string' } : undefined;
}
