import { expect, test } from 'vitest';
import { bindingOf, policyOf } from '../harness/bound-policy.js';
import { configMapHelpers, deployed } from '../harness/config-map-helpers.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

/** An object is not deleted for a replacement whose creation the cluster denies. */
const testEnvironment = await TestEnvironment.create('replace-denied');
const { cluster, namespace } = testEnvironment;
const { ref } = configMapHelpers(testEnvironment);

test('a policy that denies the creation of a replacement', async () => {
  const config = (color: string) => ({
    ...ref('kept'),
    metadata: { ...ref('kept').metadata, labels: { case: 'kept' } },
    immutable: true,
    data: { color },
  });
  const program = (color: string) => testEnvironment.text({ main: [own(config(color), { replace: true })] });
  const project = testEnvironment.project({ 'fieldwise.yaml': 'app: main.ts\n', 'main.ts': program('blue') });
  await deployed(project);
  const before = await cluster.get(ref('kept'));

  const name = `${namespace}-no-more`;
  const objects = [
    policyOf(name, 'kept', { validations: [{ expression: "request.operation != 'CREATE'", message: 'no more of them' }] }),
    bindingOf(name, name, namespace, { validationActions: ['Deny'] }),
  ];
  for (const object of objects) {
    testEnvironment.removeLater(object as never);
    await cluster.create('them', object as never);
  }
  project.write({ 'main.ts': program('red') });
  // A server takes up a policy after a moment.
  await expect.poll(async () => (await project.run(['diff'])).stdout, { timeout: 20_000, interval: 200 }).toContain('blocked');
  const plan = await project.run(['diff']);
  expect([plan.exitCode, plan.stdout]).toEqual([4, expect.stringContaining('no more of them')]);
  const report = await project.deploy();
  expect([report.exitCode, report.only()]).toMatchObject([4, { result: 'failed', error: { code: 'admission-denied' } }]);
  expect(report.only()).not.toHaveProperty('replaced');
  expect(await cluster.get(ref('kept'))).toEqual(before);
});
