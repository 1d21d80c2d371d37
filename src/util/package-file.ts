import path from 'node:path';
import { nearestWith } from './nearest-with.js';
import { ownFile } from './own-file.js';

/**
 * Returns the absolute path of a file of this package, such as `package.json`. Searches upwards, because the build bundles modules and so
 * moves this one.
 *
 * @throws Error if the files were copied out of their package.
 */
export function packageFile(name: string): string {
  const here = ownFile('.');
  const directory = nearestWith(here, 'package.json');
  if (directory === undefined) throw new Error(`Fieldwise is not installed as a package: no package.json is above ${here}.`);
  return path.join(directory, name);
}
