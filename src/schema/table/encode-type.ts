import type { Json } from '../../util/json.js';
import { jsonEqual } from '../../util/json.js';
import { deducedName, deducedType, untypedName } from '../deduced.js';
import type { Field, ListType, MapType, ScalarType, Type, TypeRef } from '../model.js';
import { intOrString, quantity } from '../read/read-scalar.js';
import type { EncodedField, EncodedObject, EncodedType } from './table.js';

const scalarCodes = { string: 's', numeric: 'n', boolean: 'b', untyped: 'u' } as const;

/**
 * A type in the table's form. `shorten` turns the name of a type into the name by which the table refers to it.
 * Descriptions are left out: the table holds facts only.
 */
export function encodeRef(ref: TypeRef, shorten: (name: string) => string): EncodedType {
  if ('inline' in ref) return encodeType(ref.inline, shorten);
  if (ref.name === deducedName) return 'any';
  if (ref.name === untypedName) return 'raw';
  const override = ref.mapRelation === undefined ? '' : ref.mapRelation === 'atomic' ? '!a' : '!g';
  return `${override}#${shorten(ref.name)}`;
}

export function encodeType(type: Type, shorten: (name: string) => string): EncodedType {
  const { valueValidation, ...bare } = type;
  if (valueValidation !== undefined) return ['c', encodeType(bare, shorten) as Json, valueValidation];
  if (equalAtoms(type, intOrString)) return 'x';
  if (equalAtoms(type, quantity)) return 'q';
  if (equalAtoms(type, deducedType)) return 'any';
  const { scalar, list, map } = type;
  if (scalar && !list && !map) return encodeScalar(scalar);
  if (list && !scalar && !map) return encodeList(list, shorten);
  if (map && !scalar && !list) return encodeMap(map, shorten);
  return {
    ...(scalar ? { s: encodeScalar(scalar) } : {}),
    ...(list ? { l: encodeList(list, shorten) } : {}),
    ...(map ? { m: encodeMap(map, shorten) } : {}),
  };
}

function encodeScalar(scalar: ScalarType): EncodedType {
  const code = scalar.integer ? 'i' : scalarCodes[scalar.kind];
  const text = scalar.format === undefined ? code : `${code}:${scalar.format}`;
  return scalar.enum === undefined ? text : ['e', text, ...scalar.enum];
}

function encodeList(list: ListType, shorten: (name: string) => string): EncodedType {
  const element = encodeElement(list.element, list.nullable, shorten) as Json;
  if (list.relation === 'atomic') return ['l', element];
  return list.keys.length === 0 ? ['S', element] : ['M', element, ...list.keys];
}

function encodeMap(map: MapType, shorten: (name: string) => string): EncodedType {
  const element = map.element === undefined ? undefined : encodeElement(map.element, map.nullable, shorten);
  if (map.fields.size === 0 && element !== undefined && !map.pruned) return [map.relation === 'atomic' ? 'a' : 'm', element as Json];
  const fields = [...map.fields].map(([name, field]): [string, EncodedType | EncodedField] => [name, encodeField(field, shorten)]);
  const result: EncodedObject = {
    f: Object.fromEntries(fields),
    ...(map.required.length > 0 ? { r: map.required } : {}),
    ...(map.relation === 'atomic' ? { a: 1 } : {}),
    // A server prunes only members without a schema.
    ...(map.pruned ? { p: 1 } : element === undefined ? {} : { e: element }),
  };
  return result;
}

function encodeElement(ref: TypeRef, nullable: boolean | undefined, shorten: (name: string) => string): EncodedType | EncodedField {
  const type = encodeRef(ref, shorten);
  return nullable ? { t: type, n: 1 } : type;
}

function encodeField(field: Field, shorten: (name: string) => string): EncodedType | EncodedField {
  const type = encodeRef(field.type, shorten);
  if (field.default === undefined && !field.nullable) return type;
  return { t: type, ...(field.default === undefined ? {} : { d: field.default }), ...(field.nullable ? { n: 1 as const } : {}) };
}

// The shapes compared here hold no field maps, so JSON equality decides.
function equalAtoms(type: Type, expected: Type): boolean {
  if (type === expected) return true;
  if (type.map !== undefined && type.map.fields.size > 0) return false;
  const { scalar, list, map } = type;
  const atomOf = (value: Pick<Type, 'scalar' | 'list' | 'map'>) =>
    ({ scalar: value.scalar, list: value.list, map: value.map && { ...value.map, fields: [] } }) as unknown as Json;
  return jsonEqual(atomOf({ ...(scalar && { scalar }), ...(list && { list }), ...(map && { map }) }), atomOf(expected));
}
