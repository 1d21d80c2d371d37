import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { isRisky } from '../../../../src/cli/render/shown-fields.js';
import { CommentsServer } from '../../../harness/comments-server.js';
import { Project } from '../../../harness/project.js';

const server = await CommentsServer.start();
let project: Project;
const projects: Project[] = [];
beforeEach(() => {
  project = new Project({ 'plan.md': '**takes 0 fields**\n', 'plan.jsonl': plan('create'), 'plan.json': '{"fieldwise":1}' }, {});
  projects.push(project);
});
afterEach(() => server.reset());
afterAll(async () => {
  await server.stop();
  for (const { directory } of projects) rmSync(directory, { recursive: true, force: true });
});

/** The JSON lines of a plan with one object. */
function plan(action: string, exitCode = 0, more: object = {}): string {
  const of = { object: 'ConfigMap default/web', apiVersion: 'v1', kind: 'ConfigMap', stack: 'web' };
  const object = { event: 'plan', ...of, action, fields: [], declaredBy: [], source: 'server', ...more };
  const summary = { event: 'plan-summary', counts: {}, differs: action !== 'unchanged', exitCode, errors: [] };
  return `${JSON.stringify(object)}\n${JSON.stringify(summary)}\n`;
}

const sha = 'a'.repeat(40);
const github = (change: Readonly<Record<string, string>> = {}) => {
  project.write({
    'event.json': JSON.stringify({
      pull_request: { number: 7, head: { sha, repo: { full_name: 'shop/web' } }, base: { repo: { full_name: 'shop/web' } } },
    }),
  });
  return {
    GITHUB_ACTIONS: 'true',
    GITHUB_API_URL: server.url,
    GITHUB_SERVER_URL: 'https://github.example',
    GITHUB_REPOSITORY: 'shop/web',
    GITHUB_EVENT_PATH: join(project.directory, 'event.json'),
    GITHUB_WORKSPACE: project.directory,
    GITHUB_RUN_ID: '100',
    GITHUB_TOKEN: 'ghs-of-the-job',
    ...change,
  };
};
const gitlab = (change: Readonly<Record<string, string>> = {}) => ({
  GITLAB_CI: 'true',
  CI_API_V4_URL: `${server.url}/api/v4`,
  CI_PROJECT_ID: '42',
  CI_MERGE_REQUEST_PROJECT_ID: '42',
  CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '42',
  CI_MERGE_REQUEST_PROJECT_URL: 'https://gitlab.example/shop/web',
  CI_MERGE_REQUEST_IID: '7',
  CI_COMMIT_SHA: sha,
  CI_PIPELINE_ID: '100',
  CI_PROJECT_DIR: project.directory,
  GITLAB_TOKEN: 'glpat-of-a-bot',
  ...change,
});

const words = ['comment', 'plan.md', '--events', 'plan.jsonl'];
const comment = (environment: Readonly<Record<string, string>>, more: readonly string[] = []) =>
  project.run([...words, ...more], { environment });
const bodies = () => server.comments.map(({ body }) => body);
const bot = { id: 1, login: 'github-actions[bot]', type: 'Bot' } as const;
const ada = { id: 2, login: 'ada', type: 'User' } as const;
const marker = '<!-- fieldwise plan: .%20prod -->';

describe.each([
  { system: 'GitHub', job: github, own: bot },
  { system: 'GitLab', job: gitlab, own: { id: 3, login: 'project_42_bot', type: 'Bot' } as const },
])('on $system', ({ job, own }) => {
  it('writes one comment per environment, and updates it', async () => {
    const first = await comment(job(), ['-e', 'prod']);
    expect([first.exitCode, first.stderr]).toEqual([0, '']);
    expect(first.stdout).toMatch(/^comment created: https:\/\/.*\d+$/m);
    expect(bodies()[0]).toMatch(
      new RegExp(`^${marker}\n<!-- fieldwise run: 100 ${sha} -->\n### Plan for \`prod\`\n\n\\*\\*takes 0 fields`),
    );
    project.write({ 'plan.md': '**takes 2 fields**\n' });
    const second = await comment(job(), ['-e', 'prod']);
    expect(second.stdout).toMatch(/^comment updated: /m);
    await comment(job(), ['-e', 'staging']);
    expect(bodies()).toEqual([expect.stringContaining('takes 2 fields'), expect.stringContaining('for `staging`')]);
  });

  it('finds its comment behind hundreds of others', async () => {
    for (let number = 0; number < 150; number += 1) server.add(`hello ${number}`, ada);
    await comment(job());
    for (let number = 0; number < 150; number += 1) server.add(`hello again ${number}`, ada);
    expect((await comment(job())).stdout).toMatch(/^comment updated/m);
    expect(server.comments).toHaveLength(301);
  });

  it('leaves comments of others, and ones that quote the marker', async () => {
    const theirs = [
      server.add(`${marker}\nmine`, ada),
      server.add(`> quoted\n${marker}\n`, own),
      server.add(`${marker} and more`, own),
      server.add(`${marker}-->`, own),
    ];
    const before = theirs.map(({ body }) => body);
    await comment(job(), ['-e', 'prod']);
    expect(bodies()).toEqual([...before, expect.stringContaining('takes 0 fields')]);
  });

  it('never takes over, deletes or repeats the comment of another author, whatever marker and run it has', async () => {
    const forged = `${marker}\n<!-- fieldwise run: 999999999999999 ${'e'.repeat(40)} -->\n**nothing blocked** FORGED`;
    const theirs = { id: 9, login: 'llm-helper[bot]', type: 'Bot' } as const;
    server.add(forged, theirs);
    const mine = server.add(`${marker}\n<!-- fieldwise run: 50 ${'b'.repeat(40)} -->\nof 50`, own);
    expect((await comment(job(), ['-e', 'prod'])).stdout).toMatch(/^comment updated/m);
    expect(bodies()).toEqual([forged, expect.stringContaining('takes 0 fields')]);
    expect(mine.body).not.toContain('FORGED');
  });

  it('heals what two runs at once have left, and keeps the plan of the newer one', async () => {
    const run = (id: number, commit: string) => `${marker}\n<!-- fieldwise run: ${id} ${commit.repeat(40)} -->\nof ${id}`;
    server.add(run(90, 'b'), own);
    server.add(run(101, 'c'), own);
    server.add(run(95, 'd'), own);
    const { stdout } = await comment(job(), ['-e', 'prod']);
    expect(stdout).toMatch(/^comment left as it is: it shows the plan of a newer commit/m);
    expect(bodies()).toEqual([run(101, 'c')]);
  });

  it('updates after a later run of the same commit', async () => {
    server.add(`${marker}\n<!-- fieldwise run: 101 ${sha} -->\nof 101`, own);
    await comment(job(), ['-e', 'prod']);
    expect(bodies()).toEqual([expect.stringContaining('takes 0 fields')]);
  });

  it('ends with one comment where two runs create one at the same time', async () => {
    let waiting: (() => void)[] = [];
    let gate = 2;
    // Both runs have seen no comment before either creates one.
    server.intercept = async ({ method }) => {
      if (method !== 'POST' || gate === 0) return undefined;
      gate -= 1;
      if (gate === 0) for (const go of waiting) go();
      else await new Promise<void>((resolve) => waiting.push(resolve));
      waiting = [];
      return undefined;
    };
    const two = await Promise.all([comment(job()), comment(job())]);
    expect(two.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ]);
    expect(bodies()).toEqual([expect.stringContaining('takes 0 fields')]);
  });

  it('creates no second comment if the response to the first is lost', async () => {
    let lost = 0;
    server.lose = ({ method }) => {
      if (method !== 'POST' || lost > 0) return undefined;
      lost += 1;
      return { status: 502, headers: { 'retry-after': '0' }, body: '<html>' };
    };
    const { stderr } = await comment(job());
    expect([stderr, lost, bodies().length]).toEqual(['', 1, 1]);
  });

  it('creates the comment again if somebody deletes it in between', async () => {
    server.add(`${marker}\nold`, own);
    server.intercept = ({ method }) => {
      if (method === 'PATCH' || method === 'PUT') server.comments.length = 0;
      return undefined;
    };
    const { stdout, stderr } = await comment(job(), ['-e', 'prod']);
    expect([stderr, bodies().length]).toEqual(['', 1]);
    expect(stdout).toMatch(/^comment created/m);
  });

  it.each([
    ['a text that is a number', { body: 5 }],
    ['a text that is an object', { body: {} }],
    ['an address that is a list', { html_url: ['http://x/y'] }],
    ['an author that is a text', { user: 'x', author: 'x' }],
    ['no author', { user: null, author: null }],
  ])('reads a list with %s', async (_, wrong) => {
    let lied = false;
    server.intercept = ({ method, path }) => {
      if (lied || method !== 'GET' || !/comments|notes/.test(path)) return undefined;
      lied = true;
      return { status: 200, body: [{ id: 5, ...wrong }] };
    };
    const { stdout, stderr, exitCode } = await comment(job());
    expect([lied, stderr, exitCode]).toEqual([true, '', 0]);
    expect(stdout).toMatch(/^comment created/m);
  });

  test.each<{
    what: string;
    answer: { status: number; headers?: Record<string, string>; body?: unknown };
    says: RegExp;
    requests?: number;
  }>([
    {
      what: '401',
      answer: { status: 401, body: { message: 'Bad credentials' } },
      says: /401 \(Bad credentials\)\. The token is wrong or has expired/,
    },
    { what: '404', answer: { status: 404, body: { message: 'Not Found' } }, says: /404.*does not exist, or the token may not read it/ },
    {
      what: 'HTML',
      answer: { status: 200, body: '<html>Sign in</html>' },
      says: /HTML instead of JSON\. Check that http.* is the address of the API/,
    },
    {
      what: 'a redirect',
      answer: { status: 302, headers: { location: 'https://elsewhere.example/' } },
      says: /redirects to https:\/\/elsewhere\.example/,
    },
    {
      what: '500 in a row',
      answer: { status: 500, headers: { 'retry-after': '0' }, body: 'oops' },
      says: /status 500\. Run the job again later/,
      requests: 4,
    },
    {
      what: '429 in a row',
      answer: { status: 429, headers: { 'retry-after': '0' } },
      says: /status 429\. Run the job again later/,
      requests: 4,
    },
    { what: 'a long pause', answer: { status: 429, headers: { 'retry-after': '3600' } }, says: /asks for a pause of 3600 s/, requests: 1 },
    {
      what: 'a reached limit',
      answer: {
        status: 403,
        headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '99999999999' },
        body: { message: 'API rate limit exceeded' },
      },
      says: /rate limit exceeded.*asks for a pause of/,
    },
    { what: 'an answer that is no list', answer: { status: 200, body: { id: 1, login: 'x' } }, says: /is not a list of comments/ },
    { what: 'an answer of numbers', answer: { status: 200, body: 5 }, says: /not a list of comments|whose token/ },
    { what: 'a list of nonsense', answer: { status: 200, body: [null, { id: 'x' }] }, says: /not a list of comments|whose token/ },
    {
      what: 'a token that is quoted',
      answer: { status: 400, body: { message: 'no ghs-of-the-job, no glpat-of-a-bot\n::error::x' } },
      says: /no (?:\*\*\*|gl|gh)/,
    },
  ])('says what to do about $what, and ends as the plan says', async ({ answer, says, requests }) => {
    server.intercept = () => answer;
    for (const exitCode of [0, 5]) {
      server.requests.length = 0;
      project.write({ 'plan.jsonl': plan('create', exitCode) });
      const run = await comment(job(), ['--exit-code', String(exitCode)]);
      expect(run.exitCode).toBe(exitCode);
      expect(run.stderr).toMatch(/^warning: The comment was not written: .* \[comment-not-written\]\n$/);
      expect(run.stderr).toMatch(says);
      const token = job === github ? 'ghs-of-the-job' : 'glpat-of-a-bot';
      expect(run.stdout + run.stderr).not.toContain(token);
      if (requests !== undefined) expect(server.requests).toHaveLength(requests);
    }
  });

  it('never prints a token that no header can contain', async () => {
    const name = job === github ? 'GITHUB_TOKEN' : 'GITLAB_TOKEN';
    const run = await comment(job({ [name]: 'secret-one\nsecret-two' }));
    expect(run.exitCode).toBe(0);
    expect(run.stderr).toContain(`The variable ${name} contains spaces or other characters`);
    expect(run.stdout + run.stderr).not.toMatch(/secret-(one|two)/);
    expect(server.requests).toEqual([]);
    const without = await comment(job({ [name]: '' }));
    expect(without.stderr).toContain(`The variable ${name} is not set`);
  });

  it('follows a list that repeats itself no further than it must', async () => {
    const page = Array.from({ length: 100 }, (_, id) => ({ id: id + 1, body: 'x', user: ada, author: ada }));
    server.intercept = ({ method, path }) => (method === 'GET' && !path.endsWith('/user') ? { status: 200, body: page } : undefined);
    const run = await comment(job());
    expect([run.stderr, server.requests.filter(({ method }) => method === 'POST').length]).toEqual(['', 1]);
  });

  it('keeps the longest plan below the limit, and its environment in the marker only', async () => {
    const line = `- ${'x'.repeat(98)}\n`;
    project.write({ 'plan.md': `**verdict**\n\n<details><summary>all</summary>\n\n${line.repeat(900)}\n</details>\n` });
    const run = await comment(job(), ['-e', 'prod', '--plan', 'plan.json', '--name', '--> <b>@all</b>\n# x `']);
    expect(run.stderr).toBe('');
    const [body = ''] = bodies();
    expect(body.length).toBeLessThan(65_536);
    expect(body.length).toBeGreaterThan(64_000);
    expect(body).toMatch(/\n<\/details>\n\n_The plan is longer than a comment can be/);
    expect(body).toMatch(/^<!-- fieldwise plan: --%3E%20%3Cb%3E%40all%3C%2Fb%3E%0A%23%20x%20%60%20prod -->\n/);
    expect(body.split('\n')[2]).toBe('### Plan of `` --> <b>@all</b> # x ` `` for `prod`');
  });
});

test('gives up on a server that cannot be reached', async () => {
  const stopped = await CommentsServer.start();
  const { url } = stopped;
  await stopped.stop();
  const run = await comment(github({ GITHUB_API_URL: url }));
  expect(run.exitCode).toBe(0);
  expect(run.stderr).toMatch(/connect ECONNREFUSED \S+\. Run the job again later/);
}, 20_000);

test('a person whose token it is owns no comment of a bot', async () => {
  server.add(`${marker}\nof a bot`, bot);
  await comment(github({ GITHUB_TOKEN: 'ghp-of-a-person' }), ['-e', 'prod']);
  expect(bodies()).toEqual([`${marker}\nof a bot`, expect.stringContaining('takes 0 fields')]);
});

test('a pull request from a fork has its plan in the summary, and a warning that says why', async () => {
  const environment = github({ GITHUB_TOKEN: 'ghs-of-a-fork', GITHUB_STEP_SUMMARY: join(project.directory, 'summary.md') });
  project.write({
    'event.json': JSON.stringify({
      pull_request: { number: 7, head: { sha, repo: { full_name: 'eve/web' } }, base: { repo: { full_name: 'shop/web' } } },
    }),
  });
  const run = await comment(environment);
  expect(run.exitCode).toBe(0);
  expect(run.stderr).toMatch(
    /403 \(Resource not accessible by integration\)\. The token of a pull request from a fork, and of Dependabot, only reads/,
  );
  expect(run.stdout).toMatch(/^::warning title=fieldwise%3A comment-not-written::The comment was not written/m);
  expect(project.read('summary.md')).toMatch(/^### Plan\n\n\*\*takes 0 fields\*\*/);
});

test('a job without a pull request writes its summary and outputs', async () => {
  const run = await comment(
    github({
      GITHUB_EVENT_PATH: '',
      GITHUB_STEP_SUMMARY: join(project.directory, 'summary.md'),
      GITHUB_OUTPUT: join(project.directory, 'output'),
    }),
    ['--plan', 'plan.json', '--artifact', 'plan-prod', '--artifact-url', 'https://github.example/a/1'],
  );
  expect([run.exitCode, run.stdout, server.requests]).toEqual([
    0,
    'no comment: this job has no pull request (--pull-request names one)\n',
    [],
  ]);
  const digest = `sha256:${createHash('sha256').update(project.read('plan.json')).digest('hex')}`;
  const [, shown] = /--plan-digest (sha256:[0-9a-f]{64})$/m.exec(project.read('summary.md')) ?? [];
  expect(project.read('output')).toBe(`PLAN_VERDICT=harmless\nPLAN_EXIT_CODE=0\nPLAN_DIGEST=${digest}\nCOMMENT_URL=\n`);
  expect(shown).toBe(digest);
  expect(project.read('summary.md')).toContain('in the artifact [`plan-prod`](https://github.example/a/1)');
});

test('the comment names the page of the plan in the artifact, if it was written', async () => {
  project.write({ 'plan.html': '<p>' });
  const shown = async (page: string, ...more: readonly string[]) => {
    project.write({ 'summary.md': '' });
    await comment(github({ GITHUB_EVENT_PATH: '', GITHUB_STEP_SUMMARY: join(project.directory, 'summary.md') }), ['--page', page, ...more]);
    return project.read('summary.md');
  };
  const artifact = ['--artifact', 'plan-prod', '--artifact-url', 'https://github.example/a/1'];
  expect(await shown('plan.html', ...artifact)).toContain(
    'The artifact [`plan-prod`](https://github.example/a/1) has the plan as a page, with old and new values side by side: `plan.html`.',
  );
  expect(await shown('absent.html', ...artifact)).not.toContain('page');
  expect(await shown('plan.html')).not.toContain('page');
});

test.each([
  { action: 'unchanged', failOn: 'changes', exitCode: 0, ends: 0, verdict: 'unchanged' },
  { action: 'create', failOn: 'changes', exitCode: 0, ends: 1, verdict: 'harmless' },
  { action: 'create', failOn: 'risky', exitCode: 0, ends: 0, verdict: 'harmless' },
  { action: 'delete', failOn: 'risky', exitCode: 0, ends: 1, verdict: 'risky' },
  { action: 'delete', failOn: 'blocked', exitCode: 0, ends: 0, verdict: 'risky' },
  { action: 'blocked', failOn: 'blocked', exitCode: 4, ends: 4, verdict: 'blocked' },
  { action: 'blocked', failOn: 'risky', exitCode: 5, ends: 5, verdict: 'blocked' },
  { action: 'blocked', failOn: 'never', exitCode: 5, ends: 0, verdict: 'blocked' },
  { action: undefined, failOn: 'never', exitCode: 3, ends: 3, verdict: 'failed' },
])('a plan with $action under --fail-on $failOn is $verdict and ends with $ends', async ({ action, failOn, exitCode, ends, verdict }) => {
  if (action === undefined) for (const file of ['plan.md', 'plan.jsonl']) rmSync(join(project.directory, file));
  else project.write({ 'plan.jsonl': plan(action, exitCode) });
  const more = ['--exit-code', String(exitCode), '--fail-on', failOn, '--output-file', 'dotenv=plan.env'];
  const run = await comment(gitlab(), more);
  const because = verdict === 'risky' ? 'is risky' : 'changes objects';
  const reason = ends === 1 ? expect.stringContaining(`This job fails because the plan ${because} (--fail-on ${failOn}). `) : '';
  expect([run.exitCode, run.stderr]).toEqual([ends, reason]);
  expect(project.read('plan.env')).toMatch(new RegExp(`^PLAN_VERDICT=${verdict}\nPLAN_EXIT_CODE=${exitCode}\n`));
  if (verdict === 'failed')
    expect(bodies()[0]).toMatch(/There is no plan\.\*\* `fieldwise diff` ended with exit code 3: the cluster did not accept/);
});

const field = (path: string, change: string, oldValue?: unknown, newValue?: unknown) => ({
  fields: [{ field: path, change, oldValue, newValue }],
});

test.each([
  { what: 'scales to 0', more: { kind: 'Deployment', ...field('.spec.replicas', 'change', 2, 0) } },
  { what: 'selects other pods', more: { kind: 'Service', ...field('.spec.selector.app', 'change', 'a', 'b') } },
  { what: 'widens rights', more: { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', ...field('.rules', 'change', [], [{}]) } },
  { what: 'gives privileges of the node', more: { kind: 'Pod', ...field('.spec.hostNetwork', 'set', undefined, true) } },
  { what: 'releases an object', action: 'release', more: field('.data.a', 'kept', '1') },
  { what: 'breaks a rule', more: { judgments: [{ rule: 'no-a', verdict: 'warn', message: 'a' }] } },
])('a plan that $what is risky: `diff --risky` shows it', async ({ action = 'update', more }) => {
  project.write({ 'plan.jsonl': plan(action, 0, more) });
  const run = await comment(gitlab(), ['--fail-on', 'risky', '--output-file', 'dotenv=plan.env']);
  expect([run.exitCode, run.stderr, project.read('plan.env')]).toEqual([
    1,
    expect.stringContaining('`fieldwise diff --risky` shows what is risky'),
    expect.stringMatching(/^PLAN_VERDICT=risky\n/),
  ]);
  expect(isRisky(JSON.parse(plan(action, 0, more).split('\n')[0] as string))).toBe(true);
});

test('a plan of several environments is as heavy as the heaviest', async () => {
  project.write({ 'plan.jsonl': plan('create') + plan('delete') + plan('unchanged') });
  const run = await comment(gitlab(), ['--fail-on', 'risky']);
  expect([run.exitCode, run.stderr]).toEqual([1, expect.stringContaining('the plan is risky')]);
});

test('weighs a plan of 10,000 objects', { timeout: 15_000 }, async () => {
  const [object = '', summary = ''] = plan('create').split('\n');
  project.write({ 'plan.jsonl': `${`${object}\n`.repeat(10_000)}${summary}\n` });
  const run = await comment(gitlab(), ['--output-file', 'dotenv=plan.env']);
  expect([run.exitCode, project.read('plan.env').split('\n')[0]]).toEqual([0, 'PLAN_VERDICT=harmless']);
});

test('files that a failed diff has not finished do not hide its exit code', async () => {
  project.write({ 'plan.jsonl': '{"event":"plan"', 'plan.sarif': '{' });
  const run = await comment(gitlab(), [
    '--exit-code',
    '3',
    '--sarif',
    'plan.sarif',
    '--plan',
    'absent.json',
    '--output-file',
    'dotenv=plan.env',
  ]);
  expect([run.exitCode, run.stderr]).toEqual([3, '']);
  expect(project.read('plan.env')).toMatch(/^PLAN_VERDICT=failed\nPLAN_EXIT_CODE=3\nPLAN_DIGEST=\n/);
});

test('findings become annotations that no text can leave, and a Code Quality report', async () => {
  const result = (level: string, text: string, uri: string, startLine = 3) => ({
    ruleId: 'field-taken',
    level,
    message: { text },
    locations: [{ physicalLocation: { artifactLocation: { uri }, region: { startLine, startColumn: 9 } } }],
  });
  const results = [
    result('warning', '100% of\r\n::set-output name=x::y', 'apps/a%2Cb%3A%20c.ts'),
    result('error', 'blocked', 'main.ts'),
    { ruleId: 'x', level: 'warning', message: { text: 'nowhere' } },
    ...Array.from({ length: 10_000 }, (_, number) => result('warning', `no. ${number}`, 'main.ts')),
  ];
  project.write({ 'plan.sarif': JSON.stringify({ version: '2.1.0', runs: [{ results }] }) });
  const run = await comment(github(), ['--sarif', 'plan.sarif', '--output-file', 'code-quality=quality.json']);
  const lines = run.stdout.split('\n');
  expect(lines.slice(0, 3)).toEqual([
    '::error file=main.ts,line=3,col=9,title=fieldwise%3A field-taken::blocked',
    '::warning file=apps/a%2Cb%3A c.ts,line=3,col=9,title=fieldwise%3A field-taken::100%25 of%0D%0A::set-output name=x::y',
    '::warning title=fieldwise%3A x::nowhere',
  ]);
  expect(lines.filter((line) => line.startsWith('::'))).toHaveLength(11);
  expect(lines[11]).toBe('and 9992 more findings, which the plan lists');
  const quality = JSON.parse(project.read('quality.json'));
  expect(quality).toHaveLength(10_002);
  expect(quality[1]).toMatchObject({ check_name: 'field-taken', severity: 'blocker', location: { path: 'main.ts', lines: { begin: 3 } } });
});

test.each([
  { what: 'outside of a job', environment: () => ({}), more: [], says: /neither GitHub Actions nor GitLab CI.*\[ci-unknown\]/ },
  { what: 'without its files', environment: gitlab, more: ['--events', 'absent.jsonl'], says: /absent\.jsonl.*\[file-unreadable\]/ },
  { what: 'with another file', environment: gitlab, more: ['--events', 'plan.md'], says: /not a plan as JSON.*\[file-unreadable\]/ },
  { what: 'with no SARIF', environment: gitlab, more: ['--sarif', 'plan.json'], says: /not SARIF.*\[file-unreadable\]/ },
  {
    what: 'with a pull request that is no number',
    environment: gitlab,
    more: ['--pull-request', '7; rm'],
    says: /Expected the number of a pull request/,
  },
  {
    what: 'with an output that cannot be written',
    environment: gitlab,
    more: ['--output-file', 'dotenv=no/such/file'],
    says: /\[file-unwritable\]/,
  },
])('is refused $what', async ({ environment, more, says }) => {
  const run = await comment(environment(), more);
  expect([run.exitCode, run.stderr]).toEqual([2, expect.stringMatching(says)]);
});
