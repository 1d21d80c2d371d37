/** The least and the most that something may be. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** The largest cost or size: more is as much. */
export const unlimited = 2 ** 64;

const capped = (value: number): number => Math.min(value, unlimited);

export const fixed = (value: number): Range => ({ min: value, max: value });
export const unknownSize: Range = { min: 0, max: unlimited };

export function add(...ranges: readonly Range[]): Range {
  return ranges.reduce((left, right) => ({ min: capped(left.min + right.min), max: capped(left.max + right.max) }), fixed(0));
}

export function multiply(left: Range, right: Range): Range {
  return { min: capped(left.min * right.min), max: capped(left.max * right.max) };
}

/** Multiplies by a factor and rounds up. */
export function scale({ min, max }: Range, factor: number): Range {
  return { min: capped(Math.ceil(min * factor)), max: capped(Math.ceil(max * factor)) };
}

/** Returns the range that holds both. */
export function union(left: Range, right: Range): Range {
  return { min: Math.min(left.min, right.min), max: Math.max(left.max, right.max) };
}
