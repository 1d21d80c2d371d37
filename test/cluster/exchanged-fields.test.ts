import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import { configMapHelpers, deployed } from '../harness/config-map-helpers.js';
import { eventsOf } from '../harness/events.js';
import { type Declared, own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';
import { watchObject } from '../harness/watch.js';

const testEnvironment = await TestEnvironment.create('exchanged');
const { cluster } = testEnvironment;
const { ref, config, live, owners, edit } = configMapHelpers(testEnvironment);

type Stacks = Record<string, readonly Declared[]>;

/** Deploys one program and then another, and returns what plan and record say of the fields, and each state of the object in between. */
async function exchange(before: Stacks, after: Stacks, object: ReturnType<typeof ref>, change?: (project: Project) => void) {
  const project = testEnvironment.program(before);
  await deployed(project);
  edit(project, after);
  change?.(project);
  const watched = await watchObject(cluster, object);
  const plan = await project.run(['diff', '-o', 'json']);
  expect(plan.exitCode, plan.stderr).toBe(0);
  const report = await project.run(['deploy', '-o', 'json']);
  expect(report.exitCode, report.stderr).toBe(0);
  const { resourceVersion } = (await cluster.get(object)).metadata;
  await watched.until(({ object: one }: ResponseBody) => one.metadata.resourceVersion === resourceVersion);
  watched.stop();
  const again = await project.run(['deploy', '-o', 'json', '--reconcile', 'full']);
  expect(
    eventsOf(again.events, 'object')
      .map(({ result }) => result)
      .filter((result) => result !== 'unchanged' && result !== 'applied'),
  ).toEqual([]);
  expect((await cluster.get(object)).metadata.resourceVersion).toBe(resourceVersion);
  const words = ['removed', 'defaulted', 'force', 'item-removed'];
  return {
    project,
    states: watched.events.map((event) => event.object as ResponseBody),
    planned: eventsOf(plan.events, 'plan').flatMap(({ stack, fields }) =>
      fields.filter(({ change: one }) => words.includes(one)).map(({ field, change: one }) => `${stack} ${one} ${field}`),
    ),
    told: eventsOf(report.events, 'object').flatMap(({ stack, forcedConflicts, released = [] }) => [
      ...forcedConflicts.map(({ field }) => `${stack} force ${field}`),
      ...released.filter(({ change: one }) => words.includes(one)).map(({ field, change: one }) => `${stack} ${one} ${field}`),
    ]),
  };
}

const data = (lifecycle: typeof own, name: string, values: object, policy?: object) => lifecycle(config(name, values), policy);

describe('stacks of one app that exchange fields in one deploy: none is ever without its value', () => {
  test.each<[string, (name: string) => [Stacks, Stacks]]>([
    [
      'two, equal values',
      (name) => [
        { a: [data(own, name, { x: '1', k: '1' })], b: [data(share, name, { y: '1', l: '1' })] },
        { a: [data(own, name, { y: '1', k: '1' })], b: [data(share, name, { x: '1', l: '1' })] },
      ],
    ],
    [
      'two, whose policies yield and fail',
      (name) => [
        { a: [data(own, name, { x: '1', k: '1' })], b: [data(share, name, { y: '1', l: '1' })] },
        {
          a: [data(own, name, { y: '1', k: '1' }, { conflicts: 'yield' })],
          b: [data(share, name, { x: '1', l: '1' }, { conflicts: 'fail' })],
        },
      ],
    ],
    [
      'three in a ring',
      (name) => [
        {
          a: [data(own, name, { x: '1', k: '1' })],
          b: [data(share, name, { y: '1', l: '1' })],
          c: [data(share, name, { z: '1', m: '1' })],
        },
        {
          a: [data(own, name, { z: '1', k: '1' })],
          b: [data(share, name, { x: '1', l: '1' })],
          c: [data(share, name, { y: '1', m: '1' })],
        },
      ],
    ],
    [
      'one way, from an owner that may replace the object',
      (name) => [
        { a: [data(own, name, { x: '1', k: '1' })], b: [data(share, name, { y: '1' })] },
        { a: [data(own, name, { k: '1' }, { replace: true })], b: [data(share, name, { x: '1', y: '1' })] },
      ],
    ],
    [
      'from two stacks at once',
      (name) => [
        { a: [data(own, name, { x: '1', k: '1' })], b: [data(share, name, { y: '1', l: '1' })], c: [data(share, name, { m: '1' })] },
        { a: [data(own, name, { k: '1' })], b: [data(share, name, { l: '1' })], c: [data(share, name, { x: '1', y: '1', m: '1' })] },
      ],
    ],
  ])('%s', async (what, programs) => {
    const name = what.replaceAll(/\W+/g, '-');
    const [before, after] = programs(name);
    const { states, planned, told, project } = await exchange(before, after, ref(name));
    for (const state of states) for (const value of ['x', 'y']) expect(state.data, JSON.stringify(state.data)).toHaveProperty(value);
    expect([planned, told]).toEqual([[], []]);
    const declared = Object.entries(after).map(([stack, [one]]) => [
      project.manager(stack),
      Object.keys((one!.object as ReturnType<typeof config>).data).map((key) => `.data.${key}`),
    ]);
    expect(await owners(name)).toEqual(Object.fromEntries(declared.map(([manager, paths]) => [manager, (paths as string[]).sort()])));
  });

  test('with other values: plan and record force the same, and each field goes from one value to the other', async () => {
    const { states, planned, told } = await exchange(
      { a: [data(own, 'values', { x: '1', k: '1' })], b: [data(share, 'values', { y: '1', l: '1' })] },
      { a: [data(own, 'values', { y: '2', k: '1' })], b: [data(share, 'values', { x: '2', l: '1' })] },
      ref('values'),
    );
    for (const { data: values } of states)
      expect(['1', '2'].includes(values.x) && ['1', '2'].includes(values.y), JSON.stringify(values)).toBe(true);
    expect(told).toEqual(planned);
    expect((await live('values')).data).toEqual({ x: '2', y: '2', k: '1', l: '1' });
  });

  test.each(['', 'stack_b.addDependency(stack_a);\n'])(
    'plan and record say that the new owner owns an equal value from now on (%j)',
    async (edges) => {
      const name = edges === '' ? 'gained' : 'gained-after';
      const project = testEnvironment.program({ a: [data(own, name, { x: '1', k: '1' })], b: [] });
      await deployed(project);
      project.write({ 'main.ts': testEnvironment.text({ a: [data(own, name, { k: '1' })], b: [data(share, name, { x: '1' })] }) + edges });
      const plan = await project.run(['diff', '-o', 'json']);
      const planned = eventsOf(plan.events, 'plan').find(({ stack }) => stack === 'b');
      expect(planned).toMatchObject({ action: 'update', fields: [{ field: '.data.x', change: 'same', newValue: '1', gained: true }] });
      const report = await deployed(project);
      expect(eventsOf(report.result.events, 'object').find(({ stack }) => stack === 'b')).toMatchObject({
        result: 'updated',
        changed: [{ field: '.data.x', change: 'same', newValue: '1' }],
      });
      expect(await owners(name)).toEqual({ [project.manager('a')]: ['.data.k'], [project.manager('b')]: ['.data.x'] });
    },
  );

  test('by name, from a stack on which the new owner depends', async () => {
    const before = { a: [data(own, 'named', { x: '1', k: '1' })], b: [data(share, 'named', { l: '1' })] };
    const after = { a: [data(own, 'named', { k: '1' })], b: [data(share, 'named', { x: '1', l: '1' }, { transferFrom: { from: 'a' } })] };
    const depends = (project: Project) => project.write({ 'main.ts': `${testEnvironment.text(after)}stack_b.addDependency(stack_a);\n` });
    const { states, planned, told, project } = await exchange(before, after, ref('named'), depends);
    for (const state of states) expect(state.data, JSON.stringify(state.data)).toHaveProperty('x');
    expect([planned, told]).toEqual([[], []]);
    expect(await owners('named')).toEqual({ [project.manager('a')]: ['.data.k'], [project.manager('b')]: ['.data.l', '.data.x'] });
  });

  test('replicas from a stack on which the new owner depends, and required fields of containers both ways', async () => {
    const deployment = (name: string, spec: object) => ({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec });
    const containers = (...all: object[]) => ({ template: { spec: { containers: all } } });
    const labels = { matchLabels: { app: 'web' } };
    const whole = {
      selector: labels,
      template: { metadata: { labels: labels.matchLabels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
    };
    const [a1, a2] = [{ ...whole, replicas: 7 }, whole];
    const depends = (project: Project) =>
      project.write({
        'main.ts': `${testEnvironment.text({ a: [own(deployment('replicas', a2))], b: [share(deployment('replicas', { replicas: 7, minReadySeconds: 1 }))] })}stack_b.addDependency(stack_a);\n`,
      });
    const ref1 = testEnvironment.ref('apps/v1', 'Deployment', 'replicas');
    const one = await exchange(
      { a: [own(deployment('replicas', a1))], b: [share(deployment('replicas', { minReadySeconds: 1 }))] },
      { a: [], b: [] },
      ref1,
      depends,
    );
    expect(one.states.map(({ spec }) => spec.replicas).filter((replicas) => replicas !== 7)).toEqual([]);
    expect([one.planned, one.told]).toEqual([[], []]);

    const side = { name: 'side', image: 'side:1' };
    const two = await exchange(
      {
        a: [
          own(
            deployment('image', {
              ...whole,
              template: { ...whole.template, spec: { containers: [...whole.template.spec.containers, side] } },
            }),
          ),
        ],
        b: [share(deployment('image', { minReadySeconds: 5, ...containers({ name: 'side', tty: true }) }))],
      },
      {
        a: [own(deployment('image', { ...whole, minReadySeconds: 5 }))],
        b: [share(deployment('image', containers({ ...side, tty: true })))],
      },
      testEnvironment.ref('apps/v1', 'Deployment', 'image'),
    );
    for (const { spec } of two.states) {
      expect([spec.minReadySeconds, spec.template.spec.containers.map(({ image }: ResponseBody) => image)]).toEqual([
        5,
        ['web:1', 'side:1'],
      ]);
    }
  });

  test.each([
    ['the claim', 1],
    ['the apply', 2],
  ])('where %s of the other stack is denied, what was given up stays with its value', async (what, nth) => {
    const name = what.replaceAll(' ', '-');
    const project = testEnvironment.program({
      a: [data(own, name, { x: '1', k: '1' })],
      b: [data(share, name, { y: '1', l: '1' })],
    });
    await deployed(project);
    edit(project, { a: [data(own, name, { y: '1', k: '1' })], b: [data(share, name, { x: '1', l: '1' })] });
    const proxy = await testEnvironment.proxy();
    let seen = 0;
    const denial = `configmaps "${name}" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: no`;
    proxy.onRequest = ({ method, path, query }) => {
      const isOfB =
        method === 'PATCH' && path.endsWith(`/${name}`) && query.get('fieldManager') === project.manager('b') && !query.has('dryRun');
      if (!isOfB || ++seen < nth) return undefined;
      return { status: 422, body: { kind: 'Status', status: 'Failure', code: 422, reason: 'Invalid', message: denial } };
    };
    const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
    expect(seen).toBeGreaterThanOrEqual(nth);
    expect(report.exitCode).not.toBe(0);
    expect((await live(name)).data).toEqual({ x: '1', y: '1', k: '1', l: '1' });
    expect((await project.deploy()).exitCode).toBe(0);
    expect(await owners(name)).toEqual({ [project.manager('a')]: ['.data.k', '.data.y'], [project.manager('b')]: ['.data.l', '.data.x'] });
  });
});
