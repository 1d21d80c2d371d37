import { describe, expect, test } from 'vitest';
import type { Answered } from '../harness/api-client.js';
import { Ground } from '../harness/ground.js';
import { own } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';

const ground = await Ground.fresh('unions');

const pod = (more: object = {}) => ({ containers: [{ name: 'app', image: 'registry.example.com/app:1' }], ...more });
const workload = (kind: string, name: string, spec: object = {}, podSpec: object = pod()) => ({
  ...ground.ref('apps/v1', kind, name),
  spec: { selector: { matchLabels: { app: name } }, template: { metadata: { labels: { app: name } }, spec: podSpec }, ...spec },
});
const write = (project: Project, object: object, policy?: object) =>
  project.write({ 'main.ts': ground.text({ main: [own(object, policy)] }) });
const planOf = async (project: Project, ...args: string[]) => {
  const { events, stderr } = await project.run(['diff', '--json', ...args]);
  const plan = events.find(({ event }: Answered) => event === 'plan');
  if (plan === undefined) throw new Error(stderr);
  return plan;
};
const shownOf = ({ fields }: Answered) => fields.filter(({ change }: Answered) => change !== 'same');
const recreate = { strategy: { type: 'Recreate' } };
const rolling = { maxSurge: '25%', maxUnavailable: '25%' };

/** What a default is replaced by, and where it is afterwards. */
const defaults = [
  {
    name: 'strategy',
    before: workload('Deployment', 'strategy'),
    after: workload('Deployment', 'strategy', recreate),
    member: '.spec.strategy.rollingUpdate',
    left: (live: Answered) => live.spec.strategy,
    expected: { type: 'Recreate' },
  },
  {
    name: 'update-strategy',
    before: workload('StatefulSet', 'update-strategy', { serviceName: 'x' }),
    after: workload('StatefulSet', 'update-strategy', { serviceName: 'x', updateStrategy: { type: 'OnDelete' } }),
    member: '.spec.updateStrategy.rollingUpdate',
    left: (live: Answered) => live.spec.updateStrategy,
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
    member: '.spec.template.spec.volumes[name="data"].emptyDir',
    left: (live: Answered) => live.spec.template.spec.volumes.find(({ name }: Answered) => name === 'data'),
    expected: { name: 'data', configMap: { name: 'x', defaultMode: 420 } },
  },
];

describe('a member of a union that the server filled in', () => {
  test.each(defaults)('$name: planned as one line, by the server and offline, and released by the deploy', async (trap) => {
    const project = ground.program({ main: [own(trap.before)] });
    expect((await project.deploy()).exitCode).toBe(0);
    const created = await ground.cluster.get(trap.before);
    write(project, trap.after);
    for (const plan of [await planOf(project), await planOf(project, '--read-only')]) {
      expect(plan).toMatchObject({ action: 'update' });
      expect(plan.fields.filter(({ change }: Answered) => change === 'removed')).toMatchObject([{ field: trap.member }]);
    }
    expect(await ground.cluster.get(trap.before)).toEqual(created);

    const report = await project.deploy();
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only()).toMatchObject({ result: 'updated', taken: [] });
    const live = await ground.cluster.get(trap.before);
    expect(trap.left(live)).toEqual(trap.expected);
    expect(live.metadata.uid).toBe(created.metadata.uid);
    const again = await project.deploy();
    expect(again.only()).toMatchObject({ result: 'unchanged' });
    expect(await ground.cluster.get(trap.before)).toEqual(live);
  });

  test('the part that an Update manager has in a default ends; the rest stays its own', async () => {
    const object = workload('Deployment', 'by-update');
    await ground.cluster.create('script', object);
    const before = await ground.cluster.owners(object);
    expect(before['script (Update)']).toContain('.spec.strategy.rollingUpdate.maxSurge');
    const project = ground.program({ main: [own({ ...object, spec: { ...object.spec, ...recreate } })] });
    const plan = await planOf(project);
    expect(shownOf(plan).filter(({ field }: Answered) => field.startsWith('.spec.strategy'))).toMatchObject([
      { field: '.spec.strategy.type', change: 'take', oldValue: 'RollingUpdate', newValue: 'Recreate' },
      { field: '.spec.strategy.rollingUpdate', change: 'removed', oldValue: rolling },
    ]);
    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only().taken).toMatchObject([{ field: '.spec.strategy.type', from: 'script' }]);
    const live = await ground.cluster.get(object);
    expect(live.spec.strategy).toEqual({ type: 'Recreate' });
    expect((await ground.cluster.owners(object))['script (Update)']).toEqual(
      before['script (Update)']?.filter((field) => !field.startsWith('.spec.strategy')),
    );
  });
});
