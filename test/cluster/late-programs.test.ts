import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ProxiedRequest } from '../harness/interception-proxy.js';
import { poll } from '../harness/poll.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('late-programs');
const objects = 20;

/** Declares objects, calls `process.exit(0)`, and has left something behind that happens as soon as the file `now` is there. */
const program = (late: string) => `import { existsSync, writeFileSync } from 'node:fs';
import { App, Stack } from 'fieldwise';
const app = new App();
const stack = new Stack(app, 's');
const own = (name: string) => stack.own({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: \`\${app.name}-\${name}\` }, data: { a: '1' } });
for (let index = 0; index < ${objects}; index++) own('late-' + index);
const timer = setInterval(() => {
  if (!existsSync('now')) return;
  clearInterval(timer);
  writeFileSync('seen', '');
  ${late}
}, 5);
app.synth();
process.exit(0);
`;

const cases = [
  ['a rejection that nobody handles', "Promise.reject(new Error('the fetch failed'));", 'program-failed', 'main.ts:11'],
  ['an error in a timer', "throw new Error('no');", 'program-failed', 'main.ts:11'],
  ['a declaration', "own('later');", 'declared-after-synth', 'main.ts:5'],
] as const;

describe.each(cases)('what a program does behind process.exit(0): %s', (_, late, code, line) => {
  test.each([
    ['before the first write', /\/leases\//, 0],
    ['after the first write', /-late-\d/, 1],
  ])('%s stops the run', async (_, path, written) => {
    const project = testEnvironment.project({
      'package.json': '{"type":"module"}',
      'fieldwise.yaml': 'app: main.ts\n',
      'main.ts': program(late),
    });
    const proxy = await testEnvironment.proxy();
    const happens = async () => {
      if (existsSync(join(project.directory, 'now'))) return;
      writeFileSync(join(project.directory, 'now'), '');
      await poll('the program sees it', () => existsSync(join(project.directory, 'seen')));
    };
    const at = async (request: ProxiedRequest) => {
      if (request.method === 'PATCH' && path.test(request.path)) await happens();
      return undefined;
    };
    Object.assign(proxy, written === 0 ? { onRequest: at } : { onResponse: at });
    const args = ['deploy', '--concurrency', '1', '--output-file', 'report=report.json', '--output-file', 'markdown=record.md'];
    const { exitCode, stderr } = await project.run(args, { kubeconfig: proxy.kubeconfig, asProcess: true });
    expect(exitCode, stderr).toBe(2);
    expect(stderr).toContain(`[${code}]`);
    expect(stderr).toContain(line);
    expect(stderr).not.toMatch(/\n\s+at /);
    const report = JSON.parse(readFileSync(join(project.directory, 'report.json'), 'utf8'));
    expect(report.summary).toMatchObject({ ok: false, exitCode: 2, errors: [{ code }] });
    expect(report.objects.filter(({ result }: { result: string }) => result === 'created')).toHaveLength(written);
    expect(report.objects).toHaveLength(objects);
    expect(existsSync(join(project.directory, 'record.md'))).toBe(true);
    // The lock is free: the same program deploys at once, without its end.
    project.write({ 'main.ts': program('') });
    const again = await project.deploy(['--concurrency', '1'], { asProcess: true });
    expect(again.exitCode, String(again)).toBe(0);
    expect(again.objects.filter(({ result }) => result === 'created')).toHaveLength(objects - written);
  });
});

describe('process.exit', () => {
  const exits = [
    [
      'of the program',
      { 'main.ts': "import { App, Stack } from 'fieldwise';\nnew Stack(new App(), 's');\nprocess.exit(0);\n" },
      'main.ts:3',
    ],
    [
      'of a module of rules',
      {
        'main.ts': "import { App, Stack } from 'fieldwise';\nnew Stack(new App(), 's');\n",
        'fieldwise.yaml': 'app: main.ts\nrules: rules.ts\n',
        'rules.ts': 'process.exit(0);\nexport default [];\n',
      },
      'rules.ts:1',
    ],
    [
      'of a rule',
      {
        'main.ts':
          "import { App, Stack } from 'fieldwise';\nnew Stack(new App(), 's').own({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'ruled' } });\n",
        'fieldwise.yaml': 'app: main.ts\nrules: rules.ts\n',
        'rules.ts': "import { deny } from 'fieldwise/rules';\nexport default [deny(() => process.exit(0))];\n",
      },
      'rules.ts:2',
    ],
  ] as const;

  test.each(exits)('%s fails the command, and the files are written', async (_, files, line) => {
    const project = testEnvironment.project({ 'package.json': '{"type":"module"}', 'fieldwise.yaml': 'app: main.ts\n', ...files });
    for (const [command, flags] of [
      ['deploy', ['--yes', '--output-file', 'report=deploy.json']],
      ['diff', ['--exit-code']],
    ] as const) {
      const { exitCode, stderr } = await project.run([command, ...flags, '--output-file', `markdown=${command}.md`], { asProcess: true });
      expect(exitCode, stderr).toBe(2);
      expect(stderr).toContain('[program-failed]');
      expect(stderr).toContain(line);
      expect(readFileSync(join(project.directory, `${command}.md`), 'utf8')).toContain('process.exit(0)');
    }
    const report = JSON.parse(readFileSync(join(project.directory, 'deploy.json'), 'utf8'));
    expect(report).toMatchObject({ objects: [], summary: { ok: false, exitCode: 2, errors: [{ code: 'program-failed' }] } });
  });
});

test('a program that lives on does not keep the command alive after process.exit(0)', async () => {
  const text = `import { App, Stack } from 'fieldwise';
const app = new App();
new Stack(app, 's').own({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'lives-on' } });
setInterval(() => {}, 1000);
app.synth();
process.exit(0);
`;
  const project = testEnvironment.project({ 'package.json': '{"type":"module"}', 'fieldwise.yaml': 'app: main.ts\n', 'main.ts': text });
  const report = await project.deploy([], { asProcess: true });
  expect(report.exitCode, String(report)).toBe(0);
  expect(report.only('lives-on').result).toBe('created');
});
