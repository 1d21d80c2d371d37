/** The kinds of types. An `object` has declared fields; `opaque` covers optionals and the types of libraries; `param` stands for any type. */
export type TypeKind =
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'dyn'
  | 'error'
  | 'int'
  | 'list'
  | 'map'
  | 'null'
  | 'object'
  | 'opaque'
  | 'param'
  | 'string'
  | 'timestamp'
  | 'type'
  | 'uint';

/** A type of the Common Expression Language. Source: the language definition of CEL, "Gradual Type Checking". */
export interface CelType {
  readonly kind: TypeKind;
  /** The name as messages show it. */
  readonly name: string;
  /** Element of a list, key and value of a map, parameters of an opaque type. */
  readonly parameters: readonly CelType[];
  /** The fields of an object, by the names that expressions use. */
  readonly fields?: ReadonlyMap<string, CelType>;
}

const simple = (kind: TypeKind, name: string = kind): CelType => ({ kind, name, parameters: [] });

export const boolType = simple('bool');
export const bytesType = simple('bytes');
export const doubleType = simple('double');
export const durationType = simple('duration', 'google.protobuf.Duration');
export const dynType = simple('dyn');
export const errorType = simple('error', '!error!');
export const intType = simple('int');
export const nullType = simple('null');
export const stringType = simple('string');
export const timestampType = simple('timestamp', 'google.protobuf.Timestamp');
export const uintType = simple('uint');

export const listOf = (element: CelType): CelType => ({ kind: 'list', name: 'list', parameters: [element] });
export const mapOf = (key: CelType, value: CelType): CelType => ({ kind: 'map', name: 'map', parameters: [key, value] });
export const optionalOf = (value: CelType): CelType => ({ kind: 'opaque', name: 'optional_type', parameters: [value] });
export const opaqueType = (name: string): CelType => ({ kind: 'opaque', name, parameters: [] });
export const typeParam = (name: string): CelType => ({ kind: 'param', name, parameters: [] });
/** The type of a type, such as that of `int`. */
export const typeOf = (type: CelType): CelType => ({ kind: 'type', name: 'type', parameters: [type] });
export const objectType = (name: string, fields: ReadonlyMap<string, CelType>): CelType => ({
  kind: 'object',
  name,
  parameters: [],
  fields,
});

export function isOptional(type: CelType): boolean {
  return type.kind === 'opaque' && type.name === 'optional_type';
}

/** Returns the type inside of an optional, or the type itself. */
export function unwrapOptional(type: CelType): CelType {
  return isOptional(type) ? parameter(type, 0) : type;
}

/** Returns a parameter of a type, `dyn` if it has none. */
export function parameter(type: CelType, index: number): CelType {
  return type.parameters[index] ?? dynType;
}

export function sameType(left: CelType, right: CelType): boolean {
  if (left === right) return true;
  if (left.kind !== right.kind || left.name !== right.name || left.parameters.length !== right.parameters.length) return false;
  return left.parameters.every((each, index) => sameType(each, right.parameters[index] as CelType));
}

/** Formats a type as messages show it. */
export function formatType(type: CelType): string {
  if (type.kind === 'timestamp') return 'timestamp';
  if (type.kind === 'duration') return 'duration';
  if (type.parameters.length === 0) return type.name;
  return `${type.name}(${type.parameters.map(formatType).join(', ')})`;
}

/** Formats a type as messages about the result of an expression show it, with the whole names of types. */
export function formatResultType(type: CelType): string {
  if (type.kind === 'null') return 'null_type';
  if (type.parameters.length === 0) return type.name;
  return `${type.name}(${type.parameters.map(formatResultType).join(', ')})`;
}
