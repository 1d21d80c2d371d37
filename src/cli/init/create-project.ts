import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { appNameOf } from '../../util/app-name.js';
import { FieldwiseError } from '../../util/error.js';
import { nearestWith } from '../../util/nearest-with.js';
import { slashPath } from '../../util/slash-path.js';
import { configFileName } from '../config/config.js';
import { writeNew } from '../files/write-new.js';
import { writeWhole } from '../files/write-whole.js';
import { stateDirectory, withIgnored } from './ignored-paths.js';
import { loadTemplate } from './load-template.js';
import { type PackageManager, packageManagerOf } from './package-manager.js';
import { type CompletedManifest, completeManifest, parseManifest } from './package-manifest.js';
import { ownTsconfigName, programFiles, supportFiles, tsconfigName } from './project-files.js';
import type { ProjectShape } from './project-shape.js';
import { readVariables } from './read-variables.js';
import type { TemplateName } from './template.js';
import { workflowFile } from './workflow.js';
import { type CheckedWorkflows, checkedWorkflows, type UpdatedWorkflow, updatedWorkflow } from './workflow-variables.js';

/** The results of `fieldwise init`, in words. */
export interface CreatedProject {
  /** New files. */
  readonly written: readonly string[];
  /** Changes of existing files, such as `package.json: scripts synth, diff`. */
  readonly changed: readonly string[];
  /** Existing files and members that stay as they are. */
  readonly kept: readonly string[];
  /** A line of the configuration that init would write and that the existing one does not have. */
  readonly missingLine?: string;
  /** False for a package that has no test, because its program is not that of the template. */
  readonly hasTests: boolean;
  /** The names of the scripts. */
  readonly scripts: Readonly<Record<string, string>>;
  readonly packages: PackageManager;
  /** The root of the repository, relative to the project, where a workflow belongs; absent if the project is the root. */
  readonly workflowRoot?: string;
  /** The environment that a workflow deploys. */
  readonly environment: string;
  /** The workflows that do not give the program the variables that it reads, or do not run. */
  readonly workflows: CheckedWorkflows;
}

/**
 * Creates a project, or adds what is missing to a package. Overwrites no file, but adds variables to a workflow that nobody edited. A project that has
 * fieldwise.yaml keeps its program.
 *
 * @throws FieldwiseError `init-exists` if a file of another program has the name of one of the template, `package-invalid`, `config-invalid`: nothing is
 *   written then; `file-unwritable`, also if a link leads out of the project.
 */
export async function createProject(directory: string, templateName: TemplateName): Promise<CreatedProject> {
  const has = (file: string) => existsSync(path.join(directory, file));
  const manifestFile = path.join(directory, 'package.json');
  const text = has('package.json') ? await readText(manifestFile) : undefined;
  const existing = text === undefined ? undefined : parseManifest(text, manifestFile);
  const name = appNameOf(typeof existing?.name === 'string' ? existing.name : path.basename(directory));
  const id = idOf(name);
  const template = await loadTemplate(templateName, name);
  const packages = packageManagerOf(directory, existing);
  const isMixed = existing !== undefined && existing.type !== 'module' && hasFiles(directory, /\.[jt]sx?$/); // their meaning is decided by `type`
  const root = rootAbove(directory);
  const configured = has(configFileName) ? await readConfigured(path.join(directory, configFileName)) : undefined;
  const environment = configured === undefined ? 'prod' : configured.environment;
  const variables = await readVariables(directory);
  const shapeWith = (scripts: Readonly<Record<string, string>>): ProjectShape => {
    const shape = {
      name,
      id,
      template,
      scripts,
      packages,
      isMixed,
      variables,
      hasWorkflow: root === undefined,
      ...(environment === undefined ? {} : { environment }),
    };
    const isOwn = !has(tsconfigName) || sameText(directory, tsconfigName, supportFiles({ ...shape, tsconfig: tsconfigName })[tsconfigName]);
    return { ...shape, tsconfig: isOwn ? tsconfigName : ownTsconfigName };
  };
  const { tsconfig } = shapeWith({});
  const completed = await completeManifest(existing, template, {
    name,
    tsconfig: tsconfig === tsconfigName ? undefined : tsconfig,
    isModule: !isMixed,
  });
  const shape = shapeWith(completed.scripts);
  const program = has(configFileName) ? {} : programFiles(shape);
  refuseOtherPrograms(directory, Object.entries(program), has(configFileName) ? undefined : template.app);
  // The configuration is the last one: a project without it is one that init has not finished.
  const files = Object.entries({ ...withoutSamples(directory, program), ...supportFiles(shape) });
  for (const file of ['package.json', '.gitignore', ...files.map(([name]) => name)]) refuseOutside(directory, file);
  const update = root === undefined ? await updatedWorkflow(directory, shape) : undefined;
  const result = await write(directory, files, completed, { manifestText: text, update });
  return {
    ...result,
    environment: environment ?? 'prod',
    workflows: await checkedWorkflows(root ?? directory, variables),
    hasTests: hasFiles(directory, /\.(?:test|spec)\.[cm]?[jt]sx?$/),
    scripts: completed.scripts,
    packages,
    ...(configured === undefined || configured.hasId ? {} : { missingLine: `id: ${id}` }),
    ...(root === undefined ? {} : { workflowRoot: slashPath(directory, root) }),
  };
}

/** Returns a new id, which shows people the name of the program. */
export function idOf(name: string): string {
  return `${
    name
      .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
      .replace(/^[^A-Za-z0-9]+/, '')
      .slice(0, 40) || 'app'
  }-${randomBytes(5).toString('hex')}`;
}

/** Reads a configuration: the environment that a workflow deploys, prod, else the last one; and whether the program has an id. */
async function readConfigured(file: string): Promise<{ readonly environment: string | undefined; readonly hasId: boolean }> {
  const { parseConfigFile } = await import('../config/config-schema.js');
  const { environments = {}, id } = parseConfigFile(await readText(file), file);
  return { environment: Object.hasOwn(environments, 'prod') ? 'prod' : Object.keys(environments).at(-1), hasId: id !== undefined };
}

async function write(
  directory: string,
  files: readonly (readonly [string, string])[],
  { manifest, added, kept }: CompletedManifest,
  { manifestText, update }: { readonly manifestText: string | undefined; readonly update: UpdatedWorkflow | undefined },
): Promise<Pick<CreatedProject, 'written' | 'changed' | 'kept'>> {
  const written: string[] = [];
  const changed: string[] = [];
  const keptFiles: string[] = [];
  try {
    await mkdir(directory, { recursive: true });
    if (manifestText === undefined) {
      if (await writeNew(path.join(directory, 'package.json'), jsonText(manifest, ''))) written.push('package.json');
    } else if (added.length > 0) {
      await writeWhole(path.join(directory, 'package.json'), jsonText(manifest, manifestText));
      changed.push(...added.map((what) => `package.json: ${what}`));
    }
    const ignored = await addIgnored(path.join(directory, '.gitignore'));
    if (ignored === 'written') written.push('.gitignore');
    else if (ignored.length > 0) changed.push(`.gitignore: ${ignored.join(', ')}`);
    for (const [file, text] of files) {
      await mkdir(path.dirname(path.join(directory, file)), { recursive: true });
      if (await writeNew(path.join(directory, file), text)) written.push(file);
      else if (file === workflowFile && update !== undefined) {
        await writeWhole(path.join(directory, file), update.text);
        changed.push(`${file}: ${update.added.join(', ')}`);
      } else keptFiles.push(file);
    }
  } catch (cause) {
    if (cause instanceof FieldwiseError) throw cause;
    throw new FieldwiseError('file-unwritable', 'usage', `The project cannot be written: ${(cause as Error).message}`, {
      location: { file: directory },
      next: `${written.length + changed.length === 0 ? 'Nothing was written.' : `Written until then: ${[...written, ...changed].join(', ')}.`} Correct it and run the command again, which adds what is missing.`,
      cause,
    });
  }
  return { written, changed, kept: [...keptFiles, ...kept] };
}

const ignoredPaths = ['node_modules/', 'dist/', stateDirectory];

/** Adds the missing paths to a .gitignore, and returns them. */
async function addIgnored(file: string): Promise<'written' | readonly string[]> {
  if (await writeNew(file, withIgnored('', ignoredPaths).text)) return 'written';
  const { text, missing } = withIgnored(await readFile(file, 'utf8'), ignoredPaths);
  if (missing.length > 0) await writeWhole(file, text);
  return missing;
}

/**
 * Refuses a directory with a program of its own, which a deploy of the sample would ignore.
 *
 * @param app the program of the template; undefined if it has none, or if the configuration names one.
 */
function refuseOtherPrograms(directory: string, program: readonly (readonly [string, string])[], app: string | undefined): void {
  const has = (file: string) => existsSync(path.join(directory, file));
  const changed = program.find(([file, text]) => has(file) && !sameText(directory, file, text))?.[0];
  const others = app === undefined ? [] : ['cdk8s.yaml', ...(program.some(([file]) => file === app) ? [] : [app])];
  const present = changed ?? others.find(has);
  if (present === undefined) return;
  const own = present === 'cdk8s.yaml' ? 'main.ts' : present;
  const rest = `name your program in ${configFileName} (\`app: ${own}\`) and run the command again, which then adds the rest`;
  throw new FieldwiseError('init-exists', 'usage', `The directory already contains ${present}`, {
    location: { file: path.join(directory, present) },
    next: has('cdk8s.yaml')
      ? `Nothing was written. To deploy this cdk8s program, install fieldwise, and run \`fieldwise init --migrate\`, which shows its edits first: import App from 'fieldwise' instead of 'cdk8s', and name the app. For tests and a workflow, ${rest}.`
      : `Nothing was written. Pass another directory, such as \`fieldwise init shop\`, or ${rest}.`,
  });
}

/** Refuses a file that a link leads out of the project: what is behind it belongs to something else. */
function refuseOutside(directory: string, file: string): void {
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return; // A file in its place fails as a whole.
  const root = realpathSync(directory);
  for (let place = path.join(directory, file); place !== directory; place = path.dirname(place)) {
    if (!isThere(place)) continue;
    const real = existsSync(place) ? realpathSync(place) : undefined;
    if (real?.startsWith(`${root}${path.sep}`)) return;
    throw new FieldwiseError(
      'file-unwritable',
      'usage',
      `${slashPath(directory, place)} is a link that leads ${real === undefined ? 'nowhere' : 'out of the project'}`,
      {
        location: { file: place },
        next: 'Nothing was written. Replace the link by a file or directory of the project and run the command again.',
      },
    );
  }
}

/** Returns true for a link that leads nowhere, too. */
function isThere(place: string): boolean {
  try {
    return lstatSync(place) !== undefined;
  } catch {
    return false;
  }
}

/** Leaves out the sample documents of a directory that has documents, because a deploy would take both. */
function withoutSamples(directory: string, program: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const isTaken = (file: string) => {
    const folder = path.join(directory, path.dirname(file));
    return file.endsWith('.yaml') && path.dirname(file) !== '.' && existsSync(folder) && readdirSync(folder).length > 0;
  };
  return Object.fromEntries(Object.entries(program).filter(([file]) => !isTaken(file)));
}

function sameText(directory: string, file: string, text: string | undefined): boolean {
  try {
    return readFileSync(path.join(directory, file), 'utf8') === text;
  } catch {
    return false;
  }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new FieldwiseError('file-unreadable', 'usage', `The file cannot be read: ${(cause as Error).message}`, {
      location: { file },
      next: 'Nothing was written.',
      cause,
    });
  }
}

/** The directories in which the search for modules ends: those of packages and outputs, and hidden ones. */
const skipped = /^(?:\.|node_modules$|dist$|lib$|build$|coverage$)/;

/** Returns true if a package has files of such a name. Looks at most four directories deep. */
function hasFiles(directory: string, names: RegExp, depth = 4): boolean {
  return readdirSync(directory, { withFileTypes: true }).some((entry) => {
    if (skipped.test(entry.name)) return false;
    if (entry.isDirectory()) return depth > 1 && hasFiles(path.join(directory, entry.name), names, depth - 1);
    return names.test(entry.name);
  });
}

/** Returns the root of the git repository of a directory below it; undefined at the root, or without a repository. */
function rootAbove(directory: string): string | undefined {
  const root = nearestWith(directory, '.git');
  return root === directory ? undefined : root;
}

/** Formats JSON with the indentation of a text. */
function jsonText(value: object, like: string): string {
  const indentation = /^\{\r?\n([ \t]+)/.exec(like)?.[1] ?? '  ';
  return `${JSON.stringify(value, undefined, indentation)}\n`;
}
