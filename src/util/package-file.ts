import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Returns the absolute path of a file of this package, such as `package.json`. Searches upwards, because the build bundles modules and so
 * moves this one.
 *
 * @throws Error if the files were copied out of their package.
 */
export function packageFile(name: string): string {
  let directory = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(directory, 'package.json'))) {
    const above = path.dirname(directory);
    if (above === directory)
      throw new Error(`Fieldwise is not installed as a package: no package.json is above ${fileURLToPath(import.meta.url)}.`);
    directory = above;
  }
  return path.join(directory, name);
}
