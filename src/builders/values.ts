import type { BuilderType } from './apply-configuration.js';
import { builderTypeOf } from './apply-configuration.js';

/** Declared fields by wire name, in the order of declaration. `undefined` never occurs as a value. */
export type Values = ReadonlyMap<string, unknown>;

/** Where a builder keeps what was declared; registered, so that two installed copies of Fieldwise agree. */
export const builderValues: unique symbol = Symbol.for('fieldwise.builderValues') as never;

const emptySpreadMark: unique symbol = Symbol.for('fieldwise.emptySpread') as never;

/**
 * The list that `withEnv(...items)` declares where there are no items. Nobody wrote it down, so nobody is warned that it is left out: the mark,
 * which neither JSON nor a comparison shows, tells it from a written `[]`.
 */
export const emptySpread: readonly never[] = Object.freeze(Object.defineProperty([], emptySpreadMark, { value: true }));

/** Whether a list is that of a spread without items; of another copy of Fieldwise, too. */
export function isEmptySpread(list: readonly unknown[]): boolean {
  return list.length === 0 && Object.hasOwn(list, emptySpreadMark);
}

export interface OpenedBuilder {
  readonly type: BuilderType;
  readonly values: Values;
}

/** What a builder declares, or undefined for anything that is no builder. */
export function openBuilder(value: unknown): OpenedBuilder | undefined {
  const type = builderTypeOf(value);
  if (type === undefined) return undefined;
  return { type, values: (value as { readonly [builderValues]: Values })[builderValues] };
}

/** A member of a builder or of a literal, unchecked. */
export function peek(value: unknown, name: string): unknown {
  const opened = openBuilder(value);
  if (opened !== undefined) return opened.values.get(name);
  return isPlainObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** True for objects made by a literal, in whatever realm: a program loaded by another loader has an `Object` of its own. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
