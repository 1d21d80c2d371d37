/**
 * Returns a validator that remembers which objects are valid: a changed object shares most of its parts with the object that it was made from.
 * The errors depend on the object and the path alone, and whether there are any on the object.
 */
export function rememberingValid<Part extends object, Found>(
  errorsOf: (part: Part, path: string) => readonly Found[],
): (part: Part, path: string) => readonly Found[] {
  const valid = new WeakSet<Part>();
  return (part, path) => {
    if (valid.has(part)) return [];
    const errors = errorsOf(part, path);
    if (errors.length === 0) valid.add(part);
    return errors;
  };
}
