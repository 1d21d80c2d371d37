import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { configMapHelpers } from '../harness/config-map-helpers.js';
import { own } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('format-flags');
const { config, ref } = configMapHelpers(testEnvironment);

const allFiles = ['markdown', 'json', 'junit', 'sarif', 'text'].flatMap((format) => ['--output-file', `${format}=out.${format}`]);
const allTexts = (project: Project) =>
  Object.fromEntries(['markdown', 'json', 'junit', 'sarif', 'text'].map((format) => [format, project.read(`out.${format}`)]));

test('prints each format on standard output, and nothing else there', async () => {
  const project = testEnvironment.program({ main: [own(config('stdout'))] });
  const json = await project.run(['diff', '-o', 'json']);
  expect(JSON.parse(json.stdout.split('\n')[0] as string)).toMatchObject({ event: 'plan' });
  expect((await project.run(['diff', '-o', 'text'])).stdout).toBe((await project.run(['diff'])).stdout);
  const markdown = await project.run(['diff', '-o', 'markdown', '--exit-code']);
  expect([markdown.exitCode, markdown.stderr]).toEqual([1, '']);
  expect(markdown.stdout).toMatch(/^\*\*\+1 ~0 −0 · takes 0 · releases 0 · blocked 0\*\*\n\nPlan of /);
  expect((await project.run(['diff', '-o', 'junit'])).stdout).toMatch(/^<\?xml [\s\S]*<\/testsuites>\n$/);
  expect(JSON.parse((await project.run(['diff', '-o', 'sarif'])).stdout).runs[0].results).toEqual([]);

  const deploy = await project.run(['deploy', '-o', 'sarif', ...allFiles]);
  expect(deploy.exitCode, deploy.stderr).toBe(0);
  expect(JSON.parse(deploy.stdout).runs).toHaveLength(1);
  expect(deploy.stderr).toContain('done: 1 created');
  const texts = allTexts(project);
  expect(texts.sarif).toBe(deploy.stdout);
  expect(texts.text).toContain('  created   ConfigMap');
  expect(texts.json).toMatch(/^\{"event":"started"[\s\S]*\n\{"event":"summary".*\}\n$/);
  expect(texts.markdown).toMatch(/^\*\*\+1 ~0 −0 · took 0 · released 0 · failed 0\*\*/);
});

test('counts unchanged objects and co-owned fields, and lists them with --all', async () => {
  const project = testEnvironment.program({ main: [own(config('same', { a: '1', b: '2' })), own(config('moved'))] });
  expect((await project.deploy()).exitCode).toBe(0);
  await testEnvironment.cluster.apply('other', { ...ref('same'), data: { a: '1' } });
  await testEnvironment.cluster.apply('other', { ...ref('moved'), data: { a: '1' } });
  project.write({
    'main.ts': testEnvironment.text({ main: [own(config('same', { a: '1', b: '2' })), own(config('moved', { a: '1', c: '3' }))] }),
  });
  const name = (object: string) => `ConfigMap ${testEnvironment.namespace}/${object}  [main, server]`;
  expect((await project.run(['diff'])).stdout).toBe(
    `update    ${name('moved')}\n    set       .data.c: "3"\nplan: 1 unchanged, 1 update; 2 unchanged fields also owned by others\n`,
  );
  expect((await project.run(['diff', '--all'])).stdout).toBe(
    [
      `unchanged ${name('same')}`,
      '    co-own    .data.a: "1", also owned by other',
      `update    ${name('moved')}`,
      '    co-own    .data.a: "1", also owned by other',
      '    set       .data.c: "3"',
      'plan: 1 unchanged, 1 update; 2 unchanged fields also owned by others',
      '',
    ].join('\n'),
  );
});

test('writes one document of several environments, also where one of them fails', async () => {
  const main = `
import { App, Stack } from 'fieldwise';
const app = new App();
if (app.instance === 'c') throw new Error('No c');
new Stack(app, 'main').own({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'env-' + app.instance }, data: { a: '1' } });
`;
  const project = testEnvironment.project({ 'fieldwise.yaml': 'app: main.ts\nenvironments: { a: {}, b: {}, c: {} }\n', 'main.ts': main });
  expect((await project.run(['deploy', '-e', 'a'])).exitCode).toBe(0);
  await testEnvironment.cluster.apply('helm', { ...ref('env-a'), data: { a: '2' } }, { force: true });

  const { exitCode, stdout, stderr } = await project.run(['diff', '-e', 'a,b,c', '-o', 'markdown', ...allFiles]);
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/^environment c\nerror: .*No c.*\[program-failed\]\n$/)]);
  const { markdown = '', json = '', junit, sarif = '', text } = allTexts(project);
  expect(markdown).toBe(stdout);
  expect(markdown.split('\n').filter((line) => /^(## |\*\*)/.test(line))).toEqual([
    '## Environment `a`',
    '**+0 ~1 −0 · takes 1 field from helm · releases 0 · blocked 0**',
    '## Environment `b`',
    '**+1 ~0 −0 · takes 0 · releases 0 · blocked 0**',
    '## Environment `c`',
    '**not planned: program-failed**',
  ]);
  expect(markdown).toMatch(/### Errors\n\n- `.*No c.*` \[program-failed\] at `main\.ts:4`/);
  const lines = json.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line)).map(({ event, environment }) => [event, environment])).toEqual([
    ['plan', 'a'],
    ['plan-summary', 'a'],
    ['plan', 'b'],
    ['plan-summary', 'b'],
  ]);
  expect(junit).toMatch(
    /<testsuite name="a: main"[\s\S]*<testsuite name="b: main"[\s\S]*<testcase classname="c: plan" name="program-failed" file="main.ts" line="4"/,
  );
  const { runs } = JSON.parse(sarif);
  expect(runs).toHaveLength(1);
  expect(runs[0].invocations).toEqual([{ executionSuccessful: false }]);
  expect(runs[0].results.map(({ ruleId, level, properties }: Record<string, unknown>) => [ruleId, level, properties])).toMatchObject([
    ['field-taken', 'warning', { environment: 'a' }],
    ['program-failed', 'error', { environment: 'c' }],
  ]);
  expect(text).toMatch(/^environment a\nupdate [\s\S]*\n\nenvironment b\ncreate [\s\S]*\n\nenvironment c\n$/);
});

test.each<{ what: string; words: readonly string[]; setUp?: (project: Project) => void; exitCode: number; verdict: RegExp }>([
  { what: 'a configuration', words: ['diff', '--config', 'absent.yaml'], exitCode: 2, verdict: /^\*\*not planned: config-not-found\*\*/ },
  {
    what: 'a program',
    words: ['diff'],
    setUp: (project) => project.write({ 'main.ts': 'const x: = 1;\n' }),
    exitCode: 2,
    verdict: /^\*\*not planned: program-failed\*\*[\s\S]*at `main\.ts:1`/,
  },
  {
    what: 'a server',
    words: ['diff', '--kubeconfig', 'gone.kubeconfig'],
    exitCode: 2,
    verdict: /^\*\*not planned: kubeconfig-invalid\*\*/,
  },
  {
    what: 'a deletion without a yes',
    words: ['deploy'],
    setUp: (project) => project.write({ 'main.ts': testEnvironment.text({ main: [own(config('kept'))] }) }),
    exitCode: 2,
    verdict: /^\*\*not deployed: confirmation-needed\*\*[\s\S]*<summary>2 skipped objects<\/summary>/,
  },
])('writes the files without $what, with the error', async ({ words, setUp, exitCode, verdict }) => {
  const project = testEnvironment.program({ main: [own(config('kept')), own(config('removed'))] });
  expect((await project.deploy()).exitCode).toBe(0);
  setUp?.(project);
  const run = await project.run([...words, ...allFiles]);
  expect(run.exitCode, run.stderr).toBe(exitCode);
  const { markdown, junit, sarif = '' } = allTexts(project);
  expect(markdown).toMatch(verdict);
  expect(junit).toMatch(/<testsuites [^>]*errors="1">/);
  expect(JSON.parse(sarif).runs[0].results[0].level).toBe('error');
});

test.each<{ words: readonly string[]; stderr: RegExp }>([
  { words: ['deploy', '-o', 'yaml'], stderr: /Allowed choices are text, markdown, json, junit, sarif/ },
  { words: ['diff', '--output-file', 'plan.md'], stderr: /Expected FORMAT=FILE, with a format of text, markdown, json, junit, sarif/ },
  { words: ['deploy', '--output-file', 'html=plan.html'], stderr: /Expected FORMAT=FILE/ },
  { words: ['diff', '--output-file', 'plan=a', '--output-file', 'plan=b'], stderr: /One file of the format plan is written/ },
  { words: ['diff', '--output-file', 'markdown='], stderr: /It names no file/ },
  { words: ['diff', '--output-file', 'markdown=-'], stderr: /printed on standard output by -o markdown/ },
  {
    words: ['diff', '--output-file', 'sarif=x', '--output-file', 'junit=./x'],
    stderr: /Two flags name the same file, \.\/x.*\[flag-invalid\]/,
  },
  { words: ['diff', '--output-file', 'plan=x', '--output-file', 'junit=x'], stderr: /Two flags name the same file, x/ },
  { words: ['diff', '--output-file', 'html=x.html', '--output-file', 'text=x.html'], stderr: /Two flags name the same file, x\.html/ },
  { words: ['deploy', '--output-file', 'report=x', '--output-file', 'junit=x'], stderr: /Two flags name the same file, x/ },
  { words: ['deploy', '--output-file', 'junit=absent/x'], stderr: /cannot be written: .*Nothing was done.*\[report-not-written\]/ },
  { words: ['deploy', '--output-file', 'junit=directory'], stderr: /it is a directory.*\[report-not-written\]/ },
  { words: ['deploy', '--output-file', 'junit=pipe'], stderr: /it is a named pipe.*\[report-not-written\]/ },
  { words: ['diff', '--output-file', 'html=pipe'], stderr: /it is a named pipe/ },
  { words: ['diff', '--output-file', 'plan=pipe'], stderr: /it is a named pipe.*\[flag-invalid\]/ },
  { words: ['diff', '--output-file', 'markdown=link', '--output-file', 'json=directory/file'], stderr: /Two flags name the same file/ },
])('refuses $words before anything is done', async ({ words, stderr }) => {
  const project = testEnvironment.program({ main: [own(config('refused'))] });
  mkdirSync(join(project.directory, 'directory'));
  execFileSync('mkfifo', [join(project.directory, 'pipe')]);
  project.write({ 'directory/file': '' });
  symlinkSync('directory/file', join(project.directory, 'link'));
  const before = readdirSync(project.directory);
  const run = await project.run(words);
  expect([run.exitCode, run.stdout, run.stderr]).toEqual([2, '', expect.stringMatching(stderr)]);
  expect(readdirSync(project.directory)).toEqual(before);
  expect(await testEnvironment.cluster.find(ref('refused'))).toBeUndefined();
});
