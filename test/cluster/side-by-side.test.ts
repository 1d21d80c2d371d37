import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ref } from '../harness/cluster.js';
import type { Report } from '../harness/project.js';
import { TestEnvironment, waitForNextSecond } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('side-by-side');

/** As many as `SIDE_BY_SIDE_ROUNDS` says; `npm run campaign -- side-by-side` runs fifty. */
const rounds = Number(process.env.SIDE_BY_SIDE_ROUNDS || 3);

/** A program whose stack, objects and values follow from its context. */
const program = `import { App, Stack } from 'fieldwise';
const app = new App();
const who = app.node.getContext('who');
const round = app.node.getContext('round');
const stack = new Stack(app, 'stack-' + who);
for (const part of ['a', 'b', 'c']) {
  stack.own({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: who + '-' + part }, data: { who, round } });
}
`;

/** Each command is a process of its own: what they share is the directory. */
const inProcesses = { asProcess: true };
const everyone = ['one', 'two', 'three'];
const parts = ['a', 'b', 'c'];

test(`3 deploys side by side from one directory, ${rounds} rounds: each applies what its own program declared`, {
  timeout: rounds * 60_000,
}, async () => {
  const project = testEnvironment.program({});
  project.write({ 'main.ts': program });
  for (let round = 1; round <= rounds; round++) {
    const reports = await Promise.all(
      everyone.map(
        async (who): Promise<[string, Report]> => [who, await project.deploy(['-c', `who=${who}`, '-c', `round=${round}`], inProcesses)],
      ),
    );
    for (const [who, report] of reports) {
      expect(report.exitCode, String(report)).toBe(0);
      const expected = parts.map((part) => [`ConfigMap ${testEnvironment.namespace}/${who}-${part}`, round === 1 ? 'created' : 'updated']);
      expect(report.results, `round ${round}`).toEqual(Object.fromEntries(expected));
      for (const part of parts) {
        const live = await testEnvironment.cluster.get(ref('v1', 'ConfigMap', `${who}-${part}`, testEnvironment.namespace));
        expect(live.data).toEqual({ who, round: String(round) });
      }
    }
    expect(readdirSync(project.directory).filter((name) => name.startsWith('.dist'))).toEqual([]);
    await waitForNextSecond();
  }
});

test('synth, diff and deploy of several programs beside each other: each says what its own program declares', async () => {
  const project = testEnvironment.program({});
  project.write({ 'main.ts': program });
  const context = (who: string) => ['-c', `who=plan-${who}`, '-c', 'round=1'];
  const [synthesized, planned, deployed] = await Promise.all([
    project.run(['synth', '-o', 'json', ...context('one')], inProcesses),
    project.run(['diff', '-o', 'json', ...context('two')], inProcesses),
    project.deploy(context('three'), inProcesses),
  ]);
  expect(synthesized.events.filter(({ event }) => event === 'stack').map(({ name }) => name)).toEqual(['stack-plan-one']);
  expect(planned.events.flatMap(({ name }) => (name?.startsWith('plan-') ? [name] : []))).toEqual(parts.map((part) => `plan-two-${part}`));
  expect(Object.keys(deployed.results).sort()).toEqual(parts.map((part) => `ConfigMap ${testEnvironment.namespace}/plan-three-${part}`));
});
