/** Returns true if a value has a brand: a registered symbol, so that two installed copies of Fieldwise recognize each other's values. */
export function hasBrand(value: unknown, brand: symbol): boolean {
  return typeof value === 'object' && value !== null && brand in value;
}

/**
 * Returns the answer of `instanceof` for a branded class: its instances have the brand, also those of another copy of the class, such as that
 * of the CommonJS build. A class that extends it has its own instances alone.
 *
 * @param asked the class on the right of `instanceof`.
 */
export function isInstance(value: unknown, asked: unknown, branded: unknown, brand: symbol): boolean {
  return asked === branded ? hasBrand(value, brand) : Function.prototype[Symbol.hasInstance].call(asked, value);
}
