import { execFile } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { root } from '../../checks/command.js';
import { withPacked } from '../../checks/packed.js';
import { type ActionRun, runAction } from '../../harness/run-action.js';

const home = mkdtempSync(join(tmpdir(), 'fieldwise-init-'));
const modules = join(home, 'node_modules');
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Installs the packed package as npm would; the other packages are those of the checkout. */
beforeAll(async () => {
  const problems = await withPacked(async ({ tarball }) => {
    mkdirSync(join(modules, '.bin'), { recursive: true });
    for (const name of readdirSync(join(root, 'node_modules'))) {
      if (name !== '.bin' && name !== 'fieldwise') symlinkSync(join(root, 'node_modules', name), join(modules, name));
    }
    for (const name of ['tsc', 'vitest', 'tsx']) symlinkSync(join(root, 'node_modules/.bin', name), join(modules, '.bin', name));
    mkdirSync(join(modules, 'fieldwise'));
    await promisify(execFile)('tar', ['-xzf', tarball, '-C', join(modules, 'fieldwise'), '--strip-components', '1']);
    chmodSync(join(modules, 'fieldwise/lib/src/cli/main.cjs'), 0o755);
    symlinkSync('../fieldwise/lib/src/cli/main.cjs', join(modules, '.bin/fieldwise'));
    return [];
  });
  expect(problems).toEqual([]);
}, 300_000);

/** Runs a command in a directory; returns its exit code and output. */
async function run(directory: string, file: string, words: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const env: NodeJS.ProcessEnv = {
    PATH: [join(modules, '.bin'), process.env.PATH].join(delimiter),
    HOME: home,
    NO_COLOR: '1',
    npm_config_update_notifier: 'false',
  };
  try {
    const { stdout, stderr } = await promisify(execFile)(file, words, { cwd: join(home, directory), env });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

/** A machine that is busy with other tests is slower than vitest's limit of five seconds allows. */
const patient = ['--', '--testTimeout', '120000'];

const fieldwise = (directory: string, ...words: string[]) => run(directory, 'fieldwise', words);

async function succeeds(directory: string, file: string, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(directory, file, words);
  expect(code, `${words.join(' ')}\n${stdout}\n${stderr}`).toBe(0);
  return stdout + stderr;
}

const read = (file: string) => readFileSync(join(home, file), 'utf8');
const manifest = (directory: string) => JSON.parse(read(`${directory}/package.json`));

/** Plans a project in a job of GitHub Actions as its workflow does, but in the environment dev, which needs no cluster. */
async function planned(directory: string): Promise<ActionRun> {
  const { jobs } = parse(read(`${directory}/.github/workflows/fieldwise.yml`));
  const [step] = jobs.plan.steps.filter((one: { with?: object }) => one.with !== undefined && 'read-only' in one.with);
  expect(step.uses).toBe('./node_modules/fieldwise');
  const inputs = Object.fromEntries(Object.entries(step.with).map(([name, value]) => [name, String(value)]));
  const workspace = join(home, directory);
  const env = {
    PATH: [join(modules, '.bin'), process.env.PATH].join(delimiter),
    HOME: home,
    npm_config_update_notifier: 'false',
    GITHUB_ACTIONS: 'true',
    GITHUB_WORKSPACE: workspace,
  };
  const own = { environment: 'dev', 'fail-on': 'risky' }; // as on main
  return runAction(join(modules, 'fieldwise/action.yml'), { workspace, inputs: { ...inputs, ...own }, env, token: '' });
}

/** Deploys a plan as the workflow does on main, but in the environment dev. */
async function deploysPlan(directory: string, { artifacts, outputs }: ActionRun): Promise<string> {
  const { jobs } = parse(read(`${directory}/.github/workflows/fieldwise.yml`));
  const words: string[] = jobs.deploy.steps.at(-1).run.split(' ');
  expect([words[0], ...words.slice(-4)]).toEqual(['npm', '--plan', 'plan.json', '--plan-digest', '"$DIGEST"']);
  copyFileSync(artifacts['fieldwise-plan-dev'] as string, join(home, directory, 'plan.json'));
  const wrong = await run(directory, 'npm', [...words.slice(1, -1), '0'.repeat(64)].map(inDev));
  expect(wrong.code).toBe(2);
  return succeeds(directory, 'npm', ...[...words.slice(1, -1), outputs.digest as string].map(inDev));
}

const inDev = (word: string) => (word === 'prod' ? 'dev' : word);

/** The npm scripts that a workflow runs. */
function scriptsOf(directory: string): string[] {
  const { jobs } = parse(read(`${directory}/.github/workflows/fieldwise.yml`)) as {
    jobs: Record<string, { steps: { run?: string; uses?: string }[] }>;
  };
  const steps = Object.values(jobs).flatMap((job) => job.steps);
  for (const { run: command, uses } of steps) {
    expect(uses ?? command).toBeTypeOf('string');
    if (command !== undefined) expect(command).not.toMatch(/\$\{\{/); // a secret reaches a step by its environment only
  }
  return steps.flatMap(({ run: command }) => /^npm run (\S+)/.exec(command ?? '')?.[1] ?? []);
}

const node = `import { readFileSync } from 'node:fs';
export const text = readFileSync(process.env.FILE ?? 'a', 'utf8');
`;

describe.each([
  { template: 'app', program: ['main.ts', 'hello.ts', 'hello.test.ts'], deployed: 'created   ConfigMap default/hello' },
  { template: 'cdk8s', program: ['main.ts', 'web.ts', 'web.test.ts'], deployed: 'created   Service default/web' },
  {
    template: 'operator',
    program: ['crd.yaml', 'operator.ts', 'operator.test.ts', 'run.ts', 'installation.ts', 'main.ts'],
    deployed: 'created   CustomResourceDefinition greetings.example.com',
  },
  { template: 'manifests', program: ['manifests/web.yaml', 'manifests.test.ts'], deployed: 'created   Deployment default/web' },
])('the template $template', ({ template, program, deployed }) => {
  it('passes its own scripts', async () => {
    const project = `of-${template}`;
    const created = await fieldwise('', 'init', project, '--template', template);
    expect([created.code, created.stderr]).toEqual([0, '']);
    const support = ['tsconfig.json', 'README.md', 'AGENTS.md', '.github/workflows/fieldwise.yml', 'fieldwise.yaml'];
    expect(created.stdout).toMatch(
      new RegExp(`^Written: ${['package.json', '.gitignore', ...program, ...support].join(', ')}\n\nNext:\n  cd`),
    );

    // What programs use of Node compiles, too.
    writeFileSync(join(home, project, 'node.ts'), node);
    const [tests] = await Promise.all([succeeds(project, 'npm', 'test', ...patient), succeeds(project, 'npm', 'run', 'typecheck')]);
    expect(tests).toMatch(/Tests +1 passed/);
    expect(scriptsOf(project).filter((name) => manifest(project).scripts[name] === undefined)).toEqual([]);
    expect(Object.values(manifest(project).devDependencies)).not.toContain('^undefined');
    const hasProgram = template !== 'manifests';
    const [plan] = await Promise.all([
      succeeds(project, 'npm', 'run', 'diff'),
      succeeds(project, 'npm', 'run', 'synth', '--', '-e', 'prod'),
    ]);
    expect(existsSync(join(home, project, 'dist/prod/manifest.json'))).toBe(true);
    expect(plan).toMatch(/^plan: \d+ create$/m);
    const shown = await planned(project);
    // An operator brings rights, which somebody must look at.
    const verdict = template === 'operator' ? [1, 'risky'] : [0, 'harmless'];
    expect([shown.exitCode, shown.outputs.verdict, Object.keys(shown.artifacts)], shown.log).toEqual([...verdict, ['fieldwise-plan-dev']]);
    expect(shown.summary).toMatch(/^### Plan for `dev`\n\n\*\*\+\d+ ~0 −0 · takes 0 /);
    const log = await deploysPlan(project, shown);
    expect(log).toContain(deployed);
    expect(log).toMatch(/^deploy of-\S+ \(dev\): .* \(environment dev, context embedded\)$/m);
    // A deploy writes no assembly of documents.
    expect(existsSync(join(home, project, 'dist/dev/manifest.json'))).toBe(hasProgram);
  }, 300_000);
});

test('adds what is missing after npm init', async () => {
  mkdirSync(join(home, 'after'));
  await succeeds('after', 'npm', 'init', '-y');
  const created = await succeeds('after', 'fieldwise', 'init');
  expect(created).toMatch(/^Changed package\.json: scripts synth, diff, deploy, test, typecheck$/m);
  expect(created).toMatch(/^Changed package\.json: packages cdk8s, constructs, fieldwise, typescript, @types\/node, vitest$/m);
  expect(manifest('after')).toMatchObject({ name: 'after', version: '1.0.0', type: 'module', scripts: { test: 'vitest run' } });
  for (const script of ['typecheck', 'test', 'synth']) await succeeds('after', 'npm', 'run', script, ...(script === 'test' ? patient : []));
  expect(await succeeds('after', 'fieldwise', 'init')).toMatch(/^Nothing is missing\.\n/);
}, 300_000);

test('adds to a package of CommonJS that has scripts, options and modules of its own', async () => {
  mkdirSync(join(home, 'mixed/src'), { recursive: true });
  const files = {
    'package.json':
      '{\n\t"name": "mixed",\n\t"scripts": { "test": "node src/own.js", "deploy": "rsync" },\n\t"dependencies": { "typescript": "^6.0.0" }\n}\n',
    'tsconfig.json': '{ "compilerOptions": { "module": "commonjs" } }\n',
    '.gitignore': '/node_modules\n*.log',
    'README.md': '# Mine\n',
    'src/own.js': "module.exports = require('node:fs');\n",
  };
  for (const [file, text] of Object.entries(files)) writeFileSync(join(home, 'mixed', file), text);
  const created = await succeeds('mixed', 'fieldwise', 'init');
  expect(created).toMatch(/^Written: main\.mts, hello\.mts, hello\.test\.mts, tsconfig\.fieldwise\.json, /m);
  expect(created).toMatch(/^Changed \.gitignore: dist\/, \.fieldwise\/$/m);
  expect(created).toMatch(
    /^Kept: README\.md; the script deploy of package\.json; ours is fieldwise:deploy; the script test of package\.json; ours is fieldwise:test; the versions of typescript in package\.json$/m,
  );
  const { scripts, dependencies, type } = manifest('mixed');
  expect([scripts.test, scripts.deploy, dependencies.typescript, type]).toEqual(['node src/own.js', 'rsync', '^6.0.0', undefined]);
  expect(read('mixed/package.json')).toMatch(/^\{\n\t"name"/);
  expect(read('mixed/.gitignore')).toBe('/node_modules\n*.log\ndist/\n.fieldwise/\n');
  for (const file of ['tsconfig.json', 'README.md', 'src/own.js'] as const) expect(read(`mixed/${file}`)).toBe(files[file]);
  for (const script of ['typecheck', 'test', 'fieldwise:test', 'fieldwise:deploy'])
    await succeeds('mixed', 'npm', 'run', script, ...(script === 'fieldwise:test' ? patient : []));
  expect(scriptsOf('mixed').filter((name) => scripts[name] === undefined)).toEqual([]);
}, 300_000);
