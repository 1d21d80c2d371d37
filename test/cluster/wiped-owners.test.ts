import { describe, expect, test } from 'vitest';
import type { Answered } from '../harness/api-client.js';
import { Ground, nextSecond } from '../harness/ground.js';
import { own } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';

const ground = await Ground.fresh('wiped');

/** What a client does that sends back an object without the part that it does not know. */
const wipe = async (object: Answered) => {
  const live = await ground.cluster.get(object);
  const path = await ground.cluster.path(object);
  const body = { ...live, metadata: { ...live.metadata, managedFields: [{}] } };
  await ground.cluster.client.call('PUT', path, { body, query: { fieldManager: 'careless' } });
};
const write = (project: Project, ...objects: object[]) =>
  project.write({ 'main.ts': ground.text({ main: objects.map((object) => own(object)) }) });
const codesOf = ({ result }: { result: { events: readonly Answered[] } }) =>
  result.events.filter(({ event }) => event === 'warning').map(({ code }) => code);
const findingsOf = async (project: Project) => {
  const { events, exitCode } = await project.run(['doctor', '--objects', '--json']);
  return { exitCode, codes: events.filter(({ event }) => event === 'finding').map(({ code }) => code) };
};

const container = (name: string): Answered => ({
  name,
  image: 'example.com/web:1',
  env: [{ name: 'A', value: '1' }],
  ports: [{ containerPort: 8080, name: `web-${name}` }],
});
const deployment = (name: string, spec: object = {}, containers = [container('c')]) => ({
  ...ground.ref('apps/v1', 'Deployment', name),
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers } },
    ...spec,
  },
});
const deployed = async (object: object) => {
  const project = ground.program({ main: [own(object)] });
  const report = await project.deploy();
  expect(report.exitCode, String(report)).toBe(0);
  await nextSecond();
  return project;
};

describe('managedFields of a Deployment were wiped', () => {
  test.each([
    { how: 'deploy --yes', cure: ['deploy', '--json', '--yes'] },
    { how: 'adopt', cure: ['adopt', '--json', '--yes'] },
  ])('$how really ends it: doctor, deploy and adopt find nothing more, and a container that is dropped goes', async ({ how, cure }) => {
    const name = `ends-${how.replaceAll(/\W+/g, '-')}`;
    const object = deployment(
      name,
      {},
      [container('c'), container('d')].map((one, index) => ({ ...one, ports: [{ ...one.ports[0], containerPort: 8080 + index }] })),
    );
    const project = await deployed(object);
    await wipe(object);
    expect(codesOf(await project.deploy())).toEqual(['owners-wiped']);
    expect((await findingsOf(project)).codes).toEqual(['owners-wiped']);
    expect((await project.run(cure)).exitCode).toBe(0);
    expect(await findingsOf(project)).toEqual({ exitCode: 0, codes: [] });
    expect(codesOf(await project.deploy())).toEqual([]);
    expect((await project.run(['adopt', '--json', '--yes'])).events.filter(({ event }) => event === 'adoption')).toEqual([]);

    write(project, deployment(name));
    const report = await project.deploy();
    expect(report.exitCode, String(report)).toBe(0);
    const { containers } = (await ground.cluster.get(object)).spec.template.spec;
    expect(containers.map(({ name }: Answered) => name)).toEqual(['c']);
  });

  test('a container that is dropped in the run that ends it goes', async () => {
    const object = deployment('drops', {}, [container('c'), { ...container('d'), ports: [] }]);
    const project = await deployed(object);
    await wipe(object);
    await project.deploy();
    write(project, deployment('drops'));
    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    const { containers } = (await ground.cluster.get(object)).spec.template.spec;
    expect(containers.map(({ name }: Answered) => name)).toEqual(['c']);
    expect(await findingsOf(project)).toEqual({ exitCode: 0, codes: [] });
  });

  test('what somebody has set in a container keeps its place in it', async () => {
    const object = deployment('inside');
    const project = await deployed(object);
    const limits = { spec: { template: { spec: { containers: [{ name: 'c', resources: { limits: { cpu: '1' } } }] } } } };
    await ground.cluster.patch('person', object, limits, 'strategic');
    await wipe(object);
    await project.deploy();
    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    const inside = (await ground.cluster.owners(object))['before-first-apply (Update)']?.filter((field) => field.includes('containers'));
    expect(inside).toEqual([
      '.spec.template.spec.containers[name="c"].name',
      `.spec.template.spec.containers[name="c"].resources.limits.cpu`,
    ]);
    expect(await findingsOf(project)).toEqual({ exitCode: 0, codes: [] });
    expect(codesOf(await project.deploy())).toEqual([]);
    expect((await project.run(['adopt', '--json', '--yes'])).events.filter(({ event }) => event === 'adoption')).toEqual([]);
  });

  test('strategy Recreate: the plan says what happens, and the first deploy does it', async () => {
    const object = deployment('recreate');
    const project = await deployed(object);
    await wipe(object);
    write(project, deployment('recreate', { strategy: { type: 'Recreate' } }));
    const plan = await project.run(['diff', '--json']);
    expect(plan.exitCode, plan.stdout).toBe(0);
    const [planned] = plan.events.filter(({ event }) => event === 'plan');
    expect(planned).toMatchObject({ action: 'update' });
    const goes = planned?.fields.filter(({ change }: Answered) => change === 'removed').map(({ field }: Answered) => field);
    expect(goes).toEqual(['.spec.strategy.rollingUpdate.maxSurge', '.spec.strategy.rollingUpdate.maxUnavailable']);
    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    const released = report.only().released?.filter(({ change }: Answered) => change === 'removed');
    expect(released?.map(({ field }: Answered) => field)).toEqual(goes);
    expect((await ground.cluster.get(object)).spec.strategy).toEqual({ type: 'Recreate' });
  });

  test('a rolling update that somebody has set goes with Recreate only after a yes', async () => {
    const object = deployment('surge');
    const project = await deployed(object);
    await ground.cluster.patch('person', object, { spec: { strategy: { rollingUpdate: { maxSurge: 3 } } } }, 'strategic');
    await wipe(object);
    write(project, deployment('surge', { strategy: { type: 'Recreate' } }));
    const refused = await project.deploy();
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('.spec.strategy.rollingUpdate');
    expect((await ground.cluster.get(object)).spec.strategy.rollingUpdate.maxSurge).toBe(3);
    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    expect((await ground.cluster.get(object)).spec.strategy).toEqual({ type: 'Recreate' });
    expect(JSON.stringify(report.only().taken)).toContain('"maxSurge":3');
  });
});
