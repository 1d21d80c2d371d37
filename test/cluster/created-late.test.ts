import { expect, test } from 'vitest';
import { annotateEverything, policyAnnotation } from '../harness/annotating-webhook.js';
import { Ground, nextSecond } from '../harness/ground.js';
import { own } from '../harness/program-text.js';

const ground = await Ground.fresh('late');
const config = (name: string) => ({ ...ground.ref('v1', 'ConfigMap', name), data: { a: '1' } });

test('a killed run created an object while a webhook took its time, so that entry and object differ by a second: destroy deletes it', async () => {
  await annotateEverything(ground, nextSecond);
  for (let tries = 0; ; tries++) {
    const { metadata } = await ground.cluster.create('test', config(`probe-${tries}`));
    if (metadata.annotations?.[policyAnnotation] !== undefined) break; // a server takes up a new webhook a moment after its answer
  }
  const project = ground.program({ main: [own(config('late'))] });
  expect(
    await ground.killed(
      (options) => project.run(['deploy', '--yes'], options),
      ({ method, path }) => method === 'PATCH' && path.endsWith('/late'),
    ),
  ).toBe(true);
  const { metadata } = await ground.cluster.get(config('late'));
  const [entry] = metadata.managedFields.filter(({ operation }: { operation: string }) => operation === 'Apply');
  expect(Date.parse(entry.time)).toBeLessThan(Date.parse(metadata.creationTimestamp));

  const destroyed = await project.destroy();
  expect(destroyed.exitCode, String(destroyed)).toBe(0);
  expect(destroyed.only('late')).toMatchObject({ result: 'deleted' });
  expect(await ground.cluster.find(config('late'))).toBeUndefined();
});
