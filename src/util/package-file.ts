import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Returns the absolute path of a file of this package, such as `package.json`. Searches upwards, because the build bundles modules and so
 * moves this one.
 */
export function packageFile(name: string): string {
  let directory = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(directory, 'package.json'))) directory = path.dirname(directory);
  return path.join(directory, name);
}
