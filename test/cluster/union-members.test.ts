import type { PlannedObject } from 'fieldwise/deploy';
import { describe, expect, test } from 'vitest';
import { connect, undoForcedConflicts } from '../../src/entry/deploy.js';
import type { ResponseBody } from '../harness/api-client.js';
import { eventsOf } from '../harness/events.js';
import type { ProxiedRequest } from '../harness/interception-proxy.js';
import { ownersOf } from '../harness/managed-fields.js';
import { own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { noTerminal } from '../harness/terminal.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('unions');

const pod = (more: object = {}) => ({ containers: [{ name: 'app', image: 'registry.example.com/app:1' }], ...more });
const workload = (kind: string, name: string, spec: object = {}, podSpec: object = pod()) => ({
  ...testEnvironment.ref('apps/v1', kind, name),
  spec: { selector: { matchLabels: { app: name } }, template: { metadata: { labels: { app: name } }, spec: podSpec }, ...spec },
});
const write = (project: Project, object: object, policy?: object) =>
  project.write({ 'main.ts': testEnvironment.text({ main: [own(object, policy)] }) });
const planOf = async (project: Project, ...args: string[]) => {
  const { events, stderr } = await project.run(['diff', '-o', 'json', ...args]);
  const plan = eventsOf(events, 'plan')[0];
  if (plan === undefined) throw new Error(stderr);
  return plan;
};
const shownOf = ({ fields }: PlannedObject) => fields.filter(({ change }) => change !== 'same');
const recreate = { strategy: { type: 'Recreate' } };
const rolling = { maxSurge: '25%', maxUnavailable: '25%' };

/** The replacement of a default, and its path afterwards. */
const defaults = [
  {
    name: 'strategy',
    before: workload('Deployment', 'strategy'),
    after: workload('Deployment', 'strategy', recreate),
    released: [
      { field: '.spec.strategy.rollingUpdate.maxSurge', change: 'removed', oldValue: '25%' },
      { field: '.spec.strategy.rollingUpdate.maxUnavailable', change: 'removed', oldValue: '25%' },
    ],
    left: (live: ResponseBody) => live.spec.strategy,
    expected: { type: 'Recreate' },
  },
  {
    name: 'update-strategy',
    before: workload('StatefulSet', 'update-strategy', { serviceName: 'x' }),
    after: workload('StatefulSet', 'update-strategy', { serviceName: 'x', updateStrategy: { type: 'OnDelete' } }),
    released: [{ field: '.spec.updateStrategy.rollingUpdate.partition', change: 'removed', oldValue: 0 }],
    left: (live: ResponseBody) => live.spec.updateStrategy,
    expected: { type: 'OnDelete' },
  },
  {
    name: 'volume',
    before: workload('Deployment', 'volume', {}, pod({ volumes: [{ name: 'data' }] })),
    after: workload(
      'Deployment',
      'volume',
      {},
      pod({
        volumes: [
          { name: 'new', emptyDir: {} },
          { name: 'data', configMap: { name: 'x' } },
        ],
      }),
    ),
    released: [{ field: '.spec.template.spec.volumes[name="data"].emptyDir', change: 'removed', oldValue: {} }],
    left: (live: ResponseBody) => live.spec.template.spec.volumes.find(({ name }: ResponseBody) => name === 'data'),
    expected: { name: 'data', configMap: { name: 'x', defaultMode: 420 } },
  },
];

describe('a member of a union that the server filled in', () => {
  test.each(defaults)('$name: planned by the server and offline as the deploy reports it, field by field', async (trap) => {
    const project = testEnvironment.program({ main: [own(trap.before)] });
    expect((await project.deploy()).exitCode).toBe(0);
    const created = await testEnvironment.cluster.get(trap.before);
    write(project, trap.after);
    const plans: ResponseBody[][] = [];
    for (const plan of [await planOf(project), await planOf(project, '--read-only')]) {
      expect(plan).toMatchObject({ action: 'update' });
      plans.push(plan.fields.filter(({ change }) => change === 'removed'));
    }
    expect(await testEnvironment.cluster.get(trap.before)).toEqual(created);

    const report = await project.deploy();
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only()).toMatchObject({ result: 'updated', forcedConflicts: [] });
    expect(report.only().released).toEqual(trap.released);
    const reason = 'a default of the server is incompatible with the intent; it is claimed, then released';
    for (const removed of plans) expect(removed).toEqual(trap.released.map((field) => ({ ...field, reason })));
    const live = await testEnvironment.cluster.get(trap.before);
    expect(trap.left(live)).toEqual(trap.expected);
    expect(live.metadata.uid).toBe(created.metadata.uid);
    const again = await project.deploy();
    expect(again.only()).toMatchObject({ result: 'unchanged' });
    expect(await testEnvironment.cluster.get(trap.before)).toEqual(live);
  });

  test('the part that an Update manager has in a default ends; the rest stays its own', async () => {
    const object = workload('Deployment', 'by-update');
    await testEnvironment.cluster.create('script', object);
    const before = await testEnvironment.cluster.owners(object);
    expect(before['script (Update)']).toContain('.spec.strategy.rollingUpdate.maxSurge');
    const project = testEnvironment.program({ main: [own({ ...object, spec: { ...object.spec, ...recreate } })] });
    const plan = await planOf(project);
    expect(shownOf(plan).filter(({ field }) => field.startsWith('.spec.strategy'))).toMatchObject([
      { field: '.spec.strategy.type', change: 'force', oldValue: 'RollingUpdate', newValue: 'Recreate' },
      { field: '.spec.strategy.rollingUpdate.maxSurge', change: 'removed', oldValue: '25%' },
      { field: '.spec.strategy.rollingUpdate.maxUnavailable', change: 'removed', oldValue: '25%' },
    ]);
    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only().forcedConflicts).toMatchObject([{ field: '.spec.strategy.type', from: 'script' }]);
    const live = await testEnvironment.cluster.get(object);
    expect(live.spec.strategy).toEqual({ type: 'Recreate' });
    expect((await testEnvironment.cluster.owners(object))['script (Update)']).toEqual(
      before['script (Update)']?.filter((field) => !field.startsWith('.spec.strategy')),
    );
  });
});

describe("a member of a union that is somebody's", () => {
  const mounted = (name: string, source: object) => workload('Deployment', name, {}, pod({ volumes: [{ name: 'data', ...source }] }));
  const program = async (name: string, policy?: object) => {
    const project = testEnvironment.program({ main: [own(workload('Deployment', name), policy)] });
    expect((await project.deploy()).exitCode).toBe(0);
    return project;
  };
  const memory = { emptyDir: { medium: 'Memory' } };
  const chosen = { configMap: { name: 'x' } };
  const sourceOf = (live: ResponseBody) => Object.keys(live.spec.template.spec.volumes[0]).filter((name) => name !== 'name');

  test.each([
    {
      by: 'an Update manager',
      set: (name: string) => testEnvironment.cluster.patch('person', mounted(name, {}), mounted(name, memory), 'strategic'),
    },
    { by: 'an applier', set: (name: string) => testEnvironment.cluster.apply('person', mounted(name, memory), { force: true }) },
  ])('of $by: taken with a yes, and reported; without it nothing is changed', async ({ by, set }) => {
    const name = by.replaceAll(/\W/g, '-').toLowerCase();
    const project = await program(name);
    await set(name);
    write(project, mounted(name, chosen));
    const before = await testEnvironment.cluster.get(mounted(name, {}));
    const plan = await planOf(project);
    const member = '.spec.template.spec.volumes[name="data"].emptyDir';
    expect(plan).toMatchObject({ action: 'update' });
    expect(plan.fields.filter(({ change }) => change === 'force')).toMatchObject([
      { field: member, oldValue: { medium: 'Memory' }, owners: [{ manager: 'person' }] },
    ]);
    const refused = await project.deploy();
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain(`${member} of person`);
    expect(await testEnvironment.cluster.get(mounted(name, {}))).toEqual(before);

    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only().forcedConflicts).toMatchObject([{ field: member, from: 'person', oldValue: { medium: 'Memory' } }]);
    const live = await testEnvironment.cluster.get(mounted(name, {}));
    expect(sourceOf(live)).toEqual(['configMap']);
    const left = (await testEnvironment.cluster.owners(mounted(name, {})))[by === 'an applier' ? 'person' : 'person (Update)'];
    expect(left?.some((field) => field.includes('emptyDir'))).toBe(false);
    expect(left).toContain('.spec.template.spec.volumes[name="data"].name');
  });

  const container = (more: object) => pod({ containers: [{ name: 'app', image: 'registry.example.com/app:1', ...more }] });
  test.each([
    {
      name: 'probe',
      theirs: { livenessProbe: { exec: { command: ['true'] } } },
      ours: { livenessProbe: { httpGet: { port: 80 } } },
      member: '.spec.template.spec.containers[name="app"].livenessProbe.exec',
      left: ({ livenessProbe }: ResponseBody) => [livenessProbe.exec, livenessProbe.httpGet.port],
      expected: [undefined, 80],
    },
    {
      name: 'environment',
      theirs: { env: [{ name: 'MODE', value: 'x' }] },
      ours: { env: [{ name: 'MODE', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] },
      member: '.spec.template.spec.containers[name="app"].env[name="MODE"].value',
      left: ({ env }: ResponseBody) => Object.keys(env[0]).sort(),
      expected: ['name', 'valueFrom'],
    },
  ])('in a container: $name', async ({ name, theirs, ours, member, left, expected }) => {
    const project = await program(name);
    const of = (more: object) => workload('Deployment', name, {}, container(more));
    await testEnvironment.cluster.patch('person', of({}), of(theirs), 'strategic');
    write(project, of(ours));
    expect((await project.deploy()).exitCode).toBe(2);
    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only().forcedConflicts).toMatchObject([{ field: member, from: 'person' }]);
    expect(left((await testEnvironment.cluster.get(of({}))).spec.template.spec.containers[0])).toEqual(expected);
  });

  test.each(['fail', 'yield'])('under the policy %s it is a conflict, in the plan and in the deploy', async (conflicts) => {
    const name = `by-policy-${conflicts}`;
    const project = await program(name, { conflicts });
    await testEnvironment.cluster.patch('person', mounted(name, {}), mounted(name, memory), 'strategic');
    write(project, mounted(name, chosen), { conflicts });
    const before = await testEnvironment.cluster.get(mounted(name, {}));
    expect(await planOf(project)).toMatchObject({ action: 'blocked', fields: [{ change: 'conflict' }] });
    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(5);
    expect(report.only()).toMatchObject({ result: 'conflict', conflicts: [{ from: 'person' }] });
    expect(await testEnvironment.cluster.get(mounted(name, {}))).toEqual(before);
  });

  test('what the conflict says helps, also where the policy is yield already', async () => {
    const conflicts = 'yield';
    const project = await program('hint', { conflicts });
    const field = 'spec.template.spec.volumes[name="data"].emptyDir';
    await testEnvironment.cluster.patch('person', mounted('hint', {}), mounted('hint', memory), 'strategic');
    write(project, mounted('hint', chosen), { conflicts });
    const { stdout } = await project.run(['deploy', '--yes']);
    expect(stdout).toContain(`The server rejects .${field} together with a declared field, so it cannot be left to its owner`);
    expect(stdout).toContain(`remove it in person, stop declaring the other field, or set the policy of ${field} to force.`);
    expect(stdout).not.toContain('yield');
    write(project, mounted('hint', chosen), { conflicts, fields: { [field]: { conflicts: 'force' } } });
    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only().forcedConflicts).toMatchObject([{ field: `.${field}`, from: 'person' }]);
    expect(sourceOf(await testEnvironment.cluster.get(mounted('hint', {})))).toEqual(['configMap']);
  });

  test('an intent that is invalid for more than that leaves the owners as they were', async () => {
    const project = await program('more');
    await testEnvironment.cluster.patch('person', mounted('more', {}), mounted('more', memory), 'strategic');
    const wrong = mounted('more', chosen);
    write(project, { ...wrong, spec: { ...wrong.spec, ...recreate, replicas: -1 } });
    const before = await testEnvironment.cluster.get(mounted('more', {}));
    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(4);
    expect(report.only().error?.message).toContain('.spec.replicas');
    const after = await testEnvironment.cluster.get(mounted('more', {}));
    expect(after.spec).toEqual(before.spec);
    expect(await testEnvironment.cluster.owners(mounted('more', {}))).toEqual(ownersOf(before));
  });
});

/** Picks the n-th request that changed a Deployment. */
function nthChange(name: string, n: number): (request: ProxiedRequest) => boolean {
  let changes = 0;
  return ({ method, path, query, status }) =>
    method === 'PATCH' && path.endsWith(`/deployments/${name}`) && !query.has('dryRun') && status < 300 && ++changes === n;
}

describe('killed between the requests', () => {
  const strategyOf = (fields: readonly string[] = []) => fields.filter((field) => field.startsWith('.spec.strategy'));
  const claimed = ['.spec.strategy.rollingUpdate.maxSurge', '.spec.strategy.rollingUpdate.maxUnavailable'];
  const created = [...claimed, '.spec.strategy.type'];

  test.each([
    { after: 'the claim', n: 1, ours: claimed, theirs: created, value: { type: 'RollingUpdate', rollingUpdate: rolling } },
    {
      after: 'the end of the other part',
      n: 2,
      ours: claimed,
      theirs: ['.spec.strategy.type'],
      value: { type: 'RollingUpdate', rollingUpdate: rolling },
    },
    { after: 'the intent', n: 3, ours: ['.spec.strategy.type'], theirs: [], value: { type: 'Recreate' } },
  ])('after $after: no value is lost, and the next deploy ends where it would have ended', async ({ n, ours, theirs, value }) => {
    const name = `killed-${n}`;
    const object = workload('Deployment', name);
    await testEnvironment.cluster.create('script', object);
    const project = testEnvironment.program({ main: [share({ ...object, spec: { ...object.spec, ...recreate } })] });
    const killed = await testEnvironment.killRun((options) => project.run(['deploy', '--yes'], options), nthChange(name, n));
    expect(killed).toBe(true);
    const between = await testEnvironment.cluster.get(object);
    expect(between.spec.strategy).toEqual(value);
    const owners = await testEnvironment.cluster.owners(object);
    expect(strategyOf(owners[project.manager('main')])).toEqual(ours);
    expect(strategyOf(owners['script (Update)'])).toEqual(theirs);

    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    expect((await testEnvironment.cluster.get(object)).spec.strategy).toEqual({ type: 'Recreate' });
    expect(strategyOf((await testEnvironment.cluster.owners(object))[project.manager('main')])).toEqual(['.spec.strategy.type']);
  });

  test('after the claim, and the program goes back: the default comes back, and nothing stays claimed', async () => {
    const object = workload('Deployment', 'back');
    const project = testEnvironment.program({ main: [own(object)] });
    expect((await project.deploy()).exitCode).toBe(0);
    write(project, { ...object, spec: { ...object.spec, ...recreate } });
    expect(await testEnvironment.killRun((options) => project.run(['deploy'], options), nthChange('back', 1))).toBe(true);
    expect(strategyOf((await testEnvironment.cluster.owners(object))[project.manager('main')])).toEqual(claimed);
    write(project, object);
    const report = await project.deploy();
    expect(report.exitCode, String(report)).toBe(0);
    expect((await testEnvironment.cluster.get(object)).spec.strategy).toEqual({ type: 'RollingUpdate', rollingUpdate: rolling });
    expect(strategyOf((await testEnvironment.cluster.owners(object))[project.manager('main')])).toEqual([]);
  });

  test.each([
    { releases: 'ask', found: 'own', n: 1 },
    { releases: 'fail', found: 'own', n: 1 },
    { releases: 'fail', found: 'shared', n: 1 },
    { releases: 'fail', found: 'shared', n: 2 },
  ])('$found, under releases: $releases, change $n: what is only claimed is still no release', async ({ releases, found, n }) => {
    const name = `claimed-${found}-${releases}-${n}`;
    const object = workload('Deployment', name);
    const declare = found === 'own' ? own : share;
    const project = testEnvironment.program({ main: [declare(object, { releases })] });
    if (found === 'own') expect((await project.deploy()).exitCode).toBe(0);
    else await testEnvironment.cluster.create('script', object);
    project.write({ 'main.ts': testEnvironment.text({ main: [declare(workload('Deployment', name, recreate), { releases })] }) });
    const args = found === 'own' ? [] : ['--yes'];
    expect(await testEnvironment.killRun((options) => project.run(['deploy', ...args], options), nthChange(name, n))).toBe(true);
    expect(strategyOf((await testEnvironment.cluster.owners(object))[project.manager('main')])).toEqual(claimed);

    for (const how of [[], ['--read-only']]) expect(await planOf(project, ...how)).toMatchObject({ action: 'update' });
    const report = await project.deploy(args);
    expect(report.exitCode, String(report)).toBe(0);
    expect((await testEnvironment.cluster.get(object)).spec.strategy).toEqual({ type: 'Recreate' });
    expect(strategyOf((await testEnvironment.cluster.owners(object))[project.manager('main')])).toEqual(['.spec.strategy.type']);
  });

  const surging = { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 2 } } };
  const isInventory = ({ method, path, status }: ProxiedRequest) => method !== 'GET' && path.includes('/configmaps') && status < 300;
  test.each([
    { before: 'ask', after: 'ask', exitCode: 2 },
    { before: 'ask', after: 'fail', exitCode: 4 },
    { before: 'report', after: 'fail', exitCode: 4 },
  ])('what the stack declared of it is a release also after a kill: $before, then $after', async ({ before, after, exitCode }) => {
    const name = `declared-${before}-${after}`;
    const project = testEnvironment.program({ main: [own(workload('Deployment', name, surging), { releases: before })] });
    expect((await project.deploy()).exitCode).toBe(0);
    write(project, workload('Deployment', name, recreate), { releases: before });
    expect(await testEnvironment.killRun((options) => project.run(['deploy', '--yes'], options), isInventory)).toBe(true);
    write(project, workload('Deployment', name, recreate), { releases: after });
    const live = await testEnvironment.cluster.get(workload('Deployment', name));
    const refused = await project.deploy();
    expect(refused.exitCode, String(refused)).toBe(exitCode);
    expect(String(refused)).toContain('.spec.strategy.rollingUpdate.maxSurge');
    expect(await testEnvironment.cluster.get(workload('Deployment', name))).toEqual(live);
  });
});

describe("somebody's member, where the intent is as it was deployed", () => {
  const chosen = (name: string) => workload('Deployment', name, recreate);
  const theirs = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 3 } };
  const ofPerson = { field: '.spec.strategy.rollingUpdate', from: 'person', oldValue: { maxSurge: 3, maxUnavailable: '25%' } };
  const strategyOf = async (name: string) => (await testEnvironment.cluster.get(chosen(name))).spec.strategy;
  const deployed = async (name: string, policy?: object) => {
    const project = testEnvironment.program({ main: [own(chosen(name), policy)] });
    expect((await project.deploy()).exitCode).toBe(0);
    await testEnvironment.cluster.patch('person', chosen(name), { spec: { strategy: theirs } });
    return project;
  };
  const taken = { result: 'updated', forcedConflicts: [ofPerson, { field: '.spec.strategy.type', from: 'person' }] };

  test.each([
    { name: 'full', args: ['--yes'] },
    { name: 'changed', args: ['--yes', '--reconcile', 'changed'] },
  ])('with --yes it is taken, and reported; reconcile: $name', async ({ name, args }) => {
    const project = await deployed(`reconcile-${name}`);
    const report = await project.deploy(args);
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only()).toMatchObject(taken);
    expect(await strategyOf(`reconcile-${name}`)).toEqual({ type: 'Recreate' });
  });

  test('without a yes the run fails; the next one asks before it writes, and takes it with a yes', async () => {
    const project = await deployed('asked-next');
    const first = await project.deploy();
    expect(first.exitCode).toBe(4);
    expect(first.only()).toMatchObject({ result: 'failed', error: { code: 'union-member-owned' } });
    const before = await testEnvironment.cluster.get(chosen('asked-next'));
    const second = await project.deploy();
    expect(second.exitCode).toBe(2);
    expect(second.stderr).toContain('.spec.strategy.rollingUpdate of person');
    expect(await testEnvironment.cluster.get(chosen('asked-next'))).toEqual(before);
    const third = await project.deploy(['--yes']);
    expect(third.exitCode, String(third)).toBe(0);
    expect(third.only()).toMatchObject(taken);
    expect(await strategyOf('asked-next')).toEqual({ type: 'Recreate' });
    expect((await project.deploy()).only()).toMatchObject({ result: 'unchanged' });
  });

  test.skipIf(noTerminal !== undefined)('at a terminal the second run asks, and a yes is enough', async () => {
    const project = await deployed('at-terminal');
    expect((await project.deploy()).exitCode).toBe(4);
    const run = await project.runAtTerminal(['deploy', '--no-wait'], ['y\r']);
    expect(run.exitCode, run.screen).toBe(0);
    expect(run.screen).toContain('.spec.strategy.rollingUpdate of person');
    expect(await strategyOf('at-terminal')).toEqual({ type: 'Recreate' });
  });

  test('drift --repair --yes takes it', async () => {
    const project = await deployed('repaired');
    const report = await project.run(['drift', '--repair', '--yes']);
    expect(report.exitCode, String(report.stderr)).toBe(0);
    expect(await strategyOf('repaired')).toEqual({ type: 'Recreate' });
  });

  test('a saved plan that shows the takes is a yes', async () => {
    const project = await deployed('planned');
    expect((await project.run(['diff', '--output-file', 'plan=plan.json'])).exitCode).toBe(0);
    const report = await project.deploy(['--plan', 'plan.json']);
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only()).toMatchObject(taken);
    expect(await strategyOf('planned')).toEqual({ type: 'Recreate' });
  });

  test('where only the policy changes from yield to force: planned, then taken', async () => {
    const project = await deployed('policy', { conflicts: 'yield' });
    write(project, chosen('policy'), { conflicts: 'force' });
    expect((await project.run(['diff', '--output-file', 'plan=plan.json'])).exitCode).toBe(0);
    const refused = await project.deploy();
    expect(refused.only()).toMatchObject({ result: 'failed', error: { code: 'union-member-owned' } });
    const report = await project.deploy(['--plan', 'plan.json']);
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only()).toMatchObject(taken);
    expect(await strategyOf('policy')).toEqual({ type: 'Recreate' });
  });

  test('undoForcedConflicts restores the member together with the field that chooses it', async () => {
    const project = await deployed('undone');
    const deploy = await project.deploy(['--yes', '--output-file', 'report=report.json']);
    expect(deploy.exitCode, String(deploy)).toBe(0);
    const undone = await undo(project);
    expect(undone).toMatchObject([
      { field: '.spec.strategy.rollingUpdate', to: 'person', undone: true },
      { field: '.spec.strategy.type', to: 'person', undone: true },
    ]);
    expect(await strategyOf('undone')).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxSurge: 3, maxUnavailable: '25%' } });
    const owners = await testEnvironment.cluster.owners(chosen('undone'));
    expect(owners['person (Update)']).toEqual([
      '.spec.strategy.rollingUpdate.maxSurge',
      '.spec.strategy.rollingUpdate.maxUnavailable',
      '.spec.strategy.type',
    ]);
  });

  test('undoForcedConflicts does not restore a member that the server rejects beside the current fields, and reports it', async () => {
    const of = (more: object) => workload('Deployment', 'undone-not', {}, pod({ volumes: [{ name: 'data', ...more }] }));
    const memory = { emptyDir: { medium: 'Memory' } };
    const project = testEnvironment.program({ main: [own(workload('Deployment', 'undone-not'))] });
    expect((await project.deploy()).exitCode).toBe(0);
    await testEnvironment.cluster.patch('person', of({}), of(memory), 'strategic');
    write(project, of({ configMap: { name: 'x' } }));
    expect((await project.deploy(['--yes', '--output-file', 'report=report.json'])).exitCode).toBe(0);
    const before = await testEnvironment.cluster.get(of({}));
    expect(await undo(project)).toMatchObject([
      {
        field: '.spec.template.spec.volumes[name="data"].emptyDir',
        undone: false,
        reason: expect.stringContaining('the server rejects it beside the current fields: '),
      },
    ]);
    expect(await testEnvironment.cluster.get(of({}))).toEqual(before);
  });

  const undo = async (project: Project) => {
    const cluster = await connect({ kubeconfig: testEnvironment.kubeconfig });
    return undoForcedConflicts(JSON.parse(project.read('report.json')), cluster).finally(() => cluster.close());
  };
});

describe('the policy for releases', () => {
  test.each(['ask', 'fail'])('under %s a default that is claimed only to be dropped is not a release', async (releases) => {
    const name = `releases-${releases}`;
    const project = testEnvironment.program({ main: [own(workload('Deployment', name), { releases })] });
    expect((await project.deploy()).exitCode).toBe(0);
    write(project, workload('Deployment', name, recreate), { releases });
    expect(await planOf(project)).toMatchObject({ action: 'update' });
    const report = await project.deploy();
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only()).toMatchObject({ result: 'updated' });
    expect((await testEnvironment.cluster.get(workload('Deployment', name))).spec.strategy).toEqual({ type: 'Recreate' });
    expect((await project.deploy()).only()).toMatchObject({ result: 'unchanged' });
  });

  test.each(['ask', 'fail'])('under %s what the stack owned of it before is one, and nothing is claimed', async (releases) => {
    const name = `owned-${releases}`;
    const surging = { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 2 } } };
    const project = testEnvironment.program({ main: [own(workload('Deployment', name, surging), { releases })] });
    expect((await project.deploy()).exitCode).toBe(0);
    write(project, workload('Deployment', name, recreate), { releases });
    const before = await testEnvironment.cluster.get(workload('Deployment', name));
    const refused = await project.deploy();
    expect(refused.exitCode).toBe(releases === 'ask' ? 2 : 4);
    expect(String(refused)).toContain('.spec.strategy.rollingUpdate.maxSurge');
    expect(await testEnvironment.cluster.get(workload('Deployment', name))).toEqual(before);
  });

  test.skipIf(noTerminal !== undefined)('a yes to what the stack owned of it is enough for what is claimed beside it', async () => {
    const surging = { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 2 } } };
    const project = testEnvironment.program({ main: [own(workload('Deployment', 'owned-yes', surging), { releases: 'ask' })] });
    expect((await project.deploy()).exitCode).toBe(0);
    write(project, workload('Deployment', 'owned-yes', recreate), { releases: 'ask' });
    const run = await project.runAtTerminal(['deploy', '--no-wait'], ['y\r']);
    expect(run.exitCode, run.screen).toBe(0);
    expect((await testEnvironment.cluster.get(workload('Deployment', 'owned-yes'))).spec.strategy).toEqual({ type: 'Recreate' });
  });
});
