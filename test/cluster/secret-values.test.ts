import { expect, test } from 'vitest';
import { outputFormats } from '../../src/cli/config/flags.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('secret-values');

const live = 'live-planted-value';
const intended = 'intended-planted-value';
const kubectl = 'kubectl-planted-value';
const multiline = '-----BEGIN planted-first-line-----\nplanted-second-line "quoted"\n-----END planted-----\n';
const forms = (value: string) => [value, Buffer.from(value).toString('base64'), JSON.stringify(value).slice(1, -1)];
const planted = [live, intended, kubectl, multiline].flatMap(forms).concat('planted-second-line', '918273645');

const outputFiles = (name: string) => outputFormats.flatMap((format) => ['--output-file', `${format}=${name}.${format}`]);

const place = (name: string) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name } });

interface Case {
  readonly what: string;
  readonly before: object;
  readonly after: object;
  readonly exitCode: number;
  readonly theirs?: object;
}

test.each<Case>([
  { what: 'changed', before: { stringData: { key: live, pem: multiline } }, after: { stringData: { key: intended } }, exitCode: 0 },
  {
    what: 'taken',
    before: { stringData: { key: live } },
    theirs: { stringData: { key: kubectl } },
    after: { stringData: { key: intended, pem: multiline } },
    exitCode: 0,
  },
  {
    what: 'a number',
    before: { stringData: { key: live } },
    after: { data: { key: 918273645 } },
    exitCode: 2,
  },
  { what: 'no base64', before: { stringData: { key: live } }, after: { data: { key: `${intended}!` } }, exitCode: 2 },
  {
    what: 'immutable',
    before: { stringData: { key: live }, immutable: true },
    after: { stringData: { key: intended }, immutable: true },
    exitCode: 4,
  },
  {
    what: 'another type',
    before: { stringData: { key: live } },
    after: { type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': multiline } },
    exitCode: 4,
  },
])('no output shows the value of a Secret: $what', async ({ what, before, after, exitCode, theirs }) => {
  const name = what.replaceAll(' ', '-');
  const project = testEnvironment.program({ main: [own({ ...place(name), ...before })] });
  expect((await project.deploy()).exitCode).toBe(0);
  if (theirs) await testEnvironment.cluster.patch('kubectl', testEnvironment.ref('v1', 'Secret', name), theirs);
  project.write({ 'main.ts': testEnvironment.text({ main: [own({ ...place(name), ...after })] }) });
  const runs = [
    await project.run(['diff', '--all', ...outputFiles('plan')]),
    await project.run(['diff', '-o', 'json']),
    await project.run(['-v', 'diff', '--read-only', '--output-file', 'plan=saved.json']),
    await project.run(['deploy', '-o', 'json', '--yes', ...outputFiles('deploy')]),
    await project.run(['-v', 'deploy', '--yes']),
    await project.run(['destroy', '-o', 'json', '--yes']),
    await project.run(['-v', 'destroy', '--yes']),
  ];
  expect([runs[0]?.exitCode, runs[3]?.exitCode], runs[0]?.stdout).toEqual([exitCode, exitCode]);
  const written = outputFormats.flatMap((format) => [project.read(`plan.${format}`), project.read(`deploy.${format}`)]);
  const saved = exitCode === 2 ? [] : [project.read('saved.json')]; // synth refuses: there is no plan
  const texts = [...runs.flatMap(({ stdout, stderr }) => [stdout, stderr]), ...written, ...saved];
  for (const text of texts) for (const value of planted) expect(text).not.toContain(value);
});
