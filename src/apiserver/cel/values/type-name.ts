import { CelList, CelMap, CelOpaque, CelOptional, CelTypeValue, CelUint, type CelValue } from './value.js';

/** Returns the name of a value's type, as `type(…)` shows it. */
export function typeName(value: CelValue): string {
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'string':
      return 'string';
  }
  if (value === null) return 'null_type';
  if (value instanceof CelUint) return 'uint';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof CelList) return 'list';
  if (value instanceof CelMap) return 'map';
  if (value instanceof CelTypeValue) return 'type';
  if (value instanceof CelOptional) return 'optional_type';
  return (value as CelOpaque).typeName;
}

const implementationNames: Readonly<Record<string, string>> = {
  null_type: 'types.Null',
  bool: 'types.Bool',
  int: 'types.Int',
  uint: 'types.Uint',
  double: 'types.Double',
  string: 'types.String',
  bytes: 'types.Bytes',
  list: '*types.baseList',
  map: '*types.baseMap',
  type: '*types.Type',
  optional_type: '*types.Optional',
  'google.protobuf.Timestamp': 'types.Timestamp',
  'google.protobuf.Duration': 'types.Duration',
};

/** Returns the name that the real server's code has for the type of a value. Source: observed. */
export function implementationName(value: CelValue): string {
  const name = typeName(value);
  return implementationNames[name] ?? `cel.${name.replace(/^.*\./, '')}`;
}

/** Returns the number of characters, bytes, items or members of a value; undefined if it has none. */
export function sizeOf(value: CelValue): number | undefined {
  if (typeof value === 'string') return codePoints(value);
  if (value instanceof Uint8Array) return value.length;
  return value instanceof CelList || value instanceof CelMap ? value.size : undefined;
}

/** Returns the number of code points of a text. */
export function codePoints(text: string): number {
  let surrogates = 0;
  for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) surrogates++;
  return text.length - surrogates;
}

/** Returns the size of a value by which costs are counted. */
export function costSize(value: CelValue): number {
  if (value instanceof CelOpaque) return value.costSize;
  if (value instanceof CelOptional) return value.value === undefined ? 1 : costSize(value.value);
  return sizeOf(value) ?? 1;
}
