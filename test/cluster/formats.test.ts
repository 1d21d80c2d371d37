import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type OutputFormat, outputFormats } from '../../src/cli/config/flags.js';
import { configMapHelpers } from '../harness/config-map-helpers.js';
import { type Declared, own } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment, waitForNextSecond } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('formats');
const { config, ref } = configMapHelpers(testEnvironment);

const service = (name: string, ports: readonly object[]) => ({ apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { ports } });
const secret = (name: string, password: string) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: { password } });

/** What the main branch declares, for a pull request with objects of its own. */
const before = (pull: string): readonly Declared[] => [
  own(config(`${pull}-web`, { color: 'blue', size: 'small', mode: 'a', theme: 'light' })),
  own(config(`${pull}-same`, { a: '1', shared: 'x' })),
  own(config(`${pull}-gone`)),
  own(
    service(pull, [
      { name: 'http', port: 80 },
      { name: 'extra', port: 81 },
    ]),
  ),
  own({ ...config(`${pull}-fixed`), immutable: true }),
  own(secret(pull, 'before-planted')),
];

interface PullRequest {
  readonly name: string;
  readonly after: readonly Declared[];
  readonly diffExitCode: number;
  readonly deployExitCode: number;
}

const pulls: readonly PullRequest[] = [
  {
    name: 'harmless',
    after: [
      own(config('harmless-web', { color: 'blue', size: 'large', mode: 'b', theme: 'dark', new: '<b>|`x`</b>' }), {
        fields: { '.data.mode': { conflicts: 'yield' }, '.data.theme': { conflicts: 'yield' } },
      }),
      ...before('harmless').slice(1),
      own(config('harmless-new', { a: '1' })),
    ],
    diffExitCode: 0,
    deployExitCode: 0,
  },
  {
    name: 'risky',
    after: [
      own(config('risky-web', { color: 'blue', mode: 'b', theme: 'dark' })),
      own(config('risky-same', { a: '1', shared: 'x' })),
      own(service('risky', [{ name: 'http', port: 80 }])),
      own({ ...config('risky-fixed', { a: '2' }), immutable: true }, { replace: true }),
      own(secret('risky', 'after-planted')),
    ],
    diffExitCode: 0,
    deployExitCode: 0,
  },
  {
    name: 'blocked',
    after: [
      own(config('blocked-web', { color: 'blue', mode: 'b', theme: 'dark' }), { conflicts: 'fail' }),
      own(config('blocked-same', { a: '2', shared: 'x' })),
      own(config('blocked-gone')),
      own(
        service('blocked', [
          { name: 'http', port: 80 },
          { name: 'extra', port: 81 },
        ]),
      ),
      own({ ...config('blocked-fixed', { a: '2' }), immutable: true }),
      own({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'blocked' },
        type: 'Opaque',
        stringData: { password: 'after-planted' },
        immutable: true,
      }),
    ],
    diffExitCode: 4,
    deployExitCode: 4,
  },
];

const endings: Readonly<Record<OutputFormat, string>> = { text: 'txt', markdown: 'md', json: 'ndjson', junit: 'xml', sarif: 'sarif' };

test.each(pulls)('a $name pull request in every format', async ({ name, after, diffExitCode, deployExitCode }) => {
  const project = testEnvironment.program({ web: before(name) });
  expect((await project.deploy()).exitCode).toBe(0);
  await testEnvironment.cluster.apply('helm', { ...ref(`${name}-web`), data: { mode: 'helm', theme: 'helm' } }, { force: true });
  await testEnvironment.cluster.apply('other', { ...ref(`${name}-same`), data: { shared: 'x' } });
  const ports = [
    { name: 'http', protocol: 'TCP', port: 80, targetPort: 80 },
    { name: 'extra', protocol: 'TCP', appProtocol: 'http', port: 81, targetPort: 81 }, // members in the order of a real server
  ];
  await testEnvironment.cluster.patch('mesh', testEnvironment.ref('v1', 'Service', name), { spec: { ports } });

  project.write({ 'main.ts': testEnvironment.text({ web: after }) });
  const diff = await project.run(['diff', '--output-file', 'plan=plan.json', ...outputFiles('plan')]);
  expect(diff.exitCode, diff.stdout).toBe(diffExitCode);
  const markdown = project.read('plan.md');
  expect(markdown).toContain(createHash('sha256').update(project.read('plan.json')).digest('hex'));
  await expectGolden(project, `${name}-plan`, 'plan');

  await waitForNextSecond(); // so that what was changed is reported as updated
  const deploy = await project.run(['deploy', '--yes', '--concurrency', '1', ...outputFiles('deploy')]);
  expect(deploy.exitCode, deploy.stderr).toBe(deployExitCode);
  await expectGolden(project, `${name}-deploy`, 'deploy');
});

function outputFiles(name: string): string[] {
  return outputFormats.flatMap((format) => ['--output-file', `${format}=${name}.${endings[format]}`]);
}

/** Compares all formats with the files of the repository. */
async function expectGolden(project: Project, golden: string, written: string): Promise<void> {
  for (const ending of Object.values(endings)) {
    const text = project.read(`${written}.${ending}`);
    expect(text, ending).not.toContain('planted');
    const file = fileURLToPath(new URL(`./formats/${golden}.${ending}`, import.meta.url));
    await expect(normalized(text), `${golden}.${ending}`).toMatchFileSnapshot(file);
  }
}

/** Replaces what differs between runs and servers. */
function normalized(text: string): string {
  return text
    .replaceAll(new RegExp(`${testEnvironment.app}-\\d+`, 'g'), 'shop')
    .replaceAll(testEnvironment.namespace, 'team')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID')
    .replaceAll(/"resourceVersion":"\d+"/g, '"resourceVersion":"VERSION"')
    .replaceAll(/\b[0-9a-f]{64}\b/g, 'SHA256')
    .replaceAll(/"replaced":\{.*?\}(?=,"uid":"UID"\}\n)/g, '"replaced":{}') // servers order its members differently
    .replaceAll(/https:\/\/127\.0\.0\.1:\d+/g, 'https://SERVER')
    .replaceAll(/"kubeContext":"[^"]*"|\(context [^)]*\)/g, 'CONTEXT');
}
