import type { BuilderType } from './apply-configuration.js';
import { builderTypeOf } from './apply-configuration.js';

/** Declared fields by wire name, in the order of declaration. Only a name that the type does not have can be undefined, an error of `build`. */
export type Values = ReadonlyMap<string, unknown>;

/** The symbol under which a builder holds its declared values; registered, so that two installed copies of Fieldwise share it. */
export const builderValues: unique symbol = Symbol.for('fieldwise.builderValues') as never;

const emptySpreadMark: unique symbol = Symbol.for('fieldwise.emptySpread') as never;

/**
 * The list that `withEnv(...items)` declares without items. Nobody wrote it, so no warning says that it is omitted: the mark, which neither
 * JSON nor a comparison shows, distinguishes it from a written `[]`.
 */
export const emptySpread: readonly never[] = Object.freeze(Object.defineProperty([], emptySpreadMark, { value: true }));

/** Returns true if a list is that of a spread without items, of this or another copy of Fieldwise. */
export function isEmptySpread(list: readonly unknown[]): boolean {
  return list.length === 0 && Object.hasOwn(list, emptySpreadMark);
}

export interface OpenedBuilder {
  readonly type: BuilderType;
  readonly values: Values;
}

/** Returns the declaration of a builder, or undefined for any other value. */
export function openBuilder(value: unknown): OpenedBuilder | undefined {
  const type = builderTypeOf(value);
  if (type === undefined) return undefined;
  return { type, values: (value as { readonly [builderValues]: Values })[builderValues] };
}

/** Returns a member of a builder or of a literal, unchecked. */
export function peek(value: unknown, name: string): unknown {
  const opened = openBuilder(value);
  if (opened !== undefined) return opened.values.get(name);
  return isPlainObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Returns true for objects made by a literal, in any realm: a program loaded by another loader has its own `Object`. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
