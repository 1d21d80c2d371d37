/** Splits a field name into lower-case words: `extraVolumeMounts` → `extra`, `volume`, `mounts`. */
export function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/** Returns true if a word is the plural of another, or the same word. */
export function isPluralOf(plural: string, singular: string): boolean {
  return plural === singular || plural === `${singular}s` || plural === `${singular}es` || plural === singular.replace(/y$/, 'ies');
}
