import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * The modules of the package that a CommonJS program may `require`: those of `exports` in package.json with a condition `require`
 * (docs/decisions/82).
 */

type Target = string | Readonly<Record<string, string>>;

const manifest = JSON.parse(await readFile('package.json', 'utf8')) as {
  readonly exports: Readonly<Record<string, Target>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
};

const installed = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies)];

/** Returns true for a package that is installed with this one, or with the program; others are bundled. */
export function isInstalled(name: string): boolean {
  return installed.some((one) => name === one || name.startsWith(`${one}/`));
}

/** Returns the sources of the modules by their names in `lib`, without an extension. */
export async function commonJsEntries(): Promise<Readonly<Record<string, string>>> {
  const targets = Object.values(manifest.exports).flatMap((target) => (typeof target === 'string' ? [] : (target.require ?? [])));
  const names = await Promise.all(targets.map(async (target) => namesOf(/^\.\/lib\/(.+)\.cjs$/.exec(target)?.[1] ?? '')));
  return Object.fromEntries(names.flat().map((name) => [name, `${name}.ts`]));
}

async function namesOf(name: string): Promise<readonly string[]> {
  if (!name.endsWith('/*')) return [name];
  const directory = path.dirname(name);
  const files = await readdir(directory, { recursive: true });
  return files
    .filter((file) => file.endsWith('.ts'))
    .map((file) => path.posix.join(directory, file.replaceAll(path.sep, '/').slice(0, -3)));
}

/**
 * Writes the declarations beside the modules: they are those of the ES modules, so that a class has one type in both formats. A compiler
 * that refuses to `require` an ES module would say so here, although none is loaded.
 */
export async function commonJsDeclarations(): Promise<void> {
  for (const name of Object.keys(await commonJsEntries())) {
    await writeFile(`lib/${name}.d.cts`, `// @ts-ignore\nexport * from './${path.basename(name)}.js';\n`);
  }
}
