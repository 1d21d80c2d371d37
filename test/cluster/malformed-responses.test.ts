import { beforeAll, describe, expect, test } from 'vitest';
import type { ProxiedRequest } from '../harness/interception-proxy.js';
import { type MalformedResponse, malformedResponses, mismatchedBodies, transientResponses } from '../harness/malformed-responses.js';
import { own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('lies');
const configMap = (name: string) => ({ ...testEnvironment.ref('v1', 'ConfigMap', name), data: { a: '1' } });

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
  ['import', 'cluster:apps/v1', '--outdir', 'imported'],
  ['destroy', '--yes', '-a', 'dist'],
];

let project: Project;
beforeAll(async () => {
  await testEnvironment.cluster.create('somebody', configMap('theirs'));
  project = testEnvironment.program({ one: [own(configMap('mine')), share(configMap('theirs'))] });
  await deploy();
});

async function deploy(): Promise<void> {
  expect((await project.run(['deploy', '--yes'])).exitCode).toBe(0);
}

/** Runs a command against a server that lies as configured. */
async function lied(words: readonly string[], lie: (request: ProxiedRequest) => MalformedResponse | undefined) {
  const proxy = await testEnvironment.proxy();
  proxy.onRequest = (request) => lie(request);
  const result = await project.run(words, { kubeconfig: proxy.kubeconfig });
  // A run that could not give its lock up leaves it until it expires; that is tested in lock.test.ts.
  await testEnvironment.freeLeases();
  return { ...result, requests: proxy.requests };
}

/** The first requests. Some commands list every kind, which all take the same way: two of these lists are enough. */
function placesOf(requests: readonly ProxiedRequest[]): string[] {
  const places = [...new Set(requests.map(requestText))].slice(0, 14);
  const lists = places.filter((place) => /^GET \/api\/v1\/\w+$/.test(place));
  return places.filter((place) => !lists.slice(2).includes(place));
}

const defect = /defect of Fieldwise|Unexpected:|\[internal\]|\n {4}at /;

describe.each(Object.entries({ ...malformedResponses, ...transientResponses }))('a server that answers with %s', (_, lie) => {
  test('to everything: each command says what answered', async () => {
    const results = await Promise.all(commands.map(async (words) => ({ words, ...(await lied(words, () => lie)) })));
    for (const { words, exitCode, stdout, stderr } of results) {
      const text = `${words.join(' ')}\n${stdout}${stderr}`;
      expect.soft(text).not.toMatch(defect);
      expect.soft(text).toMatch(lie.message);
      expect.soft(exitCode, text).toBe(4);
    }
  });
});

describe.each(commands.map((words) => ({ command: words.join(' '), words })))('$command', ({ words }) => {
  const chosen = Object.entries({ null: malformedResponses.null, 'captive portal': malformedResponses['captive portal'] });
  const odd = Object.entries(mismatchedBodies).map(([name, body]): [string, MalformedResponse] => [
    name,
    { message: /./, respond: (response) => void response.setHeader('content-type', 'application/json').end(JSON.stringify(body)) },
  ]);

  // Each third pair of a request and a response; all of them with ALL_RESPONSES=1.
  test('one of all responses is not from an API server', async () => {
    const honest = await lied(words, () => undefined);
    const asked = placesOf(honest.requests);
    expect(asked.length).toBeGreaterThan(0);
    const lies = [...chosen, ...odd];
    for (const [at, place] of asked.entries()) {
      const here = process.env.ALL_RESPONSES ? lies : lies.filter((_, which) => which % 3 === at % 3);
      for (const [name, lie] of here) {
        const { stdout, stderr } = await lied(words, (request) => (requestText(request) === place ? lie : undefined));
        expect.soft(stdout + stderr, `${place} answered with ${name}`).not.toMatch(defect);
      }
    }
    if (words.includes('destroy') || words.includes('adopt')) await deploy();
  });
});

function requestText({ method, path, query }: ProxiedRequest): string {
  return `${method} ${path}${query.has('dryRun') ? ' dry' : ''}`;
}
