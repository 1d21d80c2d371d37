/** Words that no expression can write as a field. */
const constants = ['true', 'false', 'null', 'in'];
const words = 'as break const continue else for function if import let loop package namespace return var void while'.split(' ');
const reserved = new Set([...constants, ...words]);
const parts: Readonly<Record<string, string>> = { __: '__underscores__', '.': '__dot__', '-': '__dash__', '/': '__slash__' };

/**
 * Returns the name by which expressions reach a property; undefined for one that they cannot reach.
 * Source: Kubernetes documentation "CustomResourceDefinitions", "Escaping".
 */
export function escapeName(property: string): string | undefined {
  if (reserved.has(property)) return `__${property}__`;
  if (!/^[A-Za-z_$][\w$./-]*$/.test(property)) return undefined;
  return property.includes('$') ? undefined : property.replace(/__|[./-]/g, (part) => parts[part] ?? part);
}

/** Returns true for a word that the language keeps for itself. */
export function isReserved(name: string): boolean {
  return reserved.has(name);
}

/** Returns all names by which expressions reach a property: a reserved word also as it is, unless it is an operator or a constant. */
export function fieldNames(property: string): readonly string[] {
  const escaped = escapeName(property);
  if (escaped === undefined) return [];
  return words.includes(property) ? [escaped, property] : [escaped];
}
