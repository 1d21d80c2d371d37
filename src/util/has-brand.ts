/** Returns true if a value has a brand: a registered symbol, so that two installed copies of Fieldwise recognize each other's values. */
export function hasBrand(value: unknown, brand: symbol): boolean {
  return typeof value === 'object' && value !== null && brand in value;
}
