import { expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import { eventsOf } from '../harness/events.js';
import { own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('refused');

const ref = (name: string) => testEnvironment.ref('v1', 'ConfigMap', name);
const config = (name: string, data: object = { a: '1' }) => own({ ...ref(name), data });
const edit = (project: Project, stacks: Parameters<typeof testEnvironment.text>[0]) =>
  project.write({ 'main.ts': testEnvironment.text(stacks) });

/** A run that asks, in a project whose app has its own name: the words of the command, and every object it would have worked on. */
interface Refused {
  readonly how: string;
  readonly make: () => Promise<Project>;
  readonly words: readonly string[];
  readonly code?: string;
  readonly asks: RegExp;
  readonly started: object;
  readonly skipped: readonly string[];
}

const deployed = async (stacks: Parameters<typeof testEnvironment.program>[0]) => {
  const project = testEnvironment.program(stacks);
  expect((await project.deploy(['--yes'])).exitCode).toBe(0);
  return project;
};

const runs: readonly Refused[] = [
  {
    how: 'a first deploy that takes fields',
    make: async () => {
      await testEnvironment.cluster.apply('other', { ...ref('taken'), data: { a: 'theirs' } });
      return testEnvironment.program({ main: [share({ ...ref('taken'), data: { a: '1' } }), config('beside')] });
    },
    words: ['deploy'],
    asks: /force fields of others:\s+ConfigMap \S+\/taken \.data\.a of other/,
    started: { verb: 'deploy', stacks: ['main'], objects: 2 },
    skipped: ['beside', 'taken'],
  },
  {
    how: 'a deploy that prunes',
    make: async () => {
      const project = await deployed({ main: [config('kept'), config('pruned')] });
      edit(project, { main: [config('kept')] });
      return project;
    },
    words: ['deploy'],
    asks: /delete ConfigMap \S+\/pruned/,
    started: { verb: 'deploy', stacks: ['main'], objects: 1 },
    skipped: ['kept', 'pruned'],
  },
  {
    how: '--prune-stacks',
    make: async () => {
      const project = await deployed({ main: [config('stays')], old: [config('left')] });
      edit(project, { main: [config('stays')] });
      return project;
    },
    words: ['deploy', '--prune-stacks'],
    asks: /destroy stack old, which the program does not declare:\s+delete ConfigMap \S+\/left/,
    started: { verb: 'deploy', stacks: ['main'], objects: 1 },
    skipped: ['left', 'stays'],
  },
  {
    how: '--prune-stacks of some stacks',
    make: () => deployed({ main: [config('some')] }),
    words: ['deploy', 'main', '--prune-stacks'],
    code: 'flag-without-use',
    asks: /`--prune-stacks` applies to all stacks of the program/,
    started: { verb: 'deploy', stacks: ['main'], objects: 1 },
    skipped: ['some'],
  },
  {
    how: 'destroy',
    make: () => deployed({ main: [config('one'), config('two')] }),
    words: ['destroy'],
    asks: /destroy stack main of .*:\s+delete ConfigMap \S+\/one,?\s+delete ConfigMap \S+\/two/,
    started: { verb: 'destroy', stacks: ['main'], objects: 2 },
    skipped: ['one', 'two'],
  },
];

test.each(runs)('$how that is refused tells all objects as skipped and sums up, in events and report', async (run) => {
  const { make, words, code = 'confirmation-needed', asks, started, skipped } = run;
  const project = await make();
  const before = await Promise.all(skipped.map((name) => testEnvironment.cluster.find(ref(name))));

  const { exitCode, events, stderr } = await project.run([...words, '-o', 'json', '--output-file', 'report=report.json']);
  expect(exitCode).toBe(2);
  expect(events[0]).toMatchObject({ event: 'started', ...started });
  const refusal = eventsOf(events, 'refused')[0];
  expect(refusal).toMatchObject({ error: { code, message: expect.stringMatching(asks), next: expect.any(String) } });
  const objects = eventsOf(events, 'object');
  expect(objects.map(({ name }) => name).sort()).toEqual(skipped);
  for (const object of objects) expect(object).toMatchObject({ result: 'skipped', reason: expect.any(String), forcedConflicts: [] });
  const summary = { event: 'summary', counts: { skipped: skipped.length }, ok: false, exitCode: 2, errors: [refusal?.error] };
  expect(events.at(-1)).toMatchObject(summary);
  expect(stderr.match(asks), stderr).toHaveLength(1);
  expect(stderr).toContain(`[${code}]`);
  expect(JSON.parse(project.read('report.json'))).toMatchObject({ fieldwise: 1, ...withoutCount(started), objects, summary });

  for (const quiet of [[], ['--quiet']]) {
    const person = await project.run([...words, ...quiet]);
    expect(person.exitCode).toBe(2);
    expect(person.stderr.split(`[${code}]`), person.stderr).toHaveLength(2);
    expect(person.stderr.match(new RegExp(asks, 'g')), person.stderr).toHaveLength(1);
    expect(person.stdout).toContain(`not done: ${skipped.length} skipped`);
  }
  expect(await Promise.all(skipped.map((name) => testEnvironment.cluster.find(ref(name))))).toEqual(before);
});

/** The part of the first event that a report contains. */
function withoutCount({ objects: _, ...rest }: ResponseBody) {
  return rest;
}

test('an adoption that nobody confirms is reported object by object', async () => {
  await testEnvironment.cluster.create('kubectl-create', { ...ref('adopted'), data: { a: '1' } });
  const project = await deployed({ main: [share({ ...ref('adopted'), data: { a: '1' } })] });
  const { exitCode, events, stderr } = await project.run(['adopt', '-o', 'json']);
  expect(exitCode).toBe(2);
  expect(events).toMatchObject([
    { event: 'refused', error: { code: 'confirmation-needed', next: expect.any(String) } },
    {
      event: 'adoption',
      result: 'skipped',
      reason: 'not confirmed',
      transfers: [{ from: 'kubectl-create (Update)', fields: ['.data.a'] }],
    },
  ]);
  expect(stderr.match(/confirmation-needed/g)).toHaveLength(1);
});

test('a refusal names twenty objects of a question, and its event all of them', async () => {
  const names = Array.from({ length: 25 }, (_, index) => `many-${String(index).padStart(2, '0')}`);
  const project = await deployed({ main: names.map((name) => config(name)) });
  const { events, stderr } = await project.run(['destroy', '-o', 'json']);
  const refusal = eventsOf(events, 'refused')[0]?.error;
  expect(stderr.match(/many-\d\d/g)).toHaveLength(20);
  expect(refusal?.message).toMatch(/ and 5 more$/);
  const all = names.map((name) => `delete ConfigMap ${testEnvironment.namespace}/${name}`);
  expect(refusal?.questions).toEqual([{ text: expect.stringContaining('destroy stack main of '), objects: all }]);
});

test.each(['deploy', 'destroy'])('nothing follows the summary of a refused %s, not even what gives up the locks', async (verb) => {
  const project = await deployed({ main: [config(`last-${verb}`), config('beside-last')] });
  edit(project, { main: [config('beside-last')] });
  const proxy = await testEnvironment.proxy();
  let asked = 0;
  proxy.onRequest = ({ path, body }) => {
    const isRelease = path.includes('/leases/') && body?.spec?.holderIdentity === '';
    return isRelease && asked++ === 0 ? { status: 503, body: {} } : undefined;
  };
  const { events, exitCode } = await project.run([verb, '-o', 'json'], { kubeconfig: proxy.kubeconfig });
  expect(exitCode).toBe(2);
  expect(asked).toBe(2);
  const order = events.map(({ event }) => event);
  expect(order).toContain('retrying');
  expect(order.at(-1)).toBe('summary');
});
