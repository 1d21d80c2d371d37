import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ownModule } from '../../util/own-module.js';
import { deferPackagesOfCdk8s } from './defer-packages.js';

/** Imports a TypeScript or JavaScript module of the project, newly read. Returns what it exports. */
export async function importModule(file: string): Promise<Readonly<Record<string, unknown>>> {
  deferPackagesOfCdk8s(file);
  const { href } = pathToFileURL(file);
  // jiti would run a module that throws a second time, compiled.
  if (isNative(file)) {
    try {
      return await import(href);
    } catch (error) {
      if (!needsCompilation(error)) throw error;
    }
  }
  // By `import`, Node would first look through jiti for the names that it exports.
  const { createJiti } = createRequire(ownModule)('jiti') as typeof import('jiti');
  return createJiti(href, { moduleCache: false }).import<Readonly<Record<string, unknown>>>(file);
}

/** Returns true for an ES module that Node reads itself, and that jiti lets it read. */
function isNative(file: string): boolean {
  const extension = path.extname(file);
  if (extension !== '.js') return extension === '.mjs';
  for (let directory = path.dirname(file); ; directory = path.dirname(directory)) {
    const manifest = path.join(directory, 'package.json');
    if (existsSync(manifest)) return typeOf(manifest) === 'module';
    if (directory === path.dirname(directory)) return false;
  }
}

function typeOf(manifest: string): unknown {
  try {
    return (JSON.parse(readFileSync(manifest, 'utf8')) as { readonly type?: unknown } | null)?.type;
  } catch {
    return undefined; // Node names the error
  }
}

/** Returns true for the errors of a module that did not run, such as an import of TypeScript, or that uses `require`. */
function needsCompilation(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const hasRun = (error.stack ?? '').split('\n').some((line) => line.startsWith('    at ') && line.includes('file://'));
  return !hasRun || /is not defined in ES module scope/.test(error.message);
}
