import type { Library, Overload } from '../functions/overload.js';
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  nullType,
  opaqueType,
  optionalOf,
  stringType,
  timestampType,
  typeOf,
  uintType,
} from '../types/cel-type.js';
import { CelTypeValue } from '../values/value.js';

/** The names that an expression may use: variables with their types, and functions. */
export interface Environment {
  readonly variables: ReadonlyMap<string, CelType>;
  readonly functions: ReadonlyMap<string, readonly Overload[]>;
}

/** Types that expressions can name, such as `int` in `type(x) == int`. */
export const namedTypes: ReadonlyMap<string, CelType> = new Map(
  (
    [
      ['bool', boolType],
      ['bytes', bytesType],
      ['duration', durationType],
      ['double', doubleType],
      ['google.protobuf.Duration', durationType],
      ['google.protobuf.Timestamp', timestampType],
      ['int', intType],
      ['list', listOf(dynType)],
      ['map', mapOf(dynType, dynType)],
      ['net.CIDR', opaqueType('net.CIDR')],
      ['net.IP', opaqueType('net.IP')],
      ['null_type', nullType],
      ['optional_type', { ...optionalOf(dynType), parameters: [] }],
      ['string', stringType],
      ['timestamp', timestampType],
      ['type', { ...typeOf(dynType), parameters: [] }],
      ['uint', uintType],
    ] as const
  ).map(([name, type]) => [name, typeOf(type)]),
);

/** Names of types that have no value, so that a program cannot use them. Source: observed. */
export const typesWithoutValue: ReadonlySet<string> = new Set(['duration', 'timestamp']);

/** Returns the value that the name of a type stands for. */
export function namedType(name: string): CelTypeValue {
  return new CelTypeValue(name);
}

/** Merges libraries: overloads of one name stand together. */
export function functionsOf(libraries: readonly Library[]): ReadonlyMap<string, readonly Overload[]> {
  const functions = new Map<string, readonly Overload[]>();
  for (const library of libraries)
    for (const [name, overloads] of Object.entries(library)) functions.set(name, [...(functions.get(name) ?? []), ...overloads]);
  return functions;
}
