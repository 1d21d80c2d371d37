import { expect, test } from 'vitest';
import { annotateEverything, policyAnnotation } from '../harness/annotating-webhook.js';
import { configMapHelpers } from '../harness/config-map-helpers.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment, waitForNextSecond } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('late');
const { placed } = configMapHelpers(testEnvironment);

test('a killed run created an object while a webhook took its time, so that entry and object differ by a second: destroy deletes it', async () => {
  await annotateEverything(testEnvironment, waitForNextSecond);
  for (let tries = 0; ; tries++) {
    const { metadata } = await testEnvironment.cluster.create('test', placed(`probe-${tries}`));
    if (metadata.annotations?.[policyAnnotation] !== undefined) break; // a server takes up a new webhook a moment after its answer
  }
  const project = testEnvironment.program({ main: [own(placed('late'))] });
  expect(
    await testEnvironment.killRun(
      (options) => project.run(['deploy', '--yes'], options),
      ({ method, path }) => method === 'PATCH' && path.endsWith('/late'),
    ),
  ).toBe(true);
  const { metadata } = await testEnvironment.cluster.get(placed('late'));
  const [entry] = metadata.managedFields.filter(({ operation }: { operation: string }) => operation === 'Apply');
  expect(Date.parse(entry.time)).toBeLessThan(Date.parse(metadata.creationTimestamp));

  const destroyed = await project.destroy();
  expect(destroyed.exitCode, String(destroyed)).toBe(0);
  expect(destroyed.only('late')).toMatchObject({ result: 'deleted' });
  expect(await testEnvironment.cluster.find(placed('late'))).toBeUndefined();
});
