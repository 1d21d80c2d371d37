import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { deferPackagesOfCdk8s } from './defer-packages.js';

/** Imports a TypeScript or JavaScript module of the project, newly read. Returns what it exports. */
export async function importModule(file: string): Promise<Readonly<Record<string, unknown>>> {
  deferPackagesOfCdk8s(file);
  // By `import`, Node would first look through jiti for the names that it exports.
  const { createJiti } = createRequire(import.meta.url)('jiti') as typeof import('jiti');
  return createJiti(pathToFileURL(file).href, { moduleCache: false }).import<Readonly<Record<string, unknown>>>(file);
}
