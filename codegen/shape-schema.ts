import type { Field, ListType, RootType, Schema, Type, TypeRef } from '../src/schema/index.js';
import { intOrStringFormat, quantityFormat, resolve } from '../src/schema/index.js';
import type { KeyedPositions } from './list-keys.js';
import { requiredKeys } from './list-keys.js';
import type { ModuleNames } from './names-in-module.js';

/** A JSON Schema in the form of json-schema-to-typescript; `tsType` expresses what JSON Schema cannot. */
export type JsonSchema = { [name: string]: unknown };

/** A literal shape to be written: members by wire name. */
export interface Shape {
  readonly members: readonly (readonly [name: string, field: Field])[];
  /** True if undeclared members are kept. */
  readonly open: boolean;
  /** Fixed values of `apiVersion` and `kind`. */
  readonly root?: RootType;
}

/** Turns types of a module into JSON Schemas of its literals. Objects with fields become references, others are inlined. */
export class ShapeSchemas {
  readonly #schema: Schema;
  readonly #names: ModuleNames;
  readonly #positions: ReadonlyMap<string, KeyedPositions>;
  readonly #placeholder: (id: string) => string;

  constructor(schema: Schema, names: ModuleNames, positions: ReadonlyMap<string, KeyedPositions>, placeholder: (id: string) => string) {
    this.#schema = schema;
    this.#names = names;
    this.#positions = positions;
    this.#placeholder = placeholder;
  }

  ofShape(shape: Shape, memberName: (wireName: string) => string): JsonSchema {
    const properties = shape.members.map(([name, field]): [string, JsonSchema] => {
      const fixed = shape.root !== undefined && (name === 'apiVersion' || name === 'kind') ? shape.root[name] : undefined;
      return [memberName(name), fixed === undefined ? this.#ofField(field) : { type: 'string', enum: [fixed] }];
    });
    return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: shape.open };
  }

  #ofField(field: Field): JsonSchema {
    return orNull(this.#ofRef(field.type), field.nullable);
  }

  #ofRef(ref: TypeRef): JsonSchema {
    if ('name' in ref && !isPredefined(ref)) {
      const builder = { tsType: this.#names.builder(ref.name) };
      if (this.#names.isOwn(ref.name)) return { anyOf: [{ $ref: `#/$defs/${this.#placeholder(ref.name)}` }, builder] };
      return { anyOf: [{ tsType: this.#names.literal(ref.name) }, builder] };
    }
    return this.#ofType(resolve(this.#schema, ref));
  }

  #ofType({ scalar, list, map }: Type): JsonSchema {
    if (scalar?.format === intOrStringFormat || scalar?.format === quantityFormat) return { type: ['number', 'string'] };
    if ([scalar, list, map].filter((part) => part !== undefined).length !== 1) return {};
    if (list !== undefined) return { type: 'array', items: orNull(this.#ofItem(list), list.nullable) };
    if (map !== undefined) {
      if (map.element !== undefined) return { type: 'object', additionalProperties: orNull(this.#ofRef(map.element), map.nullable) };
      return { tsType: 'Readonly<Record<string, never>>' };
    }
    if (scalar?.enum !== undefined && scalar.enum.length > 0) return { enum: scalar.enum };
    switch (scalar?.kind) {
      case 'numeric':
        return { type: 'number' };
      case 'boolean':
        return { type: 'boolean' };
      case 'string':
        return { type: 'string' };
      default:
        return scalar?.format === undefined ? { type: ['boolean', 'number', 'string'] } : { type: 'string' };
    }
  }

  // Keys are required in lists that they key: JSON Schema cannot express that beside a reference.
  #ofItem(list: ListType): JsonSchema {
    const { element, keys } = list;
    if (keys.length === 0 || !('name' in element) || isPredefined(element)) return this.#ofRef(element);
    const required = requiredKeys(this.#names.typeOf(element.name).type, keys);
    const agree = (this.#positions.get(element.name)?.tuples.length ?? 1) <= 1;
    const marked = keys.map((key) => JSON.stringify(key)).join(' | ');
    const builder = {
      tsType: agree ? this.#names.builder(element.name) : `(${this.#names.builder(element.name)} & $.WithKeys<${marked}>)`,
    };
    if (required.length === 0) {
      const literal = this.#names.isOwn(element.name)
        ? { $ref: `#/$defs/${this.#placeholder(element.name)}` }
        : { tsType: this.#names.literal(element.name) };
      return { anyOf: [literal, builder] };
    }
    const names = required.map((key) => JSON.stringify(key)).join(' | ');
    return { anyOf: [{ tsType: `$.Keyed<${this.#names.literal(element.name)}, ${names}>` }, builder] };
  }
}

function orNull(schema: JsonSchema, nullable: boolean | undefined): JsonSchema {
  return nullable ? { anyOf: [schema, { type: 'null' }] } : schema;
}

function isPredefined(ref: { readonly name: string }): boolean {
  return ref.name === 'deduced' || ref.name === 'untyped';
}
