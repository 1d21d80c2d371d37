/** Returns the name of an app for the name of a package or a directory: it needs no quotes in YAML, in a shell or in package.json. */
export function appNameOf(given: string): string {
  const name = given
    .replace(/^@[^/]*\//, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|(?<!-)-+$/g, '')
    .slice(0, 50)
    .replace(/(?<!-)-+$/, '');
  return name || 'app';
}
