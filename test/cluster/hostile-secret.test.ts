import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { outputFormats } from '../../src/cli/config/flags.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('hostile-secret');

const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');

/** The values of a Secret: former, live and declared. */
const values = { former: 'CANARY-former-1', live: 'CANARY-live-22', declared: 'CANARY-next-333', member: 'CANARY-member-4' };
const forms = (value: string) => [
  value,
  base64(value),
  base64(value).replace(/=+$/, ''),
  encodeURIComponent(value),
  Buffer.from(value).toString('hex'),
];
const canaries = Object.values(values).flatMap(forms).concat('CANARY');

/** The object of a tool that keeps all of it in an annotation. */
const copyOf = (value: string) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'hostile' }, data: { password: base64(value) } });

const annotations = {
  'kapp.k14s.io/original': copyOf(values.former),
  'objectset.rio.cattle.io/applied': base64(copyOf(values.live)),
  'example.com/plain': values.live,
  'fieldwise.dev/copy': values.live,
  'kubectl.kubernetes.io/last-applied-configuration': copyOf(values.live),
};

const program = (note: string) => `import { App, fromEnv, Stack } from 'fieldwise';
const stack = new Stack(new App(), 'main');
const annotations = { 'example.com/plain': 'x', 'example.com/declared': process.env.PASSWORD ?? '' };
stack.own({
  apiVersion: 'v1', kind: 'Secret', metadata: { name: 'hostile', labels: { note: '${note}' }, annotations },
  stringData: { password: fromEnv('PASSWORD'), json: '{"password":"${values.member}"}' },
});
stack.own({
  apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'copies', annotations: { note: '${note} of ' + (process.env.PASSWORD ?? '') } },
  data: { url: 'postgres://user:' + encodeURIComponent(process.env.PASSWORD ?? '') + '@host', member: '${values.member} ${note}' },
});
`;

const project = testEnvironment.program({});
const texts = new Map<string, string>();

/** Runs a command, and keeps everything that it prints. */
async function run(args: readonly string[], password: string): Promise<number> {
  const result = await project.run(args, { environment: { PASSWORD: password } });
  texts.set(`${texts.size} ${args.join(' ')}`, result.stdout + result.stderr);
  return result.exitCode;
}

const outputFiles = (name: string) => outputFormats.flatMap((format) => ['--output-file', `${format}=out/${name}.${format}`]);

test('no command prints or writes a value of a Secret, whatever copies of it exist', async () => {
  project.write({ 'main.ts': program('one'), 'out/.keep': '' });
  expect(await run(['deploy', '--yes', '--output-file', 'report=out/first.json'], values.live)).toBe(0);
  const secret = testEnvironment.ref('v1', 'Secret', 'hostile');
  await testEnvironment.cluster.patch('kapp', secret, { metadata: { annotations } });
  await testEnvironment.cluster.patch('tool', testEnvironment.ref('v1', 'ConfigMap', 'copies'), {
    data: { extra: `basic ${base64(`user:${values.live}`)} ${values.live}` },
  });
  project.write({ 'main.ts': program('two') });
  const commands: readonly (readonly string[])[] = [
    ['diff', '--all', '--output-file', 'html=out/plan.html', ...outputFiles('plan')],
    ['diff', '-o', 'json', '--output-file', 'plan=out/plan.json'],
    ['-v', 'diff', '--read-only', '--all'],
    ['owners', 'Secret/hostile', 'ConfigMap/copies', '--output-file', 'html=out/owners.html'],
    ['owners', 'Secret/hostile', 'ConfigMap/copies', '-o', 'json'],
    ['owners', 'Secret/hostile', 'ConfigMap/copies', '--without', 'main'],
    ['status'],
    ['status', '-o', 'json'],
    ['drift'],
    ['drift', '--strict', '-o', 'json'],
    ['explain', 'Secret/hostile', '.metadata.annotations'],
    ['explain', 'Secret/hostile', '.data', '-o', 'json'],
    ['snapshot', '--output-file', 'snapshot=out/snapshot.json'],
    ['diff', '--offline', '--snapshot', 'out/snapshot.json', '--all'],
    ['deploy', '-o', 'json', '--yes', '--output-file', 'report=out/report.json', ...outputFiles('deploy')],
    ['history'],
    ['history', '-o', 'json'],
    ['list', '-o', 'json'],
    ['diff', '--to-revision', '1', '--all'],
    ['rollback', '1', '--yes', '-o', 'json'],
    ['destroy', '--yes', '-o', 'json'],
  ];
  const exitCodes: Record<string, number> = {};
  for (const args of commands) exitCodes[args.join(' ')] = await run(args, values.declared);
  for (const [name, text] of [...texts, ...filesIn(join(project.directory, 'out'))]) {
    for (const canary of canaries) expect(text.includes(canary) ? `${name}: ${around(text, canary)}` : '').toBe('');
    for (const token of base64Texts(text)) expect(token.includes('CANARY') ? `${name}: ${token}` : '').toBe('');
  }
  expect(Object.entries(exitCodes).filter(([, code]) => code !== 0)).toEqual([]);
});

test('a snapshot hides a value that the program declares and the live Secret has not got yet', async () => {
  expect((await project.run(['deploy', '--yes'], { environment: { PASSWORD: values.live } })).exitCode).toBe(0);
  await testEnvironment.cluster.patch('tool', testEnvironment.ref('v1', 'ConfigMap', 'copies'), { data: { next: values.declared } });
  const taken = await project.run(['snapshot', '--output-file', 'snapshot=out/next.json'], { environment: { PASSWORD: values.declared } });
  expect(taken.exitCode, taken.stderr).toBe(0);
  const text = readFileSync(join(project.directory, 'out/next.json'), 'utf8');
  expect(text).toContain('"next"');
  for (const form of forms(values.declared)) expect(text).not.toContain(form);
});

function* filesIn(directory: string): Generator<readonly [string, string]> {
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    const path = join(directory, name);
    if (statSync(path).isFile()) yield [name, readFileSync(path, 'utf8')];
  }
}

/** Returns what long base64 texts contain, whatever stands before it. */
function base64Texts(text: string): readonly string[] {
  return (text.match(/[A-Za-z0-9+/_-]{8,}/g) ?? []).flatMap((token) =>
    [0, 1, 2, 3].map((from) => Buffer.from(token.slice(from), 'base64').toString('latin1')),
  );
}

function around(text: string, canary: string): string {
  const at = text.indexOf(canary);
  return text.slice(Math.max(0, at - 120), at + canary.length + 20);
}
