import { boolType, bytesType, type CelType, doubleType, intType, nullType, stringType, uintType } from '../types/cel-type.js';
import type { CelValue } from '../values/value.js';

/** Returns the type of a constant. */
export function literalType(value: CelValue): CelType {
  switch (typeof value) {
    case 'boolean':
      return boolType;
    case 'bigint':
      return intType;
    case 'number':
      return doubleType;
    case 'string':
      return stringType;
  }
  if (value === null) return nullType;
  return value instanceof Uint8Array ? bytesType : uintType;
}
