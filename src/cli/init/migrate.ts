import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ImportedApp } from '../../../codegen/import-app.js';
import { appNameOf } from '../../util/app-name.js';
import { FieldwiseError } from '../../util/error.js';
import { configFileName } from '../config/config.js';
import type { NewText } from '../files/write-journal.js';
import { idOf } from './create-project.js';
import { stateDirectory, withIgnored } from './ignored-paths.js';
import { parseManifest } from './package-manifest.js';
import { configuration } from './project-files.js';
import { hiddenChange, type ProjectFile, projectFiles } from './tracked-files.js';

/** The edits that make a project of cdk8s one of Fieldwise. */
export interface Migration {
  /** Empty if nothing is to be done. */
  readonly edits: readonly NewText[];
  /** The places where App of cdk8s is still used, such as `main.ts:12`. */
  readonly leftovers: readonly string[];
  /** The directories of other packages that make an App, relative to the project. */
  readonly others: readonly string[];
  /** The reason why .gitignore lacks the directory of the embedded server and is not edited, such as `is read-only`. */
  readonly ignoredByHand?: string;
}

/**
 * Plans the edits that make a project of cdk8s one of Fieldwise: App imported from `fieldwise`, a fieldwise.yaml that names the app, and a
 * .gitignore with the directory of the embedded server. One that Git could not restore, such as that of projen, stays as it is.
 *
 * @throws FieldwiseError `migrate-refused`: a file that is to be edited is not tracked, has changes, is read-only or is a link;
 *   `program-without-app`: no file makes an App of cdk8s.
 */
export async function planMigration(directory: string, env: NodeJS.ProcessEnv): Promise<Migration> {
  const files = await projectFiles(directory, env);
  const all = await appsIn(directory, files);
  const found = all.filter((one) => one.packageDirectory === '' && one.state !== undefined);
  if (found.length === 0) {
    throw withoutApp(
      directory,
      all.flatMap(({ leftovers }) => leftovers),
    );
  }
  const edits = found.filter(({ state }) => state === 'new');
  const deleted = files.filter(({ name, isDeleted }) => isDeleted && name === configFileName);
  const checked = await Promise.all(
    edits.map(async (one) => {
      const refusal = one.refusal ?? (await hiddenChange(directory, one.name, one.old, env));
      return refusal === undefined ? one : { ...one, refusal };
    }),
  );
  const refused = [...checked, ...deleted].filter(({ refusal }) => refusal !== undefined);
  if (refused.length > 0) {
    const reasons = refused.map(({ name, refusal }) => `${name} ${refusal}`).join(', ');
    throw new FieldwiseError('migrate-refused', 'usage', `Files that are to be edited could not be restored: ${reasons}`, {
      location: { file: path.join(directory, refused[0]?.name ?? '') },
      next: 'Nothing was written. Commit them, as ordinary files that can be written, and run the command again.',
    });
  }
  const ignored = await ignoredState(directory, files);
  const texts = edits.map(({ file, old, text }) => ({ file, old, text }));
  const leftovers = all.flatMap((one) => (one.packageDirectory === '' ? one.leftovers : []));
  const others = [...new Set(all.flatMap((one) => (one.state === 'new' ? [one.packageDirectory] : [])))]
    .filter((other) => other !== '')
    .sort();
  return { ...ignored, leftovers, others, edits: [...texts, ...(await newConfiguration(directory)), ...ignored.edits] };
}

function withoutApp(directory: string, leftovers: readonly string[]): FieldwiseError {
  const beside = leftovers.length === 0 ? '' : `; App of cdk8s is used otherwise at ${leftovers.join(', ')}`;
  return new FieldwiseError('program-without-app', 'usage', `No file that Git tracks here makes an App of cdk8s by an import${beside}`, {
    location: { file: directory },
    next: "Nothing was written. Run the command in the directory of the program, or import App from 'fieldwise' by hand.",
  });
}

/**
 * Returns the directory of the package whose program makes an App of cdk8s: the one that is given, or, in the root of a workspace without such a
 * program, that of its only package with one.
 *
 * @throws FieldwiseError `migrate-refused` if several packages have such a program.
 */
export async function migratedDirectory(directory: string, env: NodeJS.ProcessEnv): Promise<string> {
  requireDirectory(directory);
  const found = await appsIn(directory, await projectFiles(directory, env));
  const all = [...new Set(found.filter(({ state }) => state !== undefined).map((one) => one.packageDirectory))].sort();
  if (all.length === 0 || all.includes('')) return directory;
  const isOpen = (one: string) =>
    !existsSync(path.join(directory, one, configFileName)) ||
    found.some(({ packageDirectory, state }) => packageDirectory === one && state === 'new');
  const open = all.filter(isOpen);
  const packages = open.length === 0 ? all.slice(0, 1) : open; // of a workspace that is migrated, any package says so
  if (packages.length === 1) return path.join(directory, packages[0] ?? '');
  throw new FieldwiseError('migrate-refused', 'usage', `Several packages make an App of cdk8s: ${packages.join(', ')}`, {
    location: { file: directory },
    next: `Nothing was written. Run the command for each of them: ${packages.map((one) => `\`npx fieldwise init --migrate ${one}\``).join(', ')}.`,
  });
}

/** @throws FieldwiseError `input-missing` where there is no such directory. */
function requireDirectory(directory: string): void {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new FieldwiseError('input-missing', 'usage', 'There is no such directory', {
    location: { file: directory },
    next: 'Name the directory of the program, or none for the working directory.',
  });
}

async function ignoredState(directory: string, files: readonly ProjectFile[]): Promise<Pick<Migration, 'edits' | 'ignoredByHand'>> {
  const file = path.join(directory, ignoreFile);
  const found = files.find(({ name }) => name === ignoreFile);
  if (found?.isDeleted && found.refusal !== undefined) return { edits: [], ignoredByHand: found.refusal };
  if (!existsSync(file)) return { edits: [{ file, text: withIgnored('', [stateDirectory]).text }] };
  const old = await readFile(file, 'utf8');
  const { text, missing } = withIgnored(old, [stateDirectory]);
  if (missing.length === 0) return { edits: [] };
  const refusal = found === undefined ? 'is not tracked by Git' : found.refusal;
  return refusal === undefined ? { edits: [{ file, old, text }] } : { edits: [], ignoredByHand: refusal };
}

const ignoreFile = '.gitignore';

/** A file that makes an App of cdk8s by an import, or uses it otherwise. */
interface FoundApp extends ProjectFile {
  readonly file: string;
  readonly old: string;
  readonly text: string;
  /** Absent if App is used otherwise only. */
  readonly state?: ImportedApp['state'];
  /** The directory of its package, relative to the project: empty for the project itself. */
  readonly packageDirectory: string;
  readonly leftovers: readonly string[];
}

async function appsIn(directory: string, files: readonly ProjectFile[]): Promise<readonly FoundApp[]> {
  const { importApp } = await import('../../../codegen/import-app.js');
  const { leftoverApps } = await import('../../../codegen/leftover-apps.js');
  const packages = new Set(files.filter(({ name }) => packageFiles.has(path.posix.basename(name))).map(({ name }) => directoryOf(name)));
  const modules = files.filter(({ name, isDeleted }) => !isDeleted && /\.[cm]?[jt]sx?$/.test(name) && !/\.d\.[cm]?ts$/.test(name));
  const found = await Promise.all(
    modules.map(async (one) => {
      const file = path.join(directory, one.name);
      const old = await readFile(file, 'utf8').catch(() => undefined); // a link that leads nowhere
      if (old === undefined) return [];
      const { state, text = old } = importApp(one.name, old) ?? {};
      const leftovers = leftoverApps(one.name, text).map((line) => `${one.name}:${line}`);
      if (state === undefined && leftovers.length === 0) return [];
      const packageDirectory = packageOf(one.name, packages);
      const refusal = old.includes('\uFFFD') ? { refusal: 'is not a text in UTF-8' } : {};
      return [{ ...one, ...(state === undefined ? {} : { state }), text, file, old, packageDirectory, leftovers, ...refusal }];
    }),
  );
  return found.flat();
}

/** The files that a directory with a program of its own has. */
const packageFiles: ReadonlySet<string> = new Set(['package.json', 'cdk8s.yaml', configFileName]);

/** Returns the nearest directory of a package at or above a file; empty for the project. */
function packageOf(name: string, packages: ReadonlySet<string>): string {
  for (let candidate = directoryOf(name); candidate !== ''; candidate = directoryOf(candidate))
    if (packages.has(candidate)) return candidate;
  return '';
}

function directoryOf(name: string): string {
  const directory = path.posix.dirname(name);
  return directory === '.' ? '' : directory;
}

async function newConfiguration(directory: string): Promise<readonly NewText[]> {
  const file = path.join(directory, configFileName);
  if (existsSync(file)) return [];
  const manifest = path.join(directory, 'package.json');
  const named = existsSync(manifest) ? parseManifest(await readFile(manifest, 'utf8'), manifest).name : undefined;
  const name = appNameOf(typeof named === 'string' ? named : path.basename(directory));
  return [{ file, text: configuration({ name, id: idOf(name), template: {} }) }];
}
