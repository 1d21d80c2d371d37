import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Count } from './count.js';

/** A project as a generator makes it. */
export interface ProjectCase {
  readonly name: string;
  /** Makes the project in an empty directory, and installs what it names. Returns false if that failed. */
  create(directory: string, count: Count): boolean;
  /** Adds the packed package to the dependencies. */
  install(tarball: string): readonly string[];
  /** The directory of the program and of its package, below the project. */
  readonly place: string;
  /** The file that makes the App. */
  readonly program: string;
  /** Where its tests are. */
  readonly tests: string;
  /** Its own scripts, in order. */
  readonly scripts: Readonly<Record<string, readonly string[]>>;
  /** The script of tests, in the same words. */
  readonly test: readonly string[];
}

/** The words that run npm without talk. */
export const npm = (...words: readonly string[]) => ['npm', '--no-audit', '--no-fund', '--loglevel=error', ...words];

/** cdk8s-cli asks the registry for a newer version of itself at each command, and not by npm. */
const environment = { CDK8S_CHECK_UPGRADE: 'false' };

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Returns the path of the packed package. */
export function packFieldwise(directory: string): string {
  const words = ['pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', directory];
  return join(directory, execFileSync('npm', words, { cwd: root, encoding: 'utf8' }).trim());
}

/** Runs the scripts of a project after one changed import, then those of Fieldwise. */
export async function tryProject(one: ProjectCase, parent: string, tarball: string, count: Count): Promise<void> {
  const project = join(parent, one.name);
  mkdirSync(project);
  if (!one.create(project, count)) return;
  const place = join(project, one.place);
  const step = (name: string, words: readonly string[], check?: (output: string) => string | undefined) =>
    count.run({ name: `${one.name}: ${name}`, directory: place, words, environment, ...(check === undefined ? {} : { check }) });
  if (!step('install the package', one.install(tarball))) return;
  commit(project);
  const program = join(place, one.program);
  const before = readFileSync(program, 'utf8');
  writeFileSync(program, withOtherImport(before));
  for (const [name, words] of Object.entries(one.scripts)) step(`${name}, after one changed import`, words);
  expectYaml(one, join(place, 'dist'), count);
  writeFileSync(program, before);
  commit(project);
  step('init --migrate', ['npx', 'fieldwise', 'init', '--migrate', '--yes'], () =>
    readFileSync(program, 'utf8') === withOtherImport(before) ? undefined : `${one.program} is not as edited by hand`,
  );
  addObjects(program);
  writeFiles(join(place, one.tests), testOfPackage);
  step('a test of builders and of the server', one.test, (output) => (/[1-9]\d* passed/.test(output) ? undefined : 'no test passed'));
  for (const [name, words] of Object.entries(one.scripts)) step(`${name}, with objects`, words);
  const created = (output: string) => (/[1-9]\d* created/.test(output) ? undefined : 'nothing was created');
  step('deploy to the embedded server', ['npx', 'fieldwise', 'deploy', '--yes', '--no-wait', '--cluster', 'embedded'], created);
  step('stop the server', ['npx', 'fieldwise', 'cluster', 'stop']);
}

/** What docs/coming-from/cdk8s.md promises: App comes from fieldwise, and nothing else changes. */
function withOtherImport(text: string): string {
  const others = text.replace(/import \{ App, (.*) \} from 'cdk8s';/, "import { $1 } from 'cdk8s';\nimport { App } from 'fieldwise';");
  if (others === text) throw new Error(`The program does not import App from cdk8s as it used to:\n${text}`);
  return others;
}

/** Objects in a chart of the program: one for the test, and the namespace that the sample of projen needs. */
function addObjects(program: string): void {
  const text = readFileSync(program, 'utf8');
  const objects = `
    new Declared(this, 'frontend', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'frontend' } });
    new Declared(this, 'color', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'frontend' }, data: { color: 'blue' } });`;
  const declared = text.replace(/super\(scope, id, props\);/, (line) => `${line}${objects}`);
  writeFileSync(program, `import { ApiObject as Declared } from 'cdk8s';\n${declared}`);
}

const testOfPackage = {
  'shop.test.ts': `import { App, Stack } from 'fieldwise';
import { configMap } from 'fieldwise/k8s/core/v1';
import { testCluster } from 'fieldwise/testing/jest';

test('a stack owns what it declares', async () => {
  const cluster = await testCluster();
  const app = new App({ name: 'shop' });
  const web = new Stack(app, 'web', { namespace: 'default' });
  web.own(configMap('color').withData({ color: 'blue' }));
  expect(await cluster.deploy(app)).toSucceed();
  expect(await cluster.get('ConfigMap', 'color', 'default')).toBeOwnedBy('.data.color', web);
});
`,
};

function expectYaml({ name }: ProjectCase, directory: string, count: Count): void {
  const started = Date.now();
  const files = readdirSync(directory).filter((file) => file.endsWith('.yaml'));
  count.note(`${name}: YAML in dist`, files.length > 0 ? undefined : 'there is none', started);
}

/** Writes files, by paths below a directory. */
export function writeFiles(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
}

function commit(directory: string): void {
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@example.com', ...words], { cwd: directory, stdio: 'ignore' });
  git('init');
  git('add', '--all');
  git('commit', '--allow-empty', '--message', 'as it was made');
}
