import type { Field, ListType, MapType, RootType, Schema, SchemaDiagnostic, Type, TypeRef } from '../src/schema/index.js';
import { acceptsAny, deducedName, encodeType, predefinedTypes, resolve, untypedName } from '../src/schema/index.js';
import { pathStep } from '../src/schema/schema-path.js';
import { moduleOfRoot, moduleOfType } from './module-path.js';
import { BoundedCounts } from './require-bounded.js';
import { type NameStep, stepWord, withoutCombining } from './type-names.js';

/** A type found in the walk, before it has a name. */
export interface FoundType {
  readonly id: string;
  readonly module: string;
  /** Name in the source, if it has one. */
  readonly sourceName: string | undefined;
  type: Type & { readonly map: MapType };
  /** The shortest path of its positions. */
  position: TypePosition;
  /** Every subject and path of its positions. */
  readonly positions: Set<string>;
  /** The properties whose values it is, by the word that they give for a name. */
  readonly uses: Map<string, TypeUse>;
  readonly external: boolean;
}

/** The uses of a type under one property. */
export interface TypeUse {
  readonly count: number;
  /** The shortest path of its positions there. */
  readonly position: TypePosition;
}

export interface TypePosition {
  readonly subject: string;
  readonly kind: string;
  readonly steps: readonly NameStep[];
  readonly path: string;
}

/**
 * Walks root types and gives every object type with fields an identity: by name where the source names it, else by structure,
 * so that equal schemas are one type. List and map relations, keys and defaults count for equality; descriptions do not.
 */
export class TypeFinder {
  readonly found = new Map<string, FoundType>();
  readonly types = new Map<string, Type>(predefinedTypes);
  readonly diagnostics: SchemaDiagnostic[] = [];
  readonly #byStructure = new Map<string, string>();
  readonly #unfolding = new Set<string>();
  readonly #counts = new BoundedCounts();
  readonly #external: (sourceName: string) => string | undefined;
  /** Modules of the types that are roots: such a type may be met before its root, as a part of another. */
  readonly #rootModules = new Map<string, string>();

  constructor(external: (sourceName: string) => string | undefined, roots: readonly RootType[]) {
    this.#external = external;
    for (const root of roots) if ('name' in root.type) this.#rootModules.set(root.type.name, moduleOfRoot(root));
  }

  /** Returns the id of the root's type. */
  addRoot(root: RootType): string {
    const name = 'name' in root.type ? root.type.name : undefined;
    const module = moduleOfRoot(root);
    const position = { subject: `${root.kind} ${root.apiVersion}`, kind: root.kind, steps: [], path: '' };
    const type = resolve(root.schema, root.type);
    if (type.map === undefined) throw new Error(`The type of ${position.subject} is not an object.`);
    return this.#named(root.schema, name ?? `${module}.${root.kind}`, type as FoundType['type'], module, position);
  }

  #ref(schema: Schema, ref: TypeRef, module: string, position: TypePosition): TypeRef {
    if ('inline' in ref) return this.#inline(schema, ref.inline, module, position);
    if (ref.name === deducedName || ref.name === untypedName) return ref;
    const type = resolve(schema, { name: ref.name });
    if (!isStruct(type)) return this.#unfold(schema, ref, module, position);
    const id = this.#named(schema, ref.name, type, moduleOfType(ref.name) ?? this.#rootModules.get(ref.name) ?? module, position);
    return ref.mapRelation === undefined ? { name: id } : { name: id, mapRelation: ref.mapRelation };
  }

  // A named scalar, list or free map is inlined wherever it is used.
  #unfold(schema: Schema, ref: TypeRef & { readonly name: string }, module: string, position: TypePosition): TypeRef {
    if (this.#unfolding.has(ref.name)) {
      this.#report(position, 'node-widened', `${ref.name} contains itself without an object between; any value is accepted here`);
      return { name: deducedName };
    }
    this.#unfolding.add(ref.name);
    const result = this.#inline(schema, resolve(schema, ref), module, position);
    this.#unfolding.delete(ref.name);
    return result;
  }

  #named(schema: Schema, name: string, type: FoundType['type'], module: string, position: TypePosition): string {
    const known = this.found.get(name);
    if (known !== undefined) {
      addPosition(known, position);
      return name;
    }
    const externalModule = this.#external(name);
    const found: FoundType = {
      id: name,
      module: externalModule ?? module,
      sourceName: name.includes('/') && moduleOfType(name) === undefined ? undefined : name,
      type,
      position,
      positions: new Set([positionText(position)]),
      uses: usesOf(position),
      external: externalModule !== undefined,
    };
    this.#counts.addType(position.subject);
    this.found.set(name, found);
    this.types.set(name, type);
    if (!found.external) {
      found.type = this.#struct(schema, type, module, position);
      this.types.set(name, found.type);
    }
    return name;
  }

  #inline(schema: Schema, type: Type, module: string, position: TypePosition): TypeRef {
    const { scalar, list, map, valueValidation } = type;
    if (!isStruct(type)) {
      return {
        inline: {
          ...(scalar === undefined ? {} : { scalar }),
          ...(list === undefined ? {} : { list: this.#list(schema, list, module, position) }),
          ...(map === undefined ? {} : { map: this.#map(schema, map, module, position) }),
          ...(valueValidation === undefined ? {} : { valueValidation: valueValidation }),
        },
      };
    }
    const struct = this.#struct(schema, type, module, position);
    const key = `${module} ${JSON.stringify(encodeType(struct, (name) => name))}`;
    const known = this.#byStructure.get(key);
    if (known !== undefined) {
      const found = this.found.get(known) as FoundType;
      addPosition(found, position);
      found.type = commonProse(found.type, struct);
      this.types.set(known, found.type);
      return { name: known };
    }
    const id = `${module}#${this.#byStructure.size}`;
    this.#counts.addType(position.subject);
    this.#byStructure.set(key, id);
    this.found.set(id, {
      id,
      module,
      sourceName: undefined,
      type: struct,
      position,
      positions: new Set([positionText(position)]),
      uses: usesOf(position),
      external: false,
    });
    this.types.set(id, struct);
    return { name: id };
  }

  #struct(schema: Schema, type: FoundType['type'], module: string, position: TypePosition): FoundType['type'] {
    const map = this.#map(schema, type.map, module, position);
    const { scalar, list } = type;
    return {
      ...(scalar === undefined ? {} : { scalar }),
      ...(list === undefined ? {} : { list: this.#list(schema, list, module, position) }),
      map,
      ...(type.valueValidation === undefined ? {} : { valueValidation: type.valueValidation }),
      ...(type.description === undefined ? {} : { description: type.description }),
    };
  }

  #list(schema: Schema, list: ListType, module: string, position: TypePosition): ListType {
    return { ...list, element: this.#ref(schema, list.element, module, many(position, '[]')) };
  }

  #map(schema: Schema, map: MapType, module: string, position: TypePosition): MapType {
    const fields = new Map<string, Field>();
    for (const name of [...map.fields.keys()].sort()) {
      const field = map.fields.get(name) as Field;
      const at = { ...position, path: `${position.path}${pathStep(name)}`, steps: [...position.steps, { name, many: false }] };
      this.#counts.addField(position.subject, at.path);
      fields.set(name, { ...field, type: this.#ref(schema, field.type, module, at) });
    }
    return {
      relation: map.relation,
      fields,
      required: map.required.toSorted(),
      ...(map.element === undefined ? {} : { element: this.#ref(schema, map.element, module, many(position, '.*')) }),
      ...(map.nullable === true ? { nullable: true } : {}),
      ...(map.pruned ? { pruned: true } : {}),
    };
  }

  #report(position: TypePosition, code: SchemaDiagnostic['code'], reason: string): void {
    this.diagnostics.push({ code, subject: position.subject, path: position.path || '.', message: reason });
  }
}

/** Returns true for objects with fields, also where any other value may stand in their place. */
function isStruct(type: Type): type is FoundType['type'] {
  return type.map !== undefined && type.map.fields.size > 0 && ((type.scalar === undefined && type.list === undefined) || acceptsAny(type));
}

function many(position: TypePosition, suffix: string): TypePosition {
  const last = position.steps.at(-1);
  const steps = last === undefined ? position.steps : [...position.steps.slice(0, -1), { ...last, many: true }];
  return { ...position, steps, path: `${position.path}${suffix}` };
}

/** Returns a position as the lock file stores it, such as `Gateway edge.example.com/v1 .spec`. */
export function positionText({ subject, path }: TypePosition): string {
  return `${subject} ${path || '.'}`;
}

function addPosition(found: FoundType, position: TypePosition): void {
  found.position = shorter(found.position, position);
  found.positions.add(positionText(position));
  for (const [word, { count }] of usesOf(position)) {
    const known = found.uses.get(word);
    found.uses.set(
      word,
      known === undefined ? { count, position } : { count: known.count + 1, position: shorter(known.position, position) },
    );
  }
}

function usesOf(position: TypePosition): Map<string, TypeUse> {
  const steps = withoutCombining(position.steps);
  const last = steps.at(-1);
  return new Map(last === undefined ? [] : [[stepWord(last), { count: 1, position }]]);
}

function shorter(left: TypePosition, right: TypePosition): TypePosition {
  const difference = left.steps.length - right.steps.length;
  if (difference !== 0) return difference < 0 ? left : right;
  const [a, b] = [`${left.subject}${left.path}`, `${right.subject}${right.path}`];
  return a <= b ? left : right;
}

/** Keeps a description only if both are equal: merged positions must not describe each other. */
function commonProse(left: FoundType['type'], right: FoundType['type']): FoundType['type'] {
  const fields = new Map<string, Field>();
  for (const [name, field] of left.map.fields) {
    const { description, ...rest } = field;
    const same = description !== undefined && right.map.fields.get(name)?.description === description;
    fields.set(name, same ? field : rest);
  }
  const { description, ...bare } = left;
  const type = { ...bare, map: { ...left.map, fields } };
  return description !== undefined && description === right.description ? { ...type, description } : type;
}
