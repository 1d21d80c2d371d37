import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of this package by its path in it, such as `package.json`. The build bundles modules, so where this one lies tells nothing. */
export function packageFile(name: string): string {
  let directory = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(directory, 'package.json'))) directory = path.dirname(directory);
  return path.join(directory, name);
}
