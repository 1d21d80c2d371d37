/**
 * Brands of the construct classes. They are registered process-wide, so that two installed copies of Fieldwise (that of the command line
 * and that of the program) recognize each other's constructs, which `instanceof` would not.
 */
export const appBrand: unique symbol = Symbol.for('fieldwise.App') as never;
export const stackBrand: unique symbol = Symbol.for('fieldwise.Stack') as never;
export const intentBrand: unique symbol = Symbol.for('fieldwise.Intent') as never;
export const documentBrand: unique symbol = Symbol.for('fieldwise.DocumentObject') as never;

/** Adds a brand to an object; the brand is not enumerable. */
export function brandWith(target: object, brand: symbol): void {
  Object.defineProperty(target, brand, { value: true });
}
