import type { CelType } from '../types/cel-type.js';
import { CelList, CelMap, CelOpaque, CelOptional, CelTypeValue, CelUint, type CelValue } from '../values/value.js';

/** Returns true if a value can be an argument of a type. The items of lists and maps are not checked. */
export function matchesType(value: CelValue, type: CelType): boolean {
  switch (type.kind) {
    case 'bool':
      return typeof value === 'boolean';
    case 'int':
      return typeof value === 'bigint';
    case 'double':
      return typeof value === 'number';
    case 'string':
      return typeof value === 'string';
    case 'uint':
      return value instanceof CelUint;
    case 'bytes':
      return value instanceof Uint8Array;
    case 'null':
      return value === null;
    case 'list':
      return value instanceof CelList;
    case 'map':
      return value instanceof CelMap;
    case 'type':
      return value instanceof CelTypeValue;
    case 'opaque':
      return type.name === 'optional_type' ? value instanceof CelOptional : value instanceof CelOpaque && value.typeName === type.name;
    case 'duration':
    case 'timestamp':
      return value instanceof CelOpaque && value.typeName === type.name;
    case 'object':
      return value instanceof CelMap && value.objectName !== undefined;
    default:
      return true;
  }
}
