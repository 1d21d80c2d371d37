import type { BuilderMethod } from '../schema/method-names.js';
import { builderMethods } from '../schema/method-names.js';
import type { Schema } from '../schema/model.js';
import { hiddenFields } from '../schema/read/hidden-fields.js';
import { resolve } from '../schema/resolve.js';
import { decodeTable, fullName, rootType } from '../schema/table/decode-table.js';
import type { Table } from '../schema/table/table.js';
import { FieldwiseError } from '../util/error.js';
import { onceFor } from '../util/once-for.js';
import { remembered } from '../util/remembered.js';
import type { ApplyConfiguration, BuildContext, BuilderType } from './apply-configuration.js';
import { builderType } from './apply-configuration.js';
import { buildPart, buildRoot } from './build.js';
import { itemKey } from './item-key.js';
import type { OpenedBuilder, Values } from './values.js';
import { builderValues, emptySpread, isPlainObject, openBuilder } from './values.js';

interface Builder {
  readonly [builderType]: BuilderType;
  readonly [builderValues]: Values;
}

/** The prototypes of a table by the name of a root, or that of a part after `#`, each created with its first builder. */
const prototypesOf = onceFor((table: Table) =>
  remembered((name) => makePrototype(typeOf(table, name)), Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY),
);

function typeOf(table: Table, name: string): BuilderType {
  if (name.startsWith('#')) return { schema: decodeTable(table), type: { name: fullName(table, name.slice(1)) } };
  const root = rootType(table, name);
  return { schema: root.schema, type: root.type, root };
}

/**
 * Returns a builder of a part of an object, for generated modules. `seed` holds the arguments of its constructor. The result type is
 * `never`, which is assignable to every builder type and cheaper for a compiler than an inferred one; generated modules declare the real
 * one.
 */
export function part(table: Table, type: string, seed: Readonly<Record<string, unknown>> = {}): never {
  return create(prototypesOf(table)(`#${type}`), new Map(Object.entries(seed).filter(([, value]) => value !== undefined))) as never;
}

/** Returns a builder of a whole object, by the name of its root in the table, for generated modules. */
export function root(table: Table, name: string, objectName: string, namespace?: string): never {
  const metadata = { name: objectName, ...(namespace === undefined ? {} : { namespace }) };
  return create(prototypesOf(table)(name), new Map([['metadata', metadata]])) as never;
}

/** The literal type of a builder. */
type LiteralOf<Result> = Result extends ApplyConfiguration<string, infer Literal> ? Literal : never;

/**
 * Returns the builder of a plain object such as parsed YAML, by the constructor of its type: `fromObject(deployment, parse(text))`,
 * `fromObject(podSpec, { … })`. The object may contain builders; `build()` checks it like any builder.
 *
 * @throws FieldwiseError `intent-invalid` if the value is not an object, or is a builder of another type.
 */
export function fromObject<Result extends ApplyConfiguration<string, object>>(
  make: (...keys: never[]) => Result,
  value: LiteralOf<Result>,
): Result {
  // A constructor without arguments declares nothing, so its builder only carries its type.
  const empty = (make as () => Result)();
  const { type } = openBuilder(empty) as OpenedBuilder;
  const opened = openBuilder(value);
  if (opened !== undefined && opened.type === type) return value as unknown as Result;
  if (opened !== undefined || !isPlainObject(value)) {
    const what = opened === undefined ? 'it is not an object' : 'it is a builder of another type';
    throw new FieldwiseError('intent-invalid', 'usage', `No ${type.root?.kind ?? 'builder'} can be made of this value: ${what}`, {
      next: 'Pass a plain object, such as parsed YAML or JSON',
    });
  }
  const fields = resolve(type.schema, type.type).map?.fields;
  const entries = Object.entries(value).filter(([name, member]) => member !== undefined || fields?.has(name) !== true);
  return create(Object.getPrototypeOf(empty) as object, new Map(entries)) as unknown as Result;
}

function create(prototype: object, values: Values): Builder {
  const builder = Object.create(prototype) as Builder;
  Object.defineProperty(builder, builderValues, { value: values });
  return Object.freeze(builder);
}

function makePrototype(type: BuilderType): object {
  const prototype = {
    set(this: Builder, field: string, value: unknown) {
      return change(this, field, () => value);
    },
    build(this: Builder, context?: BuildContext) {
      return type.root ? buildRoot(type.root, this[builderValues], context) : buildPart(type, this[builderValues], context);
    },
  };
  // A builder that reaches JSON.stringify or a template literal is converted to its declaration.
  hide(prototype, 'toJSON', function (this: Builder) {
    return (this as unknown as { build(): unknown }).build();
  });
  Object.defineProperty(prototype, builderType, { value: Object.freeze(type) });
  for (const method of methodsOf(type)) {
    const declare = function (this: Builder, ...args: unknown[]) {
      return change(this, method.wireName, (before) => next(type, method, before, args));
    };
    // An earlier name, which no type has: programs that no compiler checks may still call it.
    if (method.argumentKind === 'atomic-list' || method.argumentKind === 'atomic-map') hide(prototype, `${method.method}Atomic`, declare);
    hide(prototype, method.method, declare);
  }
  return prototype;
}

function methodsOf(type: BuilderType): readonly BuilderMethod[] {
  const without = type.root ? new Set(['apiVersion', 'kind', ...hiddenFields(type.root).keys()]) : new Set<string>();
  return builderMethods(type.schema, resolve(type.schema, type.type), without).methods;
}

function change(builder: Builder, field: string, update: (before: unknown) => unknown): Builder {
  const values = new Map(builder[builderValues]);
  const value = update(values.get(field));
  if (value === undefined) values.delete(field);
  else values.set(field, value);
  return create(Object.getPrototypeOf(builder) as object, values);
}

/** Returns the value after a `with…` call. Nothing is checked here, because only `build` knows the whole path for an error. */
function next(type: BuilderType, { argumentKind, wireName }: BuilderMethod, before: unknown, args: readonly unknown[]): unknown {
  const [value] = args;
  if (args.length === 0 && (argumentKind === 'items-by-key' || argumentKind === 'items-of-set')) return before ?? emptySpread;
  switch (argumentKind) {
    case 'items-by-key':
      return upsert(type, wireName, Array.isArray(before) ? before : [], args);
    case 'items-of-set':
      return [...new Set([...(Array.isArray(before) ? before : []), ...args])];
    case 'entries':
      return isPlainObject(before) && isPlainObject(value) ? { ...before, ...value } : value;
    default:
      return type.root && wireName === 'metadata' ? withIdentity(before, value) : value;
  }
}

function upsert(type: BuilderType, wireName: string, before: readonly unknown[], items: readonly unknown[]): unknown[] {
  const list = listOf(type.schema, type, wireName);
  if (list === undefined) return [...items];
  const indexes = new Map(before.map((item, index) => [itemKey(type.schema, list, item).identity, index]));
  const result = [...before];
  for (const item of items) {
    const index = indexes.get(itemKey(type.schema, list, item).identity);
    if (index === undefined) result.push(item);
    else result[index] = item;
  }
  return result;
}

function listOf(schema: Schema, type: BuilderType, wireName: string) {
  const field = resolve(schema, type.type).map?.fields.get(wireName);
  return field && resolve(schema, field.type).list;
}

// The name and namespace from the constructor stay unless metadata names others, and so does the uid of an extracted object.
function withIdentity(before: unknown, value: unknown): unknown {
  const identity = metadataIdentity(before);
  if (value === undefined || value === null) return identity;
  const opened = openBuilder(value);
  if (opened === undefined && !isPlainObject(value)) return value;
  const members = opened ? opened.values : Object.entries(value as object).filter(([, member]) => member !== undefined);
  const declared = new Map<string, unknown>(members);
  const isAnother = ['name', 'namespace'].some((key) => declared.has(key) && declared.get(key) !== identity.get(key));
  if (isAnother) identity.delete('uid');
  const kept = new Map([...identity, ...declared]);
  return opened ? create(Object.getPrototypeOf(value) as object, kept) : Object.fromEntries(kept);
}

const identifying = ['name', 'namespace', 'uid'];

function metadataIdentity(metadata: unknown): Map<string, unknown> {
  const opened = openBuilder(metadata);
  const entries = opened ? [...opened.values] : isPlainObject(metadata) ? Object.entries(metadata) : [];
  return new Map(entries.filter(([key]) => identifying.includes(key)));
}

function hide(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, configurable: true, writable: true });
}
