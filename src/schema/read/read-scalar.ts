import type { Json, JsonObject } from '../../util/json.js';
import { deducedType } from '../deduced.js';
import type { ScalarType, Type } from '../model.js';
import { intOrStringFormat } from './int-or-string.js';

/** Format of resource quantities: a number, or a string such as `500m`. */
export const quantityFormat = 'quantity';

/** Server-side apply accepts any value for a node without a `type`; builders read its meaning from the format. */
export const intOrString: Type = { ...deducedType, scalar: { kind: 'untyped', format: intOrStringFormat } };

export const quantity: Type = { scalar: { kind: 'untyped', format: quantityFormat } };

/**
 * Reads `integer`, `number`, `string` and `boolean`. Server-side apply treats a string with a format other than `byte` as untyped: Go reads
 * such fields with a custom method, which may accept numbers.
 */
export function readScalar(node: JsonObject): ScalarType | undefined {
  const format = typeof node.format === 'string' && node.format !== '' ? { format: node.format } : {};
  // Null means that the value is absent, no scalar equals a list or an object, and an empty enum would allow nothing.
  const values = Array.isArray(node.enum) ? node.enum.filter((value: Json) => value !== null && typeof value !== 'object') : [];
  const allowed = values.length > 0 ? { enum: values } : {};
  switch (node.type) {
    case 'integer':
      return { kind: 'numeric', integer: true, ...format, ...allowed };
    case 'number':
      return { kind: 'numeric', ...format, ...allowed };
    case 'boolean':
      return { kind: 'boolean', ...allowed };
    case 'string':
      return {
        kind: node.format === undefined || node.format === '' || node.format === 'byte' ? 'string' : 'untyped',
        ...format,
        ...allowed,
      };
    default:
      return undefined;
  }
}
