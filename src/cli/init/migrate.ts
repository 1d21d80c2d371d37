import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ImportedApp } from '../../../codegen/import-app.js';
import { appNameOf } from '../../util/app-name.js';
import { FieldwiseError } from '../../util/error.js';
import type { NewText } from '../files/write-journal.js';
import { configFileName } from '../program/config.js';
import { idOf } from './create-project.js';
import { stateDirectory, withIgnored } from './ignored-paths.js';
import { parseManifest } from './package-manifest.js';
import { configuration } from './project-files.js';
import { type ProjectFile, projectFiles } from './tracked-files.js';

/** The edits that make a project of cdk8s one of Fieldwise. */
export interface Migration {
  /** Empty if nothing is to be done. */
  readonly edits: readonly NewText[];
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
  const found = await appsIn(directory, files);
  if (found.length === 0) {
    throw new FieldwiseError('program-without-app', 'usage', 'No file that Git tracks here makes an App of cdk8s by an import', {
      location: { file: directory },
      next: "Nothing was written. Run the command in the directory of the program, or import App from 'fieldwise' by hand.",
    });
  }
  const edits = found.filter(({ state }) => state === 'new');
  const deleted = files.filter(({ name, isDeleted }) => isDeleted && name === configFileName);
  const refused = [...edits, ...deleted].filter(({ refusal }) => refusal !== undefined);
  if (refused.length > 0) {
    const reasons = refused.map(({ name, refusal }) => `${name} ${refusal}`).join(', ');
    throw new FieldwiseError('migrate-refused', 'usage', `Files that are to be edited could not be restored: ${reasons}`, {
      location: { file: path.join(directory, refused[0]?.name ?? '') },
      next: 'Nothing was written. Commit them, as ordinary files that can be written, and run the command again.',
    });
  }
  const ignored = await ignoredState(directory, files);
  const texts = edits.map(({ file, old, text }) => ({ file, old, text }));
  return { ...ignored, edits: [...texts, ...(await newConfiguration(directory)), ...ignored.edits] };
}

async function ignoredState(directory: string, files: readonly ProjectFile[]): Promise<Migration> {
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

interface FoundApp extends ImportedApp, ProjectFile {
  readonly file: string;
  readonly old: string;
}

async function appsIn(directory: string, files: readonly ProjectFile[]): Promise<readonly FoundApp[]> {
  const { importApp } = await import('../../../codegen/import-app.js');
  const modules = files.filter(({ name, isDeleted }) => !isDeleted && /\.[cm]?[jt]sx?$/.test(name) && !/\.d\.[cm]?ts$/.test(name));
  const found = await Promise.all(
    modules.map(async (one) => {
      const file = path.join(directory, one.name);
      const old = await readFile(file, 'utf8').catch(() => undefined); // a link that leads nowhere
      const imported = old === undefined ? undefined : importApp(one.name, old);
      return imported === undefined || old === undefined
        ? []
        : [{ ...one, ...imported, file, old, ...(old.includes('\uFFFD') ? { refusal: 'is not a text in UTF-8' } : {}) }];
    }),
  );
  return found.flat();
}

async function newConfiguration(directory: string): Promise<readonly NewText[]> {
  const file = path.join(directory, configFileName);
  if (existsSync(file)) return [];
  const manifest = path.join(directory, 'package.json');
  const named = existsSync(manifest) ? parseManifest(await readFile(manifest, 'utf8'), manifest).name : undefined;
  const name = appNameOf(typeof named === 'string' ? named : path.basename(directory));
  return [{ file, text: configuration({ name, id: idOf(name), template: {} }) }];
}
