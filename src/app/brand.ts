/**
 * Marks of our classes, registered process-wide so that two installed copies of Fieldwise (the CLI's and the program's) recognise
 * each other's constructs where `instanceof` would not.
 */
export const appBrand: unique symbol = Symbol.for('fieldwise.App') as never;
export const stackBrand: unique symbol = Symbol.for('fieldwise.Stack') as never;
export const intentBrand: unique symbol = Symbol.for('fieldwise.Intent') as never;

/** Marks an object; the mark does not show when the object is printed or copied. */
export function brandWith(target: object, brand: symbol): void {
  Object.defineProperty(target, brand, { value: true });
}

export function hasBrand(value: unknown, brand: symbol): boolean {
  return typeof value === 'object' && value !== null && brand in value;
}
