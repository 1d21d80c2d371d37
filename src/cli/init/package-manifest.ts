import { readFile } from 'node:fs/promises';
import { FieldwiseError } from '../../util/error.js';
import { packageFile } from '../../util/package-file.js';
import type { LoadedTemplate } from './load-template.js';

/** The content of a package.json. */
export type PackageManifest = Readonly<Record<string, unknown>>;

/** A package.json with everything that a project needs. */
export interface CompletedManifest {
  readonly manifest: PackageManifest;
  /** The names under which the scripts of the template run; another one where the package uses the name for something else. */
  readonly scripts: Readonly<Record<string, string>>;
  /** The additions, in words. */
  readonly added: readonly string[];
  /** Members that the package had already and keeps, in words. */
  readonly kept: readonly string[];
}

/**
 * Parses a package.json.
 *
 * @throws FieldwiseError `package-invalid`.
 */
export function parseManifest(text: string, file: string): PackageManifest {
  const invalid = (what: string, cause?: unknown) =>
    new FieldwiseError('package-invalid', 'usage', `package.json ${what}`, {
      location: { file },
      next: 'Nothing was written. Correct it first.',
      cause,
    });
  let manifest: unknown;
  try {
    manifest = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (cause) {
    throw invalid(`is not JSON: ${(cause as Error).message}`, cause);
  }
  if (!isMap(manifest)) throw invalid('is not a JSON object');
  for (const member of ['scripts', 'dependencies', 'devDependencies'])
    if (manifest[member] !== undefined && !isMap(manifest[member])) throw invalid(`has a member \`${member}\` that is not a JSON object`);
  return manifest;
}

/** Adds the missing scripts and packages to a package.json; changes nothing else, apart from the placeholder of `npm init`. */
export async function completeManifest(
  existing: PackageManifest | undefined,
  template: LoadedTemplate,
  options: { readonly name: string; readonly tsconfig: string | undefined; readonly isModule: boolean },
): Promise<CompletedManifest> {
  const manifest: Record<string, unknown> = existing === undefined ? { name: options.name, private: true } : { ...existing };
  const added: string[] = [];
  const kept: string[] = [];
  if (options.isModule && manifest.type !== 'module') {
    added.push(manifest.type === undefined ? 'type module' : `type module instead of ${String(manifest.type)}`);
    manifest.type = 'module';
  }
  const scripts = addScripts(manifest, template, options.tsconfig, added, kept);
  await addPackages(manifest, template, added, kept);
  return { manifest, scripts, added, kept };
}

function addScripts(
  manifest: Record<string, unknown>,
  template: LoadedTemplate,
  tsconfig: string | undefined,
  added: string[],
  kept: string[],
): Readonly<Record<string, string>> {
  const scripts: Record<string, unknown> = { ...(manifest.scripts as object | undefined) };
  const wanted = { ...template.scripts, test: 'vitest run', typecheck: tsconfig === undefined ? 'tsc' : `tsc -p ${tsconfig}` };
  const names: Record<string, string> = {};
  const news: string[] = [];
  for (const [name, command] of Object.entries(wanted)) {
    const isFree = !Object.hasOwn(scripts, name) || scripts[name] === command || (name === 'test' && isPlaceholder(scripts[name]));
    const called = isFree ? name : `fieldwise:${name}`;
    if (!isFree) kept.push(`the script ${name} of package.json; ours is ${called}`);
    names[name] = called;
    if (scripts[called] !== command) news.push(called);
    scripts[called] = command;
  }
  manifest.scripts = scripts;
  if (news.length > 0) added.push(`scripts ${news.join(', ')}`);
  return names;
}

/** The script `test` that `npm init` writes: it prints an error and fails. */
function isPlaceholder(command: unknown): boolean {
  return typeof command === 'string' && command.startsWith('echo ') && command.includes('no test specified') && command.endsWith('exit 1');
}

async function addPackages(manifest: Record<string, unknown>, template: LoadedTemplate, added: string[], kept: string[]): Promise<void> {
  const listed = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'].flatMap((member) =>
    isMap(manifest[member]) ? Object.keys(manifest[member]) : [],
  );
  const needed = await packages(template);
  const missing = Object.entries(needed).filter(([name]) => !listed.includes(name));
  const present = Object.keys(needed).filter((name) => listed.includes(name));
  if (present.length > 0) kept.push(`the versions of ${present.join(', ')} in package.json`);
  if (missing.length === 0) return;
  added.push(`packages ${missing.map(([name]) => name).join(', ')}`);
  const all = { ...(manifest.devDependencies as Readonly<Record<string, string>> | undefined), ...Object.fromEntries(missing) };
  manifest.devDependencies = Object.fromEntries(Object.entries(all).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Returns the packages of a project with the versions that this version of Fieldwise is tested with. */
async function packages({ packages: others = [] }: LoadedTemplate): Promise<Readonly<Record<string, string>>> {
  const own = JSON.parse(await readFile(packageFile('package.json'), 'utf8')) as {
    readonly version: string;
    readonly peerDependencies: Readonly<Record<string, string>>;
    readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>;
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  const peers = Object.entries(own.peerDependencies).filter(([peer]) => own.peerDependenciesMeta[peer]?.optional !== true);
  const tested = (name: string, range: '^' | '~') => [name, `${range}${own.devDependencies[name]}`] as const;
  return Object.fromEntries([
    ...peers,
    ['fieldwise', `^${own.version}`] as const,
    tested('typescript', '~'),
    ...['@types/node', 'vitest', ...others].map((name) => tested(name, '^')),
  ]);
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
