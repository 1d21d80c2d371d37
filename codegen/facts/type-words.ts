import type { ScalarType, Type } from '../../src/schema/index.js';
import { intOrStringFormat, quantityFormat } from '../../src/schema/index.js';

/** Describes the values of a field of the built-in API in a sentence; undefined for lists, which `relationText` describes. */
export function typeWords({ scalar, list, map }: Type): string | undefined {
  if ([scalar, list, map].filter((part) => part !== undefined).length > 1) {
    return scalar?.format === intOrStringFormat || scalar?.format === quantityFormat ? scalarWords(scalar) : 'Any value.';
  }
  if (scalar !== undefined) return scalarWords(scalar);
  if (map === undefined) return list === undefined ? 'Any value.' : undefined;
  const [noun, member] = map.fields.size === 0 ? ['Map', 'entry'] : ['Object', 'field'];
  return map.relation === 'atomic' ? `${noun}.` : `${noun}: each ${member} has owners of its own.`;
}

function scalarWords({ kind, integer, format, enum: values }: ScalarType): string {
  if (values !== undefined && values.length > 0) return `One of ${values.map(enumValueText).join(', ')}.`;
  if (format === intOrStringFormat) return 'Integer or string.';
  if (format === quantityFormat) return 'Quantity, such as `500m` or `1Gi`.';
  if (format === 'date-time') return 'Time (RFC 3339).';
  if (format === 'byte') return 'String (base64).';
  const word = integer === true ? 'Integer' : { numeric: 'Number', string: 'String', boolean: 'Boolean', untyped: 'Scalar' }[kind];
  return `${word}${format === undefined ? '' : ` (${format})`}.`;
}

function enumValueText(value: unknown): string {
  return value === '' ? '`""`' : `\`${String(value)}\``;
}
