import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { Project } from '../../harness/project.js';

const projects: Project[] = [];
afterEach(() => {
  for (const { directory } of projects.splice(0)) rmSync(directory, { recursive: true, force: true });
});

function project(files: Readonly<Record<string, string>> = {}): Project {
  const made = new Project(files, {});
  projects.push(made);
  return made;
}

const written = [
  '.github/workflows/fieldwise.yml',
  '.gitignore',
  'AGENTS.md',
  'README.md',
  'fieldwise.yaml',
  'hello.test.ts',
  'hello.ts',
  'main.ts',
  'package.json',
  'tsconfig.json',
];
const filesOf = (made: Project, below: string) => made.files(below).filter((file) => !/^(\.github|\.github\/workflows)$/.test(file));

it('makes a project that synth takes, and says what comes next', async () => {
  const made = project();
  const { exitCode, stdout, stderr } = await made.run(['init', 'shop']);
  expect(exitCode, stderr).toBe(0);
  expect(
    stdout,
  ).toBe(`Written: package.json, .gitignore, main.ts, hello.ts, hello.test.ts, tsconfig.json, README.md, AGENTS.md, .github/workflows/fieldwise.yml, fieldwise.yaml

Next:
  cd shop
  npm install
  npm test
  npm run deploy

The last command needs no cluster: it deploys to the environment dev of fieldwise.yaml. \`npm run deploy -- -e prod\` deploys to the cluster of your kubeconfig.
`);
  expect(filesOf(made, 'shop')).toEqual(written);
  expect(JSON.parse(made.read('shop/package.json'))).toEqual({
    name: 'shop',
    private: true,
    type: 'module',
    scripts: { synth: 'fieldwise synth', diff: 'fieldwise diff', deploy: 'fieldwise deploy', test: 'vitest run', typecheck: 'tsc' },
    devDependencies: {
      '@types/node': expect.stringMatching(/^\^\d/),
      cdk8s: expect.any(String),
      constructs: expect.any(String),
      fieldwise: expect.any(String),
      typescript: expect.stringMatching(/^~\d/),
      vitest: expect.stringMatching(/^\^\d/),
    },
  });
  const synth = await made.run(['synth'], { in: 'shop' });
  expect(synth.exitCode, synth.stderr).toBe(0);
  expect(synth.stdout).toContain('shop, instance dev: 1 stack, 1 object in dist/dev');
  expect(synth.stderr).toBe('');
});

it.each([
  { link: '.github', to: 'outside' },
  { link: '.gitignore', to: 'outside/ignored' },
  { link: 'package.json', to: 'outside/package.json' },
  { link: 'tsconfig.json', to: 'nowhere' },
])('writes nothing where $link leads out of the project', async ({ link, to }) => {
  const made = project({ 'outside/ignored': 'a', 'outside/package.json': '{}', 'one/notes.md': '' });
  symlinkSync(join('..', to), join(made.directory, 'one', link));
  const { exitCode, stderr } = await made.run(['init', 'one']);
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/is a link that leads (?:out of the project|nowhere)/)]);
  expect([made.files('outside'), made.read('outside/ignored'), made.read('outside/package.json')]).toEqual([
    ['ignored', 'package.json'],
    'a',
    '{}',
  ]);
});

it('takes the name of the package, and adds no sample to documents that are there', async () => {
  const own = stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mine' } });
  const made = project({ 'one/package.json': '{ "name": "@shop/hello" }', 'one/manifests/mine.yaml': own });
  const { exitCode, stdout, stderr } = await made.run(['init', 'one', '--template', 'manifests']);
  expect(exitCode, stderr).toBe(0);
  expect(stdout).not.toContain('web.yaml');
  expect(made.files('one/manifests')).toEqual(['mine.yaml']);
  expect(parse(made.read('one/fieldwise.yaml')).name).toBe('hello');
  const { scripts } = JSON.parse(made.read('one/package.json'));
  expect(scripts).toMatchObject({
    synth: 'fieldwise synth -f manifests --stack hello',
    deploy: 'fieldwise deploy -f manifests --stack hello',
  });
});

test.each<{ what: string; files: Readonly<Record<string, string>>; words?: readonly string[]; message: RegExp; code: string }>([
  { what: 'another program', files: { 'one/main.ts': 'mine' }, message: /already contains main\.ts.*app: main\.ts/, code: 'init-exists' },
  {
    what: 'a program of cdk8s',
    files: { 'one/main.ts': 'mine', 'one/cdk8s.yaml': 'app: node main.js' },
    message: /fieldwise init --migrate.*import App from 'fieldwise' instead of 'cdk8s'/,
    code: 'init-exists',
  },
  {
    what: 'a program beside a package that is no ES module',
    files: { 'one/main.ts': 'mine', 'one/package.json': '{ "name": "hello" }' },
    message: /already contains main\.ts.*app: main\.ts/,
    code: 'init-exists',
  },
  {
    what: 'a program of cdk8s under another name',
    files: { 'one/app.js': 'mine', 'one/cdk8s.yaml': 'app: node app.js', 'one/package.json': '{}' },
    words: ['--template', 'cdk8s'],
    message: /already contains cdk8s\.yaml.*import App from 'fieldwise'/,
    code: 'init-exists',
  },
  {
    what: 'a package.json that is not JSON',
    files: { 'one/package.json': '{ "name": ' },
    message: /package\.json is not JSON/,
    code: 'package-invalid',
  },
  { what: 'a package.json that is a list', files: { 'one/package.json': '[]' }, message: /is not a JSON object/, code: 'package-invalid' },
  { what: 'scripts that are text', files: { 'one/package.json': '{"scripts":"x"}' }, message: /member `scripts`/, code: 'package-invalid' },
  { what: 'a broken fieldwise.yaml', files: { 'one/fieldwise.yaml': 'app: [' }, message: /it is not YAML/, code: 'config-invalid' },
  { what: 'a file in place of the directory', files: { one: 'mine' }, message: /The project cannot be written/, code: 'file-unwritable' },
])('writes nothing beside $what', async ({ files, words = [], message, code }) => {
  const made = project(files);
  const before = made.files('.');
  const { exitCode, stderr } = await made.run(['init', 'one', ...words]);
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
  expect(stderr).toContain(`[${code}]`);
  expect(made.files('.')).toEqual(before);
  for (const [file, text] of Object.entries(files)) expect(made.read(file)).toBe(text);
});

test('names the templates', async () => {
  const { exitCode, stderr } = await project().run(['init', '--template', 'helm']);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('Allowed choices are app, operator, manifests, cdk8s')]);
});

test('finishes what another run began, and then has nothing to do', async () => {
  const made = project();
  await made.run(['init', 'shop']);
  for (const file of ['fieldwise.yaml', 'hello.test.ts', '.gitignore']) rmSync(join(made.directory, 'shop', file));
  const again = await made.run(['init', 'shop']);
  expect(again.stdout).toMatch(/^Written: \.gitignore, hello\.test\.ts, fieldwise\.yaml\n/);
  made.write({ 'shop/hello.ts': 'mine' });
  const nothing = await made.run(['init', 'shop']);
  expect(nothing.stdout).toMatch(/^Nothing is missing\.\nKept: tsconfig\.json; README\.md; /);
  expect(made.read('shop/hello.ts')).toBe('mine');
  const config = made.read('shop/fieldwise.yaml');
  made.write({ 'shop/fieldwise.yaml': config.replace(/^id:.*\n/m, '') });
  const { stdout } = await made.run(['init', 'shop']);
  expect(stdout).not.toContain('Nothing is missing');
  const [, line = ''] = /^fieldwise\.yaml stays as it is and has no `id`, .* Add: (id: shop-\S+)$/m.exec(stdout) ?? [];
  made.write({ 'shop/fieldwise.yaml': `${made.read('shop/fieldwise.yaml')}${line}\n` });
  expect((await made.run(['init', 'shop'])).stdout).toMatch(/^Nothing is missing\./);
});

it('leads assistants to the file of the package, by scripts that there are, and keeps a file that is there', async () => {
  const made = project({ 'mixed/package.json': '{ "scripts": { "deploy": "rsync" } }', 'own/AGENTS.md': 'mine' });
  await made.run(['init', 'mixed']);
  const text = made.read('mixed/AGENTS.md');
  const [, file = ''] = /`(node_modules\S+)`/.exec(text) ?? [];
  expect(existsSync(join(made.directory, file)), file).toBe(true);
  const { scripts } = JSON.parse(made.read('mixed/package.json'));
  const named = [...text.matchAll(/`npm (?:run )?([\w:]+)/g)].map(([, name = '']) => name).filter((name) => name !== 'install');
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  expect(named).toContain('fieldwise:deploy');
  expect((await made.run(['init', 'own'])).stdout).toContain('Kept: AGENTS.md');
  expect(made.read('own/AGENTS.md')).toBe('mine');
});

test('two at once make one project', async () => {
  const made = project();
  const runs = await Promise.all([1, 2].map(() => made.run(['init', 'shop'], { asProcess: true })));
  expect(filesOf(made, 'shop')).toEqual(written);
  expect(runs.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual([
    [0, ''],
    [0, ''],
  ]);
  expect((await made.run(['synth'], { in: 'shop' })).exitCode).toBe(0);
});

test('adds a workflow for the configuration that a project has', async () => {
  const made = project({
    'own/fieldwise.yaml': 'name: own\napp: program.ts\n',
    'own/program.ts': 'mine',
    'live/fieldwise.yaml': 'environments: { live: {} }\n',
  });
  const own = await made.run(['init', 'own']);
  expect(own.stdout).toMatch(
    /Next:\n {2}cd own\n {2}npm install\n {2}npm run deploy\n\nThere is no test yet: `npm test` fails until you write one/,
  );
  made.write({ 'own/src/program.spec.ts': 'mine' });
  expect((await made.run(['init', 'own'])).stdout).toMatch(/npm install\n {2}npm test\n {2}npm run deploy\n$/);
  expect(made.read('own/fieldwise.yaml')).toBe('name: own\napp: program.ts\n');
  expect(made.files('own')).not.toContain('main.ts');
  expect(made.read('own/.github/workflows/fieldwise.yml')).not.toContain('-e ');
  expect(made.read('own/README.md')).not.toContain('dev');
  await made.run(['init', 'live']);
  expect(made.read('live/.github/workflows/fieldwise.yml')).toContain(
    'run: npm run deploy -- -e live --plan plan.json --plan-digest "$DIGEST"\n',
  );
});

test('names the variables that the program reads, and gives their values to the step that deploys alone; a test gets any', async () => {
  const program = "import { fromEnv } from 'fieldwise';\nconst a = [fromEnv('DB_PASSWORD'), fromEnv( \"API_TOKEN\" ), fromEnv(name)];\n";
  const made = project({ 'fieldwise.yaml': 'name: shop\napp: main.ts\n', 'main.ts': program, 'node_modules/x/a.ts': "fromEnv('THEIRS')" });
  await made.run(['init']);
  const text = made.read('.github/workflows/fieldwise.yml');
  for (const name of ['API_TOKEN', 'DB_PASSWORD']) expect(text).toContain(`# - ${name} of the GitHub environment prod: `);
  expect(text).not.toContain('THEIRS');
  const { jobs } = parse(text);
  const withSecrets = Object.entries(jobs as Record<string, { steps: { env?: object }[] }>).flatMap(([job, { steps }]) =>
    steps.filter(({ env }) => JSON.stringify(env ?? {}).includes('secrets.DB_PASSWORD')).map(({ env }) => [job, Object.keys(env ?? {})]),
  );
  expect(withSecrets).toEqual([['deploy', ['KUBECONFIG', 'DIGEST', 'API_TOKEN', 'DB_PASSWORD']]]);
  expect(jobs.check.steps.map(({ env }: { env?: object }) => env)).toContainEqual({ API_TOKEN: 'any', DB_PASSWORD: 'any' });
});

test('gives new variables of the program to a workflow as it was written, and names those that an edited workflow lacks', async () => {
  const made = project();
  await made.run(['init']);
  made.write({ 'secrets.ts': "fromEnv('DB_PASSWORD');" });
  const first = await made.run(['init']);
  expect(first.stdout).toMatch(/^Changed \.github\/workflows\/fieldwise\.yml: DB_PASSWORD\nKept: (?!.*workflows)/);
  made.write({ 'secrets.ts': "fromEnv('DB_PASSWORD'); fromEnv('API_TOKEN');" });
  expect((await made.run(['init'])).stdout).toContain('Changed .github/workflows/fieldwise.yml: API_TOKEN\n');
  const text = made.read('.github/workflows/fieldwise.yml');
  for (const name of ['API_TOKEN', 'DB_PASSWORD']) expect(text).toContain(`          ${name}: \${{ secrets.${name} }}\n`);
  const edited = `${text}# mine\n`;
  const more = "fromEnv('DB_PASSWORD'); fromEnv('LATER'); fromEnv('LAST');";
  made.write({
    '.github/workflows/fieldwise.yml': edited,
    '.gitlab-ci.yml': 'deploy: { script: [npx fieldwise deploy], variables: { LAST: "1" } }',
    'secrets.ts': more,
  });
  const { exitCode, stdout, stderr } = await made.run(['init']);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(made.read('.github/workflows/fieldwise.yml')).toBe(edited);
  expect(
    stdout,
  ).toContain(`The program reads LAST, LATER with fromEnv, and .github/workflows/fieldwise.yml does not give a value. Create each secret in the GitHub environment prod, and add below \`env:\` of the step that deploys:
    LAST: \${{ secrets.LAST }}
    LATER: \${{ secrets.LATER }}
and below \`env:\` of a step that runs the tests:
    LAST: any
    LATER: any
The program reads DB_PASSWORD, LATER with fromEnv, which .gitlab-ci.yml does not name. GitLab gives`);
  expect(stdout).not.toContain('Nothing is missing');
});

test('names what the workflow at the root of a repository lacks for a project below it', async () => {
  const made = project({
    '.git/HEAD': '',
    '.github/workflows/deploy.yaml': 'jobs: {} # npx fieldwise deploy; DB_PASSWORD: x',
    '.github/workflows/lint.yaml': 'jobs: {}',
    'shop/secrets.ts': "fromEnv('DB_PASSWORD')",
  });
  const { stdout } = await made.run(['init', 'shop']);
  expect(stdout).toContain('reads DB_PASSWORD with fromEnv, and .github/workflows/deploy.yaml does not give a value.');
});

test.each([
  ['.github/workflows/fieldwise.yml', 'jobs:\n  deploy: [npx fieldwise deploy\n', /at line 3, column 1/],
  ['.github/workflows/twice.yaml', 'jobs: {} # fieldwise\njobs: {}\n', /Map keys must be unique at line 2, column 1/],
  ['.gitlab-ci.yml', 'deploy:\n\tscript: npx fieldwise deploy\n', /Tabs are not allowed as indentation at line 2, column 1/],
])('%s that is not YAML is named, and something is missing', async (file, text, problem) => {
  const made = project();
  await made.run(['init']);
  made.write({ [file]: text });
  const { exitCode, stdout } = await made.run(['init']);
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`${file} is not valid YAML, so it does not run: `)]);
  expect(stdout).toMatch(problem);
  expect(stdout).not.toContain('Nothing is missing');
});

test.each([
  ['.gitlab-ci.yml', 'spec: {}\n---\n.all: {}\n.all: {}\ndeploy: { script: [!reference [.all, script], npx fieldwise deploy] }\n'],
  ['.github/workflows/lint.yml', 'jobs: [\n'], // not a workflow of Fieldwise
])('%s that the service reads is no problem', async (file, text) => {
  const made = project();
  await made.run(['init']);
  made.write({ [file]: text });
  expect((await made.run(['init'])).stdout).toMatch(/^Nothing is missing\./);
});

const managers = [
  [
    'pnpm',
    { 'pnpm-lock.yaml': "lockfileVersion: '9.0'\n" },
    ['pnpm/action-setup@v4', 'version: 10', 'cache: pnpm', 'pnpm install --frozen-lockfile'],
    '',
  ],
  ['pnpm', { 'pnpm-lock.yaml': "lockfileVersion: '6.0'\n" }, ['version: 8'], ''],
  ['pnpm', {}, ['pnpm/action-setup@v4\n      - uses', 'pnpm install --frozen-lockfile'], 'pnpm@10.4.1'],
  ['yarn', { 'yarn.lock': '# yarn lockfile v1\n' }, ['cache: yarn', 'yarn install --frozen-lockfile'], ''],
  ['yarn', { 'yarn.lock': '__metadata:\n  version: 8\n' }, ['corepack enable', 'yarn install --immutable', 'nodeLinker'], ''],
  ['npm', { 'package-lock.json': '{}' }, ['cache: npm', 'npm ci'], ''],
] as const;

test.each(managers)('writes the commands of %s for %o', async (name, files, expected, packageManager) => {
  const manifest = { name: 'shop', type: 'module', ...(packageManager === '' ? {} : { packageManager }) };
  const made = project({ 'package.json': JSON.stringify(manifest), ...files });
  const { exitCode, stdout } = await made.run(['init']);
  const [workflow, readme, guide] = ['.github/workflows/fieldwise.yml', 'README.md', 'AGENTS.md'].map((file) => made.read(file));
  expect(exitCode).toBe(0);
  for (const part of expected) expect(workflow).toContain(part);
  expect(() => parse(workflow ?? '')).not.toThrow();
  const separator = name === 'npm' ? ' --' : '';
  expect(workflow).toContain(`      - run: ${name} run deploy${separator} -e prod --plan plan.json --plan-digest "$DIGEST"\n`);
  expect(workflow).toContain(`      - run: ${name} run synth${separator} -e prod\n`);
  expect(stdout).toContain(`Next:\n  ${name} install\n  ${name} test\n  ${name} run deploy\n`);
  expect([readme, guide].join('')).toContain(`| \`${name} run deploy\` | deploys |`);
  if (name !== 'npm') expect([workflow, readme, guide, stdout].join('')).not.toMatch(/(?<!p)npm (?:ci|install|run|test)/);
});

test('a package of a workspace has the commands of the lock file above it', async () => {
  const made = project({ 'pnpm-lock.yaml': "lockfileVersion: '9.0'\n", '.git/HEAD': '', 'packages/shop/package.json': '{"name":"shop"}' });
  const { stdout } = await made.run(['init'], { in: 'packages/shop' });
  expect(stdout).toContain('Next:\n  pnpm install\n  pnpm test\n  pnpm run deploy\n');
});

test('writes no workflow below the root of a repository, and says why', async () => {
  const made = project({ 'pnpm-lock.yaml': '' });
  mkdirSync(join(made.directory, '.git'));
  const { exitCode, stdout } = await made.run(['init', 'apps/shop']);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^No workflow was written: .* root of the repository \(\.\.\/\.\.\); see .*ci-github/m);
  expect(made.files('apps/shop').filter((file) => file.startsWith('.github'))).toEqual([]);
  expect(made.read('apps/shop/README.md')).not.toContain('workflow');
  const { stdout: atRoot } = await made.run(['init']);
  expect(atRoot).toContain('.github/workflows/fieldwise.yml');
  expect(atRoot).not.toContain('No workflow');
});

test('the workflow gives secrets to the steps that need them, and to nothing that is printed', async () => {
  const made = project();
  await made.run(['init', 'shop']);
  const text = made.read('shop/.github/workflows/fieldwise.yml');
  const { permissions, on, jobs } = parse(text);
  expect([permissions, Object.keys(on)]).toEqual([{ contents: 'read' }, ['pull_request', 'push']]);
  expect(Object.keys(jobs)).toEqual(['check', 'plan', 'deploy']);
  expect(jobs.deploy).toMatchObject({ needs: 'plan', if: "github.event_name == 'push'", environment: 'prod' });
  expect(jobs.plan).toMatchObject({ needs: 'check', permissions: { contents: 'read', 'pull-requests': 'write' } });
  expect(jobs.plan.env.IS_FORK).toContain("github.event_name == 'pull_request' && ");
  expect(jobs.plan.env.IS_FORK).toContain('head.repo.full_name != github.repository');
  const [kubeconfig, own, fork] = jobs.plan.steps.slice(3);
  expect([kubeconfig.if, own.if, fork.if]).toEqual([
    "env.IS_FORK == 'false'",
    "env.IS_FORK == 'false'",
    "env.IS_FORK == 'true' && hashFiles('fieldwise-snapshot.json') != ''",
  ]);
  expect(own).toMatchObject({ uses: './node_modules/fieldwise', with: { environment: 'prod', 'read-only': true } });
  expect(fork).toMatchObject({ uses: './node_modules/fieldwise', with: { environment: 'prod', snapshot: 'fieldwise-snapshot.json' } });
  expect(fork.env).toBeUndefined();
  expect([own.id, own.with['fail-on']]).toEqual(['plan', `\${{ github.event_name == 'push' && 'risky' || 'blocked' }}`]);
  expect(jobs.plan.outputs).toEqual({ artifact: `\${{ steps.plan.outputs.artifact }}`, digest: `\${{ steps.plan.outputs.digest }}` });
  const [download, deploy] = jobs.deploy.steps.slice(-2);
  expect(download.with).toEqual({ name: `\${{ needs.plan.outputs.artifact }}` });
  expect(deploy).toMatchObject({
    run: 'npm run deploy -- -e prod --plan plan.json --plan-digest "$DIGEST"',
    env: { DIGEST: `\${{ needs.plan.outputs.digest }}` },
  });
  const commands = Object.values(jobs as Record<string, { steps: { run?: string }[] }>).flatMap(({ steps }) =>
    steps.map(({ run }) => run ?? ''),
  );
  expect(commands.filter((command) => command.includes('secrets') || /\bset -x\b|echo/.test(command))).toEqual([]);
  // The last one is an example in a comment.
  expect(text.match(/secrets\.\w+/g)).toEqual(['secrets.KUBECONFIG_READ_ONLY', 'secrets.KUBECONFIG', 'secrets.DB_PASSWORD']);
});

test.each([
  { directory: 'My Shop (new)', name: 'my-shop-new' },
  { directory: '42', name: 'app' },
  { directory: 'yes', name: 'yes' },
  { directory: `x${'-long'.repeat(40)}`, name: `x${'-long'.repeat(9)}-lon` },
  { directory: "a'; process.exit(1) //", name: 'a-process-exit-1' },
])('names the app of $directory $name', async ({ directory, name }) => {
  const made = project();
  const { exitCode, stderr } = await made.run(['init', directory]);
  expect(exitCode, stderr).toBe(0);
  expect(parse(made.read(join(directory, 'fieldwise.yaml'))).name).toBe(name);
  expect(JSON.parse(made.read(join(directory, 'package.json'))).name).toBe(name);
  expect((await made.run(['synth'], { in: directory })).exitCode).toBe(0);
});
