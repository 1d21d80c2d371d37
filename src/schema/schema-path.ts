/** One step down a schema: a property, the items of a list, or the values of a map of free keys. */
export type SchemaStep = { readonly property: string } | { readonly items: true } | { readonly values: true };

/**
 * Reads a path such as `.spec.listeners[].routes`, with `["odd name"]` for names with other characters and `.*` for the values of a map.
 *
 * @throws Error that quotes the part which cannot be read.
 */
export function parseSchemaPath(path: string): readonly SchemaStep[] {
  const steps: SchemaStep[] = [];
  for (let rest = path; rest !== ''; ) {
    const match = /^(?:\.(\*)(?![\w$-])|\.([\w$-]+)|(\[\])|\[("(?:[^"\\]|\\.)*")\])/.exec(rest);
    if (match === null) throw new Error(`the path cannot be read from ${JSON.stringify(rest)} on`);
    const [whole, star, name, items, quoted] = match;
    if (star !== undefined) steps.push({ values: true });
    else if (items !== undefined) steps.push({ items: true });
    else steps.push({ property: name ?? (JSON.parse(quoted as string) as string) });
    rest = rest.slice(whole.length);
  }
  return steps;
}

/** `.name`, or `["odd name"]` where a dot would mislead. */
export function pathStep(name: string): string {
  return /^[\w$-]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}
