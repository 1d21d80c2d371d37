import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './command.js';

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dependencies?: object; readonly optionalDependencies?: object }>>;
}

/**
 * Names packages that `npm ci` would miss: dependencies that the lock file mentions without an entry. npm omits optional packages of other
 * platforms if a registry does not offer them, and then rejects its own file.
 */
export function missingFromLock(text = readFileSync(join(root, 'package-lock.json'), 'utf8')): string[] {
  const { packages }: Lock = JSON.parse(text);
  return Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !isPresent(packages, path, name))
      .map((name) => `package-lock.json has no entry for ${name}, which ${path || 'this package'} depends on: npm ci will refuse it`),
  );
}

/** Returns true if a package is found beside or above its dependent. */
function isPresent(packages: Lock['packages'], path: string, name: string): boolean {
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules/') - 1))) {
    if (`${at ? `${at}/` : ''}node_modules/${name}` in packages) return true;
    if (at === '') return false;
  }
}
