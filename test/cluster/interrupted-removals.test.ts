import { beforeAll, describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import { eventsOf } from '../harness/events.js';
import { type Declared, own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { kindWithRemovedVersion, type RemovedVersionKind } from '../harness/removed-version.js';
import { noTerminal } from '../harness/terminal.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('stale-endings');

const config = (name: string) => own({ ...testEnvironment.ref('v1', 'ConfigMap', name), data: {} });
const edit = (project: Project, stacks: Record<string, readonly Declared[]>) => project.write({ 'main.ts': testEnvironment.text(stacks) });
const planOf = async (project: Project, ...args: string[]) => {
  const { events } = await project.run(['diff', '-o', 'json', ...args]);
  return eventsOf(events, 'plan').find(({ kind }) => kind === 'Wheel');
};
const endOf = ({ events }: { readonly events: readonly ResponseBody[] }) => eventsOf(events, 'object').find(({ kind }) => kind === 'Wheel');

/** An object, what a stack declares of it, and what others do to it; all before its kind loses the version `v1alpha1`. */
interface Scene {
  readonly declared: (of: RemovedVersionKind, name: string) => Declared;
  readonly before?: (of: RemovedVersionKind, name: string) => Promise<unknown>;
  readonly after?: (of: RemovedVersionKind, name: string) => Promise<unknown>;
}
const ofOther = (of: RemovedVersionKind, name: string) => testEnvironment.cluster.apply('other', of('v1alpha1', { d: '1' }, name));
const scenes = {
  shared: { declared: (of, name) => share(of('v1', { a: '1' }, name)), before: ofOther },
  own: { declared: (of, name) => own(of('v1alpha1', { a: '1' }, name)) },
  adopted: {
    declared: (of, name) => own(of('v1alpha1', { a: '1' }, name)),
    before: (of, name) => testEnvironment.cluster.create('script', of('v1', { c: '1' }, name)),
  },
  kept: { declared: (of, name) => own(of('v1', { a: '1' }, name)), after: ofOther },
} as const satisfies Record<string, Scene>;

const ends = [
  { how: 'a deploy that drops it', stacks: { main: [config('beside')] }, args: ['deploy'] },
  { how: 'a deploy that prunes its stack', stacks: { next: [config('next')] }, args: ['deploy', '--prune-stacks'] },
  { how: 'a destroy', stacks: undefined, args: ['destroy'] },
];

const projects = new Map<string, Project>();
let group: string;
let wheel: RemovedVersionKind;

beforeAll(async () => {
  const made = await kindWithRemovedVersion(testEnvironment, async (of) => {
    for (const [scene, { declared, before, after }] of Object.entries(scenes) as [string, Scene][]) {
      const wanted = scene === 'shared' ? [0, 1, 2, 'plan', 'plan-read-only', 'killed', 'terminal'] : [0, 1, 2];
      for (const name of wanted.map((one) => `${scene}-${one}`)) {
        await before?.(of, name);
        const project = testEnvironment.program(
          { main: [config('beside'), declared(of, name)] },
          { environment: { FIELDWISE_INSTANCE: name } },
        );
        const report = await project.deploy(['--yes']);
        expect(report.exitCode, String(report)).toBe(0);
        await after?.(of, name);
        projects.set(name, project);
      }
    }
  });
  ({ group, wheel } = made);
});

function given(name: string, stacks: Record<string, readonly Declared[]> | undefined = undefined) {
  const project = projects.get(name) as Project;
  if (stacks) edit(project, stacks);
  const text = `Wheel ${testEnvironment.namespace}/${name}`;
  return { project, live: wheel('v1', {}, name), text, other: `${text} other at ${group}/v1alpha1` };
}

describe.each(ends.map((end, index) => ({ ...end, index })))(
  'managedFields names a version that is gone, and $how',
  ({ index, stacks, args }) => {
    const agreed = async (project: Project) => {
      const report = await project.run([...args, '--yes', '-o', 'json']);
      expect(report.exitCode, report.stderr).toBe(0);
      return endOf(report);
    };

    test('a share: it asks first, rewrites the entry, and releases it; the others keep their fields', async () => {
      const { project, live, other } = given(`shared-${index}`, stacks);
      const before = await testEnvironment.cluster.get(live);
      const refused = await project.run(args);
      expect(refused.exitCode, refused.stderr).toBe(2);
      expect(refused.stderr).toContain(other);
      expect(await testEnvironment.cluster.get(live)).toEqual(before);

      expect(await agreed(project)).toMatchObject({
        result: 'released',
        released: [{ field: '.spec.a', change: 'removed', oldValue: '1' }],
      });
      expect((await testEnvironment.cluster.get(live)).spec).toEqual({ d: '1' });
      expect(await testEnvironment.cluster.owners(live)).toEqual({ other: ['.spec.d'] });
    });

    test('what its stack deployed in that version is deleted, and not forgotten as gone', async () => {
      const { project, live, text } = given(`own-${index}`, stacks);
      const refused = await project.run(args);
      expect(refused.stderr).toContain(`delete ${text}`);
      expect(refused.stderr).not.toContain('v1alpha1');
      expect(await agreed(project)).toMatchObject({ result: 'deleted' });
      expect(await testEnvironment.cluster.find(live)).toBeUndefined();
    });

    test('what its stack adopted in that version is released', async () => {
      const { project, live } = given(`adopted-${index}`, stacks);
      const refused = await project.run(args);
      expect(refused.exitCode, refused.stderr).toBe(2);
      expect(refused.stderr).toContain(`/main at ${group}/v1alpha1`);
      expect(await agreed(project)).toMatchObject({ result: 'released' });
      expect((await testEnvironment.cluster.get(live)).spec).toEqual({ c: '1' });
    });

    test('what others keep is released instead of deleted', async () => {
      const { project, live, other } = given(`kept-${index}`, stacks);
      const refused = await project.run(args);
      expect(refused.stderr).toContain(other);
      expect(await agreed(project)).toMatchObject({
        result: 'released',
        reason: expect.stringContaining('other still applies fields to it'),
      });
      expect(await testEnvironment.cluster.owners(live)).toEqual({ other: ['.spec.d'] });
    });
  },
);

test.each([
  { name: 'shared-plan', args: [] },
  { name: 'shared-plan-read-only', args: ['--read-only'] },
])('$name: the plan says what goes or changes, and that a deploy asks first', async ({ name, args }) => {
  const { project } = given(name, { main: [config('beside')] });
  const reason = expect.stringContaining(
    `a deploy asks first whether to rewrite entries of managedFields whose version is gone: other at `,
  );
  expect(await planOf(project, ...args)).toMatchObject({
    action: 'release',
    fields: [{ field: '.spec.a', change: 'removed' }],
    reason,
  });
  edit(project, { main: [config('beside'), share(wheel('v1', { b: '1' }, name))] });
  const plan = await planOf(project, ...args);
  expect(plan).toMatchObject({ action: 'update', reason });
  expect(plan?.fields.map(({ field, change }) => [field, change])).toEqual([
    ['.spec.b', 'set'],
    ['.spec.a', 'removed'],
  ]);
  const report = await project.deploy(['--yes']);
  expect(report.exitCode, String(report)).toBe(0);
  expect((await testEnvironment.cluster.get(wheel('v1', {}, name))).spec).toEqual({ b: '1', d: '1' });
});

test('killed after the entry is rewritten, the next run ends it', async () => {
  const { project, live } = given('shared-killed');
  const rewritten = ({ method, path, status }: { method: string; path: string; status: number }) =>
    method === 'PATCH' && path.endsWith('/wheels/shared-killed') && status < 300;
  expect(await testEnvironment.killRun((options) => project.run(['destroy', '--yes'], options), rewritten)).toBe(true);
  expect(await testEnvironment.cluster.owners(live)).toEqual({ other: ['.spec.d'], [project.manager('main')]: ['.spec.a'] });
  expect(endOf(await project.run(['destroy', '--yes', '-o', 'json']))).toMatchObject({ result: 'released' });
  expect(await testEnvironment.cluster.owners(live)).toEqual({ other: ['.spec.d'] });
});

test.skipIf(noTerminal !== undefined)('at a terminal both questions are asked, and a yes to each is enough', async () => {
  const { project, live } = given('shared-terminal', { main: [config('beside')] });
  const run = await project.runAtTerminal(['deploy', '--no-wait'], ['y\r', 'y\r']);
  expect(run.exitCode, run.screen).toBe(0);
  expect(await testEnvironment.cluster.owners(live)).toEqual({ other: ['.spec.d'] });
});
