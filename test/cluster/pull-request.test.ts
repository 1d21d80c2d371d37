import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { CommentsServer } from '../harness/comments-server.js';
import { configMapHelpers, deployed } from '../harness/config-map-helpers.js';
import { commandLine } from '../harness/fieldwise.js';
import { own } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { type ActionJob, runAction } from '../harness/run-action.js';
import { runGitLabTemplate } from '../harness/run-gitlab-template.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('pull-request');
const { config, placed, live, edit } = configMapHelpers(testEnvironment);
const server = await CommentsServer.start();
afterEach(() => server.reset());
afterAll(() => server.stop());

const root = fileURLToPath(new URL('../..', import.meta.url));
const head = 'a'.repeat(40);
const force = { conflicts: 'force' };
const fail = { conflicts: 'fail' };

/** A project that is deployed, with a program that changes as its pull request says. */
async function changed(name: string, kind: 'harmless' | 'risky' | 'blocked') {
  const environment = {
    FIELDWISE_APP_NAME: `${testEnvironment.app}-${name}`,
    FIELDWISE_NAMESPACE: testEnvironment.namespace,
    FIELDWISE_INVENTORY_NAMESPACE: testEnvironment.namespace,
    FIELDWISE_POLICY: '{"wait":false}',
  };
  const project = testEnvironment.program({ web: [own(config(name))] }, { environment });
  await deployed(project);
  if (kind !== 'harmless') await testEnvironment.cluster.apply('helm', placed(name, { b: '1' }), { force: true });
  edit(project, { web: [own(config(name, { a: '1', b: '2' }), kind === 'blocked' ? fail : force)] });
  installed(project.directory);
  return { project, environment };
}

/** Makes `npx` find the command line, as after `npm ci`. */
function installed(directory: string): void {
  const bin = join(directory, 'node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'fieldwise'), `#!/bin/sh\nexec '${process.execPath}' '${commandLine}' "$@"\n`, { mode: 0o755 });
  if (!existsSync(join(directory, 'package.json'))) writeFileSync(join(directory, 'package.json'), '{}');
}

/** The variables of a machine that runs jobs. */
const machine = (project: Project, kubeconfig: string | undefined) => ({
  PATH: process.env.PATH ?? '',
  HOME: project.directory,
  XDG_CONFIG_HOME: project.directory,
  NO_COLOR: '1',
  npm_config_update_notifier: 'false',
  ...(kubeconfig === undefined ? {} : { KUBECONFIG: kubeconfig }),
});

interface Given {
  readonly inputs?: Readonly<Record<string, string>>;
  readonly kubeconfig?: string | undefined;
  readonly token?: string;
  readonly fork?: boolean;
  readonly environment: Readonly<Record<string, string>>;
}

/** Runs action.yml in a job of the pull request. */
async function onGitHub(project: Project, given: Given) {
  const { inputs = {}, token = 'ghs-of-the-job', fork = false, environment } = given;
  const base = { repo: { full_name: 'shop/web' } };
  const event = { pull_request: { number: 7, base, head: { sha: head, repo: { full_name: fork ? 'eve/web' : 'shop/web' } } } };
  project.write({ '.git/event.json': JSON.stringify(event) });
  const env = {
    ...machine(project, 'kubeconfig' in given ? given.kubeconfig : testEnvironment.kubeconfig),
    ...environment,
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_API_URL: server.url,
    GITHUB_SERVER_URL: 'https://github.example',
    GITHUB_REPOSITORY: 'shop/web',
    GITHUB_EVENT_PATH: join(project.directory, '.git/event.json'),
    GITHUB_WORKSPACE: project.directory,
    GITHUB_RUN_ID: '100',
  };
  const job: ActionJob = { workspace: project.directory, inputs, env, token };
  return runAction(join(root, 'action.yml'), job);
}

/** Runs templates/plan.yml in a job of the merge request. */
async function onGitLab(project: Project, { inputs = {}, environment, ...given }: Given, shell: 'bash' | 'dash') {
  const env = {
    ...machine(project, 'kubeconfig' in given ? given.kubeconfig : testEnvironment.kubeconfig),
    ...environment,
    CI: 'true',
    GITLAB_CI: 'true',
    GITLAB_TOKEN: 'glpat-of-a-bot',
    CI_API_V4_URL: `${server.url}/api/v4`,
    CI_PROJECT_ID: '42',
    CI_MERGE_REQUEST_PROJECT_ID: '42',
    CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '42',
    CI_MERGE_REQUEST_PROJECT_URL: 'https://gitlab.example/shop/web',
    CI_MERGE_REQUEST_IID: '7',
    CI_COMMIT_SHA: head,
    CI_PIPELINE_ID: '100',
    CI_JOB_URL: 'https://gitlab.example/shop/web/-/jobs/9',
  };
  return runGitLabTemplate(join(root, 'templates/plan.yml'), { workspace: project.directory, inputs, env, shell });
}

const only = () => {
  expect(server.comments).toHaveLength(1);
  return server.comments[0]?.body ?? '';
};

const cases = [
  {
    kind: 'harmless',
    verdict: 'harmless',
    failOn: 'risky',
    exitCode: 0,
    ends: 0,
    says: /takes 0 .* blocked 0/,
    finding: undefined,
  },
  { kind: 'risky', verdict: 'risky', failOn: 'blocked', exitCode: 0, ends: 0, says: /takes 1 field from helm/, finding: 'warning' },
  { kind: 'risky', verdict: 'risky', failOn: 'risky', exitCode: 0, ends: 1, says: /takes 1 field from helm/, finding: 'warning' },
  { kind: 'blocked', verdict: 'blocked', failOn: 'blocked', exitCode: 5, ends: 5, says: /blocked 1/, finding: 'error' },
  { kind: 'blocked', verdict: 'blocked', failOn: 'never', exitCode: 5, ends: 0, says: /blocked 1/, finding: 'error' },
] as const;

describe('action.yml', () => {
  test.each(cases)(
    'ends with $ends on a $kind plan under fail-on: $failOn',
    async ({ kind, verdict, failOn, exitCode, ends, says, finding }) => {
      const name = `gh-${kind}-${failOn}`;
      const { project, environment } = await changed(name, kind);
      const run = await onGitHub(project, { inputs: { 'fail-on': failOn }, environment });
      expect(run.exitCode, run.log).toBe(ends);
      expect(run.outputs).toMatchObject({ verdict, 'exit-code': String(exitCode), artifact: 'fieldwise-plan' });
      expect(only()).toMatch(says);
      expect(run.summary).toMatch(says);
      const annotations = run.commands.filter((command) => /^::(error|warning) /.test(command));
      if (finding === undefined) expect(annotations).toEqual([]);
      else expect(annotations).toEqual([expect.stringMatching(new RegExp(`^::${finding} file=main\\.ts,line=4,.*\\.data\\.b`))]);
      expect(readFileSync(join(run.outputs.files ?? '', 'plan.xml'), 'utf8')).toContain('<testcase');
      expect(run.log).not.toContain('ghs-of-the-job');
    },
  );

  test.each([
    { made: 'by dry runs', readOnly: 'false' },
    { made: 'by reads only', readOnly: 'true' },
  ])('saves a plan made $made that a deploy with its digest does, and a deploy refuses one that was swapped', async ({ readOnly }) => {
    const name = `gh-saved-${readOnly}`;
    const { project, environment } = await changed(name, 'risky');
    const { outputs, artifacts } = await onGitHub(project, { inputs: { 'read-only': readOnly }, environment });
    const { digest = '', artifact = '' } = outputs;
    expect(only()).toContain(`[\`fieldwise-plan\`](https://github.example/shop/web/actions/runs/100/artifacts/1)`);
    expect(only()).toContain(`Saved as \`plan.json\`, SHA-256 \`${digest.replace('sha256:', '')}\``);
    const [, command = ''] = /\nnpx fieldwise (deploy --plan .*)\n/.exec(only()) ?? [];
    expect(command).toBe(`deploy --plan plan.json --plan-digest ${digest}`);
    cpSync(artifacts[artifact] as string, join(project.directory, 'plan.json'));
    appendFileSync(join(project.directory, 'plan.json'), '\n');
    const refused = await project.run(command.split(' '));
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('[plan-digest-differs]')]);
    expect((await live(name)).data).toEqual({ a: '1', b: '1' });
    cpSync(artifacts[artifact] as string, join(project.directory, 'plan.json'));
    const done = await project.run(command.split(' '));
    expect(done.exitCode, done.stderr).toBe(0);
    expect((await live(name)).data).toEqual({ a: '1', b: '2' });
  });

  test('plans a fork without credentials offline, and shows it in the summary', async () => {
    const { project, environment } = await changed('gh-fork', 'risky');
    expect((await project.run(['snapshot'])).exitCode).toBe(0);
    const given = { kubeconfig: '/nowhere', token: 'ghs-of-a-fork', fork: true, environment };
    const run = await onGitHub(project, { ...given, inputs: { snapshot: 'fieldwise-snapshot.json' } });
    expect(run.exitCode, run.log).toBe(0);
    expect([run.outputs.verdict, run.outputs.plan, run.outputs.digest]).toEqual(['risky', '', '']);
    expect(Object.values(run.artifacts)).toEqual([expect.stringMatching(/\/plan\.html$/)]);
    expect(run.summary).toContain('takes 1 field from helm');
    expect(run.summary).not.toContain('deploy --plan');
    expect(run.commands).toContainEqual(expect.stringMatching(/^::warning title=fieldwise%3A comment-not-written::.*from a fork/));
    expect(server.comments).toEqual([]);
  });

  test('replaces a plan that has become outdated by the reason why there is no new one', async () => {
    const { project, environment } = await changed('gh-failed', 'harmless');
    await onGitHub(project, { environment });
    expect(only()).toContain('--plan-digest');
    project.write({ 'main.ts': 'throw new Error("not yet");\n' });
    const run = await onGitHub(project, { inputs: { 'fail-on': 'never' }, environment });
    expect([run.exitCode, run.outputs.verdict]).toEqual([2, 'failed']);
    expect(only()).not.toContain('--plan-digest');
    expect(only()).toMatch(/\*\*not planned: program-failed\*\*/);
  });

  const hostile = `x"; touch pwned; $(touch pwned) \`touch pwned\` '\n--app=evil.ts\n::error::pwned`;

  test.each(['environment', 'stacks', 'flags', 'name', 'artifact', 'fail-on', 'pull-request', 'token'])(
    'runs no part of the input %s',
    async (input) => {
      const { project, environment } = await changed(`gh-hostile-${input}`, 'harmless');
      project.write({ 'evil.ts': "require('node:fs').writeFileSync('pwned', '');\n" });
      const job = input === 'token' ? { token: hostile } : { inputs: { [input]: hostile } };
      const run = await onGitHub(project, { ...job, environment });
      // `flags` are flags, so that one of them may name another program.
      if (input !== 'flags')
        expect(
          project.files('.').filter((file) => /(^|\/)pwned$/.test(file)),
          run.log,
        ).toEqual([]);
      expect(run.commands.filter((command) => command.startsWith('::error::pwned'))).toEqual([]);
      expect(run.exitCode === 0).toBe(['name', 'artifact', 'token'].includes(input));
      for (const name of Object.keys(run.artifacts)) expect(name).toMatch(/^[\w.-]+$/);
    },
  );

  test('lets no text of the cluster be a command to the runner', async () => {
    const { project, environment } = await changed('gh-texts', 'harmless');
    const text = 'a\n::set-output name=verdict::harmless\n::error::pwned\n  ::stop-commands::x\n';
    await testEnvironment.cluster.apply('helm', placed('gh-texts', { b: text }), { force: true });
    const run = await onGitHub(project, { environment });
    expect(run.outputs.verdict, run.log).toBe('risky');
    expect(run.commands.map((command) => command.slice(0, 40))).toEqual([expect.stringMatching(/^::warning file=main\.ts,line=4,/)]);
  });

  test('works in a directory whose name is hostile, with a comment and an artifact of its own', async () => {
    const { project, environment } = await changed('gh-directory', 'harmless');
    const directory = 'apps/a "$(touch pwned)\'b';
    for (const file of ['main.ts', 'fieldwise.yaml']) project.write({ [`${directory}/${file}`]: project.read(file) });
    symlinkSync(join(project.directory, 'node_modules'), join(project.directory, directory, 'node_modules'));
    const run = await onGitHub(project, { inputs: { 'working-directory': directory }, environment });
    expect(run.exitCode, run.log).toBe(0);
    expect(Object.keys(run.artifacts)).toEqual(['fieldwise-plan-apps-a----touch-pwned--b']);
    expect(only()).toContain('### Plan of `apps/a "$(touch pwned)\'b`');
    expect(project.files('.').filter((file) => /(^|\/)pwned$/.test(file))).toEqual([]);
  });
});

/** A program with a Secret whose value is in the environment, and the workflow that `init` writes for it. */
async function withSecret(name: string) {
  const { project, environment } = await changed(name, 'harmless');
  const secret = `web.own({ ...${JSON.stringify(testEnvironment.ref('v1', 'Secret', name))}, stringData: { password: fromEnv('DB_PASSWORD') } });`;
  const text = project
    .read('main.ts')
    .replace('{ App,', '{ App, fromEnv,')
    .replace('stack_web.own(', `const web = stack_web;\n${secret}\nstack_web.own(`);
  project.write({ 'main.ts': text, 'fieldwise.yaml': 'app: main.ts\n' });
  const { exitCode, stderr } = await project.run(['init']);
  expect(exitCode, stderr).toBe(0);
  installed(project.directory);
  return { project, environment };
}

const passwordOf = async (name: string) => {
  const { data } = await testEnvironment.cluster.get(testEnvironment.ref('v1', 'Secret', name));
  return Buffer.from((data as { password: string }).password, 'base64').toString();
};

describe('a program with a value from the environment', () => {
  test('the workflow of init plans a pull request without it, and deploys exactly that plan with it', async () => {
    const name = 'gh-secret';
    const { project, environment } = await withSecret(name);
    const { jobs } = parse(project.read('.github/workflows/fieldwise.yml'));
    const [planned] = jobs.plan.steps.filter((step: { id?: string }) => step.id === 'plan');
    const inputs = { 'read-only': String(planned.with['read-only']), 'fail-on': 'risky' };
    const run = await onGitHub(project, { inputs, environment });
    expect(run.exitCode, run.log).toBe(0);
    expect(only()).toContain('because the environment variable DB_PASSWORD is not set');
    const { digest = '', artifact = '' } = run.outputs;
    cpSync(run.artifacts[artifact] as string, join(project.directory, 'plan.json'));
    const last = jobs.deploy.steps.at(-1) as { run: string; env: Record<string, string> };
    expect(last.env.DB_PASSWORD).toContain('secrets.DB_PASSWORD');
    const args = last.run
      .replace(/^npm run deploy -- /, 'deploy ')
      .replace('"$DIGEST"', digest)
      .split(' ');
    const missing = await project.run(args);
    expect([missing.exitCode, missing.stderr]).toEqual([2, expect.stringContaining('[reference-missing]')]);
    const done = await project.run(args, { environment: { DB_PASSWORD: 'of-the-environment' } });
    expect(done.exitCode, done.stderr).toBe(0);
    expect(await passwordOf(name)).toBe('of-the-environment');
    expect((await live(name)).data).toEqual({ a: '1', b: '2' });
    expect(run.log + done.stdout + done.stderr + only()).not.toContain('of-the-environment');
  });

  test('the template for GitLab plans a merge request without it, and its plan is deployed with it', async () => {
    const name = 'gl-secret';
    const { project, environment } = await withSecret(name);
    const run = await onGitLab(project, { inputs: { 'read-only': 'true' }, environment }, 'dash');
    expect(run.exitCode, run.log).toBe(0);
    const [, command = ''] = /\nnpx fieldwise (deploy --plan .*)\n/.exec(only()) ?? [];
    const args = command.replace('plan.json', 'fieldwise-plan/plan.json').split(' ');
    const done = await project.run(args, { environment: { DB_PASSWORD: 'of-the-environment' } });
    expect(done.exitCode, done.stderr).toBe(0);
    expect(await passwordOf(name)).toBe('of-the-environment');
  });
});

test('no script has an expression in it', () => {
  const scripts = (file: string, key: string) =>
    readFileSync(join(root, file), 'utf8')
      .split(new RegExp(`^ +${key}:.*$`, 'm'))
      .slice(1);
  const actions = scripts('action.yml', 'run').map((text) => text.split(/^ {4}- /m)[0] ?? '');
  expect([actions.length, actions.filter((text) => text.includes('${{'))]).toEqual([2, []]);
  const [template = ''] = scripts('templates/plan.yml', 'before_script');
  expect(template).toContain('fieldwise comment');
  expect(template).not.toContain('$[[');
});

describe('templates/plan.yml', () => {
  test.each(cases.flatMap((one, index) => ({ ...one, shell: index % 2 === 0 ? ('bash' as const) : ('dash' as const) })))(
    'ends with $ends on a $kind plan under fail-on: $failOn, in $shell',
    async ({ kind, verdict, failOn, exitCode, ends, says, finding, shell }) => {
      const name = `gl-${kind}-${failOn}`;
      const { project, environment } = await changed(name, kind);
      project.write({ 'fieldwise-plan/plan.json': 'of the repository' });
      const run = await onGitLab(project, { inputs: { 'fail-on': failOn, job: 'plan-prod' }, environment }, shell);
      expect(run.exitCode, run.log).toBe(ends);
      expect(only()).toMatch(says);
      expect(readFileSync(run.reports.dotenv ?? '', 'utf8')).toMatch(new RegExp(`^PLAN_VERDICT=${verdict}\nPLAN_EXIT_CODE=${exitCode}\n`));
      const quality = JSON.parse(readFileSync(run.reports.codequality ?? '', 'utf8'));
      expect(quality.map(({ location }: { location: object }) => location)).toEqual(
        finding === undefined ? [] : [{ path: 'main.ts', lines: { begin: 4 } }],
      );
      expect(readFileSync(run.reports.junit ?? '', 'utf8')).toContain('<testcase');
      if (exitCode === 0) {
        const [, command = ''] = /\nnpx fieldwise (deploy --plan .*)\n/.exec(only()) ?? [];
        const done = await project.run(command.replace('plan.json', 'fieldwise-plan/plan.json').split(' '));
        expect(done.exitCode, done.stderr).toBe(0);
        expect((await live(name)).data).toEqual({ a: '1', b: '2' });
      }
      expect([run.name, run.log.includes('glpat-of-a-bot')]).toEqual(['plan-prod', false]);
    },
  );

  test('plans offline without credentials', async () => {
    const { project, environment } = await changed('gl-fork', 'blocked');
    expect((await project.run(['snapshot'])).exitCode).toBe(0);
    project.write({ 'fieldwise-plan/plan.json': 'of the repository' });
    const inputs = { snapshot: 'fieldwise-snapshot.json' };
    const run = await onGitLab(project, { kubeconfig: '/nowhere', inputs, environment }, 'dash');
    expect(run.exitCode, run.log).toBe(5);
    expect(only()).toMatch(/blocked 1/);
    expect(only()).not.toContain('--plan-digest');
  });

  const hostile = `x"; touch pwned; $(touch pwned) \`touch pwned\` '\nEND\ntouch pwned\n--app=evil.ts`;

  test.each(['environment', 'flags', 'name', 'directory'])('runs no part of the input %s', async (input) => {
    const { project, environment } = await changed(`gl-hostile-${input}`, 'harmless');
    const run = await onGitLab(project, { inputs: { [input]: hostile }, environment }, 'dash');
    expect(
      project.files('.').filter((file) => /(^|\/)pwned$/.test(file)),
      run.log,
    ).toEqual([]);
    expect(run.exitCode === 0).toBe(input === 'name');
  });
});
