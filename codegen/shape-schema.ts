import type { Field, ListType, MapType, RootType, Schema, Type, TypeRef } from '../src/schema/index.js';
import { acceptsAny, choicesOf, intOrStringFormat, isAnyJson, isOpen, plainName, quantityFormat, resolve } from '../src/schema/index.js';
import type { KeyedPositions } from './list-keys.js';
import { requiredKeys } from './list-keys.js';
import type { PlannedType } from './module-plan.js';
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

/** Turns the members of a module's literals into JSON Schemas. Objects with fields become references, others are inlined. */
export class ShapeSchemas {
  readonly #schema: Schema;
  readonly #names: ModuleNames;
  readonly #positions: ReadonlyMap<string, KeyedPositions>;

  constructor(schema: Schema, names: ModuleNames, positions: ReadonlyMap<string, KeyedPositions>) {
    this.#schema = schema;
    this.#names = names;
    this.#positions = positions;
  }

  /** Returns the schemas of a shape's members, by wire name. */
  ofMembers({ members, root }: Shape): ReadonlyMap<string, JsonSchema> {
    return new Map(
      members.map(([name, field]) => {
        const fixed = root !== undefined && (name === 'apiVersion' || name === 'kind') ? root[name] : undefined;
        return [name, fixed === undefined ? this.#ofField(field) : { type: 'string', enum: [fixed] }];
      }),
    );
  }

  #ofField(field: Field): JsonSchema {
    return orNull(this.#ofRef(field.type), field.nullable && this.#takesNull(field.type));
  }

  #takesNull(ref: TypeRef): boolean {
    return choicesOf(resolve(this.#schema, ref)) === undefined;
  }

  #ofRef(ref: TypeRef): JsonSchema {
    const type = resolve(this.#schema, ref);
    if (!('name' in ref) || isPredefined(ref)) return this.#ofType(type);
    const input = { tsType: this.#names.input(ref.name) };
    return acceptsAny(type) ? { anyOf: [input, ...this.#besidesObjects(type)] } : input;
  }

  #ofType(type: Type): JsonSchema {
    const { scalar, list, map } = type;
    const choices = scalar === undefined ? undefined : choicesOf(type);
    if (choices !== undefined && choices.length > 0 && !choices.some((choice) => typeof choice === 'object')) return { enum: choices };
    if (scalar?.format === intOrStringFormat || scalar?.format === quantityFormat) return { type: ['number', 'string'] };
    if ([scalar, list, map].filter((part) => part !== undefined).length !== 1) {
      return !acceptsAny(type) || isAnyJson(type) ? {} : { anyOf: [this.#ofMap(map as MapType), ...this.#besidesObjects(type)] };
    }
    if (list !== undefined) return this.#ofList(list);
    if (map !== undefined) return this.#ofMap(map);
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

  /** Returns the schemas of scalars and lists, where any value is accepted. */
  #besidesObjects({ list }: Type): readonly JsonSchema[] {
    return [{ type: ['boolean', 'number', 'string'] }, this.#ofList(list as ListType)];
  }

  // A server keeps a null among items without a type.
  #ofList(list: ListType): JsonSchema {
    const mayBeNull =
      (list.nullable || (list.relation === 'atomic' && acceptsAny(resolve(this.#schema, list.element)))) && this.#takesNull(list.element);
    return { type: 'array', items: orNull(this.#ofItem(list), mayBeNull) };
  }

  #ofMap(map: MapType): JsonSchema {
    if (isOpen(map))
      return { type: 'object', additionalProperties: orNull(this.#ofRef(map.element), map.nullable && this.#takesNull(map.element)) };
    return { tsType: 'Readonly<Record<string, never>>' };
  }

  // Keys are required in lists that they key: JSON Schema cannot express that beside a reference.
  #ofItem(list: ListType): JsonSchema {
    const { element, keys } = list;
    if (keys.length === 0 || !('name' in element) || isPredefined(element)) return this.#ofRef(element);
    const required = requiredKeys(this.#names.typeOf(element.name).type, keys);
    const agree = (this.#positions.get(element.name)?.tuples.length ?? 1) <= 1;
    if (agree && required.length === 0) return this.#ofRef(element);
    const literal = this.#names.literal(element.name);
    const type = this.#names.typeOf(element.name);
    if (agree && isPlain(type)) return { tsType: `$.Item<${brandText(type)}, ${literal}, ${union(required)}>` };
    const keyed = required.length === 0 ? literal : `$.Keyed<${literal}, ${union(required)}>`;
    const built = builtText(type, literal);
    return { tsType: `(${keyed} | ${agree ? built : `(${built} & $.WithKeys<${union(keys)}>)`})` };
  }
}

function union(keys: readonly string[]): string {
  return keys.map((key) => JSON.stringify(key)).join(' | ');
}

/** Returns what stands where an object of the type is expected, as the type of that name. */
export function inputText(type: PlannedType, literal: string): string {
  const brand = `$.Brand<${brandText(type)}>`;
  if (isOpen(type.type.map)) return `${literal} | ${brand}`;
  const methods = ownMethods(type);
  if (methods.length === 0) return `$.Input<${brandText(type)}, ${literal}>`;
  return `${literal} | (${brand} & Omit<${literal}, ${union(methods)}>)`;
}

/** Returns the type of a builder in a list with keys: it has none of the literal's fields, and may have any where names are free. */
function builtText(type: PlannedType, literal: string): string {
  if (isOpen(type.type.map)) return `$.Brand<${brandText(type)}>`;
  const own = ownMembers(type);
  return `$.Built<${brandText(type)}, ${own.length === 0 ? literal : `Omit<${literal}, ${union(own)}>`}>`;
}

/** Returns true for a type whose literals have neither free names nor fields that every builder has a member for. */
function isPlain(type: PlannedType): boolean {
  return !isOpen(type.type.map) && ownMembers(type).length === 0;
}

/** Returns the fields that are called as members of every builder, those that every object inherits included. */
function ownMembers(type: PlannedType): readonly string[] {
  return [...ownMethods(type), ...[...type.type.map.fields.keys()].filter((name) => name in Object.prototype)];
}

/** Returns the fields that are called as methods of the builder: beside `items`, a field `withItems` is. */
function ownMethods({ type }: PlannedType): readonly string[] {
  const names = [...type.map.fields.keys()];
  const methods = new Set(['build', 'set', ...names.map(plainName)]);
  return names.filter((name) => methods.has(name) || methods.has(name.replace(/[0-9]{1,9}$/, ''))); // of two fields with one method, the second is numbered
}

/** Returns the name by which a compiler tells builders of the type apart. */
export function brandText({ module, base }: Pick<PlannedType, 'module' | 'base'>): string {
  return JSON.stringify(`${module}.${base}`);
}

function orNull(schema: JsonSchema, nullable: boolean | undefined): JsonSchema {
  return nullable ? { anyOf: [schema, { type: 'null' }] } : schema;
}

function isPredefined(ref: { readonly name: string }): boolean {
  return ref.name === 'deduced' || ref.name === 'untyped';
}
