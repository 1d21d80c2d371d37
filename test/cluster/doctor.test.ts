import { expect, test } from 'vitest';
import { Ground } from '../harness/ground.js';
import { own, share } from '../harness/program-text.js';

const ground = await Ground.fresh('doctor');

const config = (name: string, data: object) => ({ ...ground.ref('v1', 'ConfigMap', name), data });

test('finds what a lost inventory knew, tells its manager and what releases it', async () => {
  await ground.cluster.apply('owner', config('shared', { theirs: 'here' }));
  const project = ground.program({ main: [own(config('owned', { a: '1' })), share(config('shared', { ours: 'here' }))] });
  const stranger = ground.program({ main: [own(config('stranger', { a: '1' }))] });
  await project.deploy();
  await stranger.deploy();
  const manager = project.manager('main');
  const orphansOf = async () =>
    (await project.run(['doctor', '--find-orphans', '--json'])).events.filter(({ event }) => event === 'orphan');
  expect(await orphansOf()).toEqual([]);

  for (const inventory of await ground.cluster.list('v1', 'ConfigMap', ground.namespace)) {
    if (inventory.data?.manager) await ground.cluster.remove({ apiVersion: 'v1', kind: 'ConfigMap', ...inventory });
  }
  const orphans = await orphansOf();
  expect(orphans.map((orphan) => [orphan.object, orphan.manager])).toEqual([
    [`ConfigMap ${ground.namespace}/owned`, manager],
    [`ConfigMap ${ground.namespace}/shared`, manager],
  ]);
  const human = await project.run(['doctor', '--find-orphans']);
  expect(human.stdout).toContain(`--field-manager '${manager}'`);

  // What it says releases the share does.
  await ground.cluster.apply(manager, orphans[1].release);
  expect(await ground.cluster.owners(ground.ref('v1', 'ConfigMap', 'shared'))).toEqual({ owner: ['.data.theirs'] });
});

test('checks the server, its version and the rights that inventories need', async () => {
  const project = ground.program({ main: [own(config('checked', { a: '1' }))] });
  const { events, exitCode } = await project.run(['doctor', '--json']);
  expect(exitCode).toBe(0);
  expect(events.map(({ check }) => check)).toEqual(expect.arrayContaining(['server', 'version', 'permission']));
  const kubeconfig = await ground.account('reader', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }]);
  const poor = await project.run(['doctor', '--json'], { kubeconfig });
  expect(poor.exitCode).toBe(4);
  expect(poor.events.filter(({ ok }) => !ok).map(({ detail }) => detail)).toContain(`create configmaps in namespace ${ground.namespace}`);
});
