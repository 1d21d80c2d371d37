import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './command.js';

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dependencies?: object; readonly optionalDependencies?: object }>>;
}

/**
 * Names what `npm ci` would miss: dependencies that the lock file speaks of and has no entry for. npm leaves out optional
 * packages of other platforms where a registry does not offer them, and then refuses its own file.
 */
export function missingFromLock(text = readFileSync(join(root, 'package-lock.json'), 'utf8')): string[] {
  const { packages }: Lock = JSON.parse(text);
  return Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !isPresent(packages, path, name))
      .map((name) => `package-lock.json has no entry for ${name}, which ${path || 'this package'} depends on: npm ci will refuse it`),
  );
}

/** A package is looked for beside and above the one that needs it. */
function isPresent(packages: Lock['packages'], path: string, name: string): boolean {
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules/') - 1))) {
    if (`${at ? `${at}/` : ''}node_modules/${name}` in packages) return true;
    if (at === '') return false;
  }
}
