/** Returns true for the name of a YAML or JSON file, compressed or not; with `archives`, also for that of an archive. */
export function isSourceName(name: string, archives = false): boolean {
  return /\.(?:ya?ml|json)(?:\.gz)?$/i.test(name) || (archives && /\.(?:tgz|tar|tar\.gz)$/i.test(name));
}

/**
 * Returns true for a path below a directory that import does not read unless it is named: installed packages, test data, and directories
 * whose name begins with a dot.
 */
export function isIgnoredPath(path: string): boolean {
  const directories = path.split(/[\\/]/).slice(0, -1);
  return directories.some(
    (name) => name === 'node_modules' || name === 'testdata' || (name.startsWith('.') && name.length > 1 && name !== '..'),
  );
}

/** Returns false for a text that contains no CRD. */
export function mentionsCrds(text: string): boolean {
  return text.includes('CustomResourceDefinition');
}

/** Matches `kind: CustomResourceDefinition` in YAML and JSON. */
const crdKind = /kind["']?\s*:\s*["']?CustomResourceDefinition(?:List)?\b/;

/** Returns true for a text that declares a CRD, even if it cannot be parsed. */
export function declaresCrd(text: string): boolean {
  return crdKind.test(text);
}
