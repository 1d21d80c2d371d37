import type { Json } from '../../util/json.js';
import { deduced, deducedType, untyped } from '../deduced.js';
import type { Field, MapType, ScalarType, Type, TypeRef } from '../model.js';
import { intOrString, quantity } from '../read/read-scalar.js';
import type { ValueValidation } from '../value-validation.js';
import type { EncodedAtom, EncodedField, EncodedObject, EncodedType } from './table.js';

const scalarKinds: Readonly<Record<string, ScalarType>> = {
  s: { kind: 'string' },
  i: { kind: 'numeric', integer: true },
  n: { kind: 'numeric' },
  b: { kind: 'boolean' },
  u: { kind: 'untyped' },
};

/** Decodes what `encodeRef` wrote; `expand` returns the full name of a type. */
export function decodeRef(encoded: EncodedType, expand: (name: string) => string): TypeRef {
  if (encoded === 'any') return deduced;
  if (encoded === 'raw') return untyped;
  if (typeof encoded === 'string') {
    if (encoded.startsWith('#')) return { name: expand(encoded.slice(1)) };
    if (encoded.startsWith('!')) {
      return { name: expand(encoded.slice(3)), mapRelation: encoded.startsWith('!a') ? 'atomic' : 'granular' };
    }
  }
  return { inline: decodeType(encoded, expand) };
}

export function decodeType(encoded: EncodedType, expand: (name: string) => string): Type {
  if (typeof encoded === 'string') {
    if (encoded === 'x') return intOrString;
    if (encoded === 'q') return quantity;
    if (encoded === 'any') return deducedType;
    return { scalar: decodeScalar(encoded) };
  }
  if (Array.isArray(encoded)) return decodeTagged(encoded as readonly [string, ...Json[]], expand);
  if ('f' in encoded) return { map: decodeObject(encoded, expand) };
  const { s, l, m } = encoded as EncodedAtom;
  return {
    ...(s === undefined ? {} : (decodeType(s, expand) as Pick<Type, 'scalar'>)),
    ...(l === undefined ? {} : (decodeType(l, expand) as Pick<Type, 'list'>)),
    ...(m === undefined ? {} : (decodeType(m, expand) as Pick<Type, 'map'>)),
  };
}

function decodeTagged([tag, first, ...rest]: readonly [string, ...Json[]], expand: (name: string) => string): Type {
  if (tag === 'c') return { ...decodeType(first as EncodedType, expand), valueValidation: rest[0] as ValueValidation };
  if (tag === 'e') return { scalar: { ...decodeScalar(first as string), enum: rest } };
  const { type: element, ...nullable } = decodeField(first as EncodedType | EncodedField, expand);
  switch (tag) {
    case 'l':
      return { list: { relation: 'atomic', keys: [], element, ...nullable } };
    case 'S':
      return { list: { relation: 'associative', keys: [], element, ...nullable } };
    case 'M':
      return { list: { relation: 'associative', keys: rest as string[], element, ...nullable } };
    case 'm':
      return { map: { relation: 'granular', fields: new Map(), required: [], element, ...nullable } };
    case 'a':
      return { map: { relation: 'atomic', fields: new Map(), required: [], element, ...nullable } };
    default:
      throw new Error(`The table holds an unknown type form ${JSON.stringify(tag)}.`);
  }
}

function decodeScalar(text: string): ScalarType {
  const colon = text.indexOf(':');
  const scalar = scalarKinds[colon < 0 ? text : text.slice(0, colon)];
  if (scalar === undefined) throw new Error(`The table holds an unknown scalar form ${JSON.stringify(text)}.`);
  return colon < 0 ? scalar : { ...scalar, format: text.slice(colon + 1) };
}

function decodeObject(encoded: EncodedObject, expand: (name: string) => string): MapType {
  const fields = new Map<string, Field>();
  for (const [name, field] of Object.entries(encoded.f)) fields.set(name, decodeField(field, expand));
  return {
    relation: encoded.a === 1 ? 'atomic' : 'granular',
    fields,
    required: encoded.r ?? [],
    ...(encoded.p === 1 ? { element: deduced, pruned: true } : decodeElement(encoded.e, expand)),
  };
}

function decodeElement(encoded: EncodedObject['e'], expand: (name: string) => string): Pick<MapType, 'element' | 'nullable'> {
  if (encoded === undefined) return {};
  const { type: element, ...nullable } = decodeField(encoded, expand);
  return { element, ...nullable };
}

function decodeField(encoded: EncodedType | EncodedField, expand: (name: string) => string): Field {
  if (typeof encoded === 'string' || !('t' in encoded)) return { type: decodeRef(encoded as EncodedType, expand) };
  return {
    type: decodeRef(encoded.t, expand),
    ...(encoded.d === undefined ? {} : { default: encoded.d }),
    ...(encoded.n === 1 ? { nullable: true } : {}),
  };
}
