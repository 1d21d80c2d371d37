import { beforeAll, describe, expect, test } from 'vitest';
import { Ground } from '../harness/ground.js';
import { accidents, type Lie, lies, misfits } from '../harness/lies.js';
import { own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import type { Passed } from '../harness/proxy.js';

const ground = await Ground.fresh('lies');
const configMap = (name: string) => ({ ...ground.ref('v1', 'ConfigMap', name), data: { a: '1' } });

/** Commands that ask the server, each as it is run after a deploy. */
const commands: readonly (readonly string[])[] = [
  ['deploy', '-a', 'dist'],
  ['diff', '-a', 'dist'],
  ['diff', '--read-only', '-a', 'dist'],
  ['status', '-a', 'dist'],
  ['drift', '-a', 'dist'],
  ['drift', '--repair', '--yes', '-a', 'dist'],
  ['list'],
  ['owners', 'one'],
  ['owners', 'configmap/mine'],
  ['doctor', '-a', 'dist'],
  ['doctor', '--find-orphans', '-a', 'dist'],
  ['rbac', '-a', 'dist'],
  ['snapshot', '-a', 'dist'],
  ['adopt', '--yes', '-a', 'dist'],
  ['import', 'cluster:apps/v1', '--output', 'imported'],
  ['destroy', '--yes', '-a', 'dist'],
];

let project: Project;
beforeAll(async () => {
  await ground.cluster.create('somebody', configMap('theirs'));
  project = ground.program({ one: [own(configMap('mine')), share(configMap('theirs'))] });
  await deploy();
});

async function deploy(): Promise<void> {
  expect((await project.run(['deploy', '--yes'])).exitCode).toBe(0);
}

/** Runs a command against a server that lies where it is told to. */
async function lied(words: readonly string[], lie: (request: Passed) => Lie | undefined) {
  const proxy = await ground.proxy();
  proxy.onRequest = (request) => lie(request);
  const result = await project.run(words, { kubeconfig: proxy.kubeconfig });
  // A run that could not give its lock up leaves it until it expires; that is tested in lock.test.ts.
  for (const lease of await ground.cluster.list('coordination.k8s.io/v1', 'Lease', ground.namespace)) {
    await ground.cluster.remove({ ...lease, apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' });
  }
  return { ...result, requests: proxy.requests };
}

/** Some commands list every kind, which all take the same way. */
const mostPlaces = 14;
const defect = /defect of Fieldwise|Unexpected:|\[internal\]|\n {4}at /;

describe.each(Object.entries({ ...lies, ...accidents }))('a server that answers with %s', (_, lie) => {
  test('to everything: each command says what answered', async () => {
    const results = await Promise.all(commands.map(async (words) => ({ words, ...(await lied(words, () => lie)) })));
    for (const { words, exitCode, stdout, stderr } of results) {
      const text = `${words.join(' ')}\n${stdout}${stderr}`;
      expect.soft(text).not.toMatch(defect);
      expect.soft(text).toMatch(lie.says);
      expect.soft([2, 4], text).toContain(exitCode); // 2: import
    }
  });
});

describe.each(commands.map((words) => ({ command: words.join(' '), words })))('$command', ({ words }) => {
  const chosen = Object.entries({ null: lies.null, 'captive portal': lies['captive portal'] });
  const odd = Object.entries(misfits).map(([name, body]): [string, Lie] => [
    name,
    { says: /./, answer: (response) => void response.setHeader('content-type', 'application/json').end(JSON.stringify(body)) },
  ]);

  test('one answer of all is none of an API server', async () => {
    const honest = await lied(words, () => undefined);
    const asked = [...new Set(honest.requests.map(placeOf))].slice(0, mostPlaces);
    expect(asked.length).toBeGreaterThan(0);
    for (const place of asked) {
      for (const [name, lie] of [...chosen, ...odd] as [string, Lie][]) {
        const { stdout, stderr } = await lied(words, (request) => (placeOf(request) === place ? lie : undefined));
        expect.soft(stdout + stderr, `${place} answered with ${name}`).not.toMatch(defect);
      }
    }
    if (words.includes('destroy') || words.includes('adopt')) await deploy();
  });
});

function placeOf({ method, path, query }: Passed): string {
  return `${method} ${path}${query.has('dryRun') ? ' dry' : ''}`;
}
