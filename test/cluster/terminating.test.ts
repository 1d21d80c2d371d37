import { expect, test } from 'vitest';
import { configMapsOn, deployed } from '../harness/config-maps.js';
import { Ground } from '../harness/ground.js';
import { own } from '../harness/program-text.js';

const ground = await Ground.fresh('terminating');
const { config, ref, live, edit } = configMapsOn(ground);

test('an owned object that is being deleted: the plan is blocked with the code with which the deploy fails', async () => {
  const project = ground.program({ main: [own(config('held', { a: '1' }))] });
  await deployed(project);
  await ground.cluster.apply('guard', {
    ...config('held', {}),
    metadata: { ...(await identity('held')), finalizers: ['example.com/guard'] },
  });
  await ground.cluster.remove(ref('held'));
  try {
    for (const data of [{ a: '1' }, { a: '2' }]) {
      edit(project, { main: [own(config('held', data))] });
      for (const how of [[], ['--read-only']]) {
        const planned = await project.run(['diff', '--json', ...how]);
        expect(planned.events.filter(({ event }) => event === 'plan')).toMatchObject([
          { action: 'blocked', fields: [], error: { code: 'object-terminating' } },
        ]);
        expect(planned.exitCode).toBe(4);
      }
    }
    const report = await project.deploy();
    expect([report.exitCode, report.only().error?.code]).toEqual([4, 'object-terminating']);
  } finally {
    await ground.cluster.apply('guard', { ...config('held', {}), metadata: await identity('held') });
  }
});

async function identity(name: string) {
  const { uid } = (await live(name)).metadata;
  return { name, namespace: ground.namespace, uid };
}
