import { deduced, deducedType, givenTypes } from '../schema/deduced.js';
import type { RootType, Schema, Type, TypeRef } from '../schema/model.js';
import { objectMetaName, objectMetaTypes } from '../schema/object-meta.js';
import { resolve } from '../schema/resolve.js';

/** A type together with the schema that its references point into. Undefined in place of one: nothing is known. */
export interface Typed {
  readonly schema: Schema;
  readonly type: Type;
}

export function typedRoot({ schema, type }: RootType): Typed {
  return typed(schema, type);
}

/** What is known of an object without a schema: its metadata. */
export function typedWithoutSchema(): Typed {
  const schema: Schema = { types: new Map([...givenTypes, ...objectMetaTypes()]) };
  const fields = new Map([['metadata', { type: { name: objectMetaName } }]]);
  return { schema, type: { map: { relation: 'granular', fields, required: [] } } };
}

/** The type of a member of a map; undefined where the schema does not tell. */
export function memberOf(parent: Typed | undefined, name: string): Typed | undefined {
  const ref = parent?.type.map?.fields.get(name)?.type ?? parent?.type.map?.element;
  return parent && ref ? typed(parent.schema, ref) : undefined;
}

/** The type of the items of a list; undefined where the schema does not tell. */
export function itemOf(parent: Typed | undefined): Typed | undefined {
  return parent?.type.list ? typed(parent.schema, parent.type.list.element) : undefined;
}

/** Whether anything may stand here: the schema leaves the inside to be told from the value. */
export function isDeduced({ schema, type }: Typed): boolean {
  const known = schema.types.get('name' in deduced ? deduced.name : '') ?? deducedType;
  return (
    type === known || (type.scalar?.kind === 'untyped' && type.list !== undefined && type.map !== undefined && type.map.fields.size === 0)
  );
}

function typed(schema: Schema, ref: TypeRef): Typed {
  return { schema, type: resolve(schema, ref) };
}
