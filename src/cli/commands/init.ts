import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { FieldwiseError } from '../../util/error.js';
import { packageFile } from '../../util/package-file.js';
import type { Host } from '../host.js';
import { configFileName } from '../program/config.js';

/** Adds `fieldwise init`. */
export function registerInit(program: Command, host: Host): void {
  program
    .command('init')
    .summary('create a project')
    .description(
      'Creates a project: fieldwise.yaml, a program (main.ts), tsconfig.json, package.json and .gitignore. Overwrites nothing: keeps an existing package.json and .gitignore, and fails if one of the other files exists.',
    )
    .argument('[directory]', 'directory of the project, which is created if it does not exist', '.')
    .action(async (directory: string) => {
      const project = path.resolve(host.cwd, directory);
      const written = await init(project);
      const inside = path.relative(host.cwd, project);
      const steps = [...(inside ? [`cd ${inside}`] : []), 'npm install', 'npx fieldwise synth', 'npx fieldwise deploy --cluster embedded'];
      host.stdout(`Written: ${written.join(', ')}\n\nNext:\n${steps.map((step) => `  ${step}\n`).join('')}`);
      host.stdout('\nThe last command needs no cluster. Without `--cluster embedded`, it deploys to the cluster of your kubeconfig.\n');
    });
}

/**
 * Creates a project. Keeps an existing package.json and .gitignore.
 *
 * @returns the names of the written files.
 * @throws FieldwiseError `init-exists` if another file of the project exists; nothing is written then.
 */
export async function init(directory: string): Promise<readonly string[]> {
  const name = appNameOf(directory);
  const files: Record<string, string> = {
    [configFileName]: configuration(name),
    'main.ts': mainProgram,
    'tsconfig.json': json({
      compilerOptions: { target: 'ES2022', module: 'NodeNext', strict: true, noEmit: true, skipLibCheck: true },
      include: ['**/*.ts'],
    }),
    '.gitignore': 'node_modules/\ndist/\n.fieldwise/\n',
    ...(existsSync(path.join(directory, 'package.json')) ? {} : { 'package.json': await packageJson(name) }),
  };
  const present = Object.keys(files).find((file) => file !== '.gitignore' && existsSync(path.join(directory, file)));
  if (present !== undefined) {
    throw new FieldwiseError('init-exists', 'usage', `The directory already contains ${present}`, {
      location: { file: path.join(directory, present) },
      next: 'Nothing was written. Pass another directory, such as `fieldwise init shop`.',
    });
  }
  if (existsSync(path.join(directory, '.gitignore'))) delete files['.gitignore'];
  await mkdir(directory, { recursive: true });
  // `wx` also refuses to overwrite a file that appeared after the check above.
  for (const [file, content] of Object.entries(files)) await writeFile(path.join(directory, file), content, { flag: 'wx' });
  return Object.keys(files);
}

/** Returns a name that needs no quotes in YAML, in a shell or in package.json. */
function appNameOf(directory: string): string {
  const name = path
    .basename(directory)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|(?<!-)-+$/g, '');
  return name || 'app';
}

function configuration(name: string): string {
  return `# yaml-language-server: $schema=node_modules/fieldwise/schema/fieldwise.schema.json
name: ${/^(?:y|n|yes|no|on|off|true|false|null)$/.test(name) ? `"${name}"` : name}
app: main.ts
namespace: default
`;
}

const mainProgram = `import { App, Stack } from 'fieldwise';
import { configMap } from 'fieldwise/k8s/core/v1';

const app = new App();
const hello = new Stack(app, 'hello');

// This stack creates and deletes the object. To add fields to an object of others, declare them with \`share\`.
hello.own(configMap('hello').withData({ greeting: 'Hello, field!' }));
`;

async function packageJson(name: string): Promise<string> {
  const own = JSON.parse(await readFile(packageFile('package.json'), 'utf8')) as {
    version: string;
    peerDependencies: Readonly<Record<string, string>>;
    peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>;
    devDependencies: Readonly<Record<string, string>>;
  };
  const needed = Object.entries(own.peerDependencies).filter(([peer]) => own.peerDependenciesMeta[peer]?.optional !== true);
  const typescript = own.devDependencies.typescript;
  return json({
    name,
    private: true,
    type: 'module',
    devDependencies: {
      ...Object.fromEntries(needed),
      fieldwise: `^${own.version}`,
      ...(typescript === undefined ? {} : { typescript: `~${typescript}` }),
    },
  });
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
