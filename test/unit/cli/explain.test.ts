import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Project } from '../../harness/project.js';

const recorded = (name: string) => readFileSync(join(import.meta.dirname, `../../conflict-messages/recorded/${name}.txt`), 'utf8');
const project = new Project({ 'message.txt': recorded('kubectl-several') }, {});
afterAll(() => rmSync(project.directory, { recursive: true, force: true }));

interface Row {
  readonly words: readonly string[];
  readonly stdin?: string;
  readonly stdout: readonly string[];
}

test.each<Row>([
  {
    words: ['-'],
    stdin: recorded('helm4-upgrade'),
    stdout: [
      'Helm 4 could not apply Deployment market/web',
      '.spec.replicas',
      'owned by kubectl (Update, scale)',
      '--force-conflicts',
      '--server-side=false',
    ],
  },
  {
    words: ['-', 'deploy/web'],
    stdin: recorded('kubectl-several'),
    stdout: [
      'kubectl could not apply deploy web',
      'owned by kustomize-controller (Flux)',
      'kustomize-controller may take them back at once',
      'kubectl apply --server-side --field-manager=kustomize-controller -f FILE',
      'fieldwise adopt KIND/web ',
      ' --from manager:kustomize-controller',
    ],
  },
  { words: ['--file', 'message.txt'], stdout: ['kubectl could not apply an object that the text does not name'] },
  { words: [recorded('flux-one')], stdout: ['Flux could not apply Deployment shop/web', 'kustomize.toolkit.fluxcd.io/ssa'] },
  {
    words: ['-'],
    stdin: recorded('helm3-other-release'),
    stdout: ['belongs to the release web', '--take-ownership', 'Helm 3.17 or later'],
  },
  {
    words: ['Apply failed with 1 conflict: conflict with "fieldwise/shop/default/web": .spec.replicas'],
    stdout: [
      'A client of the API server could not apply',
      'owned by stack shop/default/web',
      'at its next deploy',
      'remove it from the program of stack shop/default/web and deploy',
      `fields: { "spec.replicas": { conflicts: 'yield' } }`,
      'fieldwise adopt KIND/NAME .spec.replicas --from manager:fieldwise/shop/default/web',
    ],
  },
  {
    words: [
      'error: Apply failed with 2 conflicts: conflicts with "fieldwise/edge/default/gateway":\n- .spec.a\nconflicts with "fieldwise/shop/default/web":\n- .spec.b\n- .spec.c\nPlease review the fields above--they currently have other managers. Here',
    ],
    stdout: [
      'kubectl apply --server-side --force-conflicts',
      `fields: { "spec.a": { conflicts: 'yield' } }`,
      'fieldwise adopt KIND/NAME .spec.a --from manager:fieldwise/edge/default/gateway',
      `fields: { "spec.b": { conflicts: 'yield' }, "spec.c": { conflicts: 'yield' } }`,
      'fieldwise adopt KIND/NAME .spec.b .spec.c --from manager:fieldwise/shop/default/web',
    ],
  },
  {
    words: [
      'Error: INSTALLATION FAILED: unable to continue with install: ConfigMap "a" in namespace "team" exists and cannot be imported into the current release: invalid ownership metadata; annotation validation error: missing key "meta.helm.sh/release-name": must be set to "rel"; annotation validation error: missing key "meta.helm.sh/release-namespace": must be set to "team"',
    ],
    stdout: ['meta.helm.sh/release-name=rel meta.helm.sh/release-namespace=team --overwrite'],
  },
  {
    words: ['Apply failed with 9 conflicts: conflicts with "a\\x1b[31m":\n- .a\u001b[2J\u0085\n- .b'],
    stdout: ['it lacks 7 more', 'owned by "a<U+001B>[31m"'],
  },
])('explain $words', async ({ words, stdin, stdout }) => {
  const run = await project.run(['explain', ...words], stdin === undefined ? {} : { stdin });
  expect([run.exitCode, run.stderr]).toEqual([0, '']);
  for (const text of stdout) expect(run.stdout.replaceAll(/\s+/g, ' ')).toContain(text);
  expect([...run.stdout].filter((character) => ['\u001b', '\u0085'].includes(character))).toEqual([]);
});

test('-o json: one line for each conflict, the summary last', async () => {
  const { events, exitCode } = await project.run(['explain', '-', 'deploy/web', '-o', 'json'], { stdin: recorded('kubectl-several') });
  expect(exitCode).toBe(0);
  expect(events).toMatchObject([
    {
      event: 'conflict',
      about: 'fields',
      tool: 'kubectl',
      object: { kind: 'deploy', name: 'web' },
      contested: [
        { owner: { manager: 'kubectl', operation: 'Update', subresource: 'scale', tool: 'kubectl' }, fields: ['.spec.replicas'] },
        { owner: { manager: 'kustomize-controller', operation: 'Apply', tool: 'flux', label: 'Flux' } },
      ],
    },
    { event: 'explain-summary', conflicts: 1, exitCode: 0 },
  ]);
  expect(events[0]).toHaveProperty(
    'ways',
    expect.arrayContaining([
      expect.objectContaining({
        by: 'fieldwise',
        how: expect.stringMatching(/^fieldwise adopt KIND\/web .* --from manager:kustomize-controller$/),
      }),
    ]),
  );
});

test.each([
  { words: ['-'], stdin: 'deployment.apps/web serverside-applied\n', says: /contains no conflict.*\[conflict-not-found\]/s },
  { words: ['-'], stdin: '', says: /text is empty.*\[conflict-not-found\]/s },
  { words: ['-'], stdin: 'Apply failed with 3 conflicts: confl', says: /cut off before it names an owner/ },
  {
    words: [
      'Operation cannot be fulfilled on deployments.apps "web": the object has been modified; please apply your changes\nPlease review the fields above',
    ],
    says: /no conflict over fields.*Run the command again/s,
  },
  { words: [], says: /\[explain-misused\]/ },
  { words: ['-', 'deploy/web', 'deploy/api'], stdin: '', says: /Several objects are named/ },
  { words: ['-', '--file', 'message.txt'], stdin: '', says: /Several messages are named/ },
  { words: ['--file', 'absent.txt'], says: /does not exist.*absent\.txt.*\[input-missing\]/s },
  { words: ['--file', '.'], says: /cannot be read \(EISDIR\)/ },
])('explain $words is refused', async ({ words, stdin, says }) => {
  const run = await project.run(['explain', ...words], stdin === undefined ? {} : { stdin });
  expect(run.stderr).toMatch(says);
  expect([run.exitCode, run.stdout]).toEqual([2, '']);
});

test('what two owners do next is said once, below the last of them', async () => {
  const message =
    'Apply failed with 2 conflicts: conflicts with "fieldwise/edge/default/gateway":\n- .spec.a\nconflicts with "fieldwise/shop/default/web":\n- .spec.b';
  const { stdout } = await project.run(['explain', message]);
  expect(stdout).toContain(`  .spec.a
      owned by stack edge/default/gateway
  .spec.b
      owned by stack shop/default/web
      A stack of Fieldwise: it applies its fields again at its next deploy, by
`);
  expect(stdout.match(/A stack of Fieldwise/g)).toHaveLength(1);
});
