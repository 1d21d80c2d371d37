import { expect, test } from 'vitest';
import { own, share } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('tracking');
const config = (data: object) => ({ ...testEnvironment.ref('v1', 'ConfigMap', 'shared'), data });

/** Stacks named by annotations of the object. */
async function named(): Promise<string[]> {
  const { annotations = {} } = (await testEnvironment.cluster.get(config({}))).metadata;
  return Object.entries(annotations)
    .filter(([key]) => key.startsWith('fieldwise.dev/stack-'))
    .map(([, stack]) => stack as string)
    .sort();
}

test('tracking: annotation names each stack on the object, each owned by its stack, and is removed with it', async () => {
  const base = own(config({ a: '1' }));
  const stacks = { base: [base], one: [share(config({ b: '1' }))], two: [share(config({ c: '1' }))] };
  const project = testEnvironment.program(stacks);
  project.write({ 'fieldwise.yaml': 'app: main.ts\ntracking: annotation\n' });
  const app = `${testEnvironment.app}-1/default`;
  expect((await project.deploy()).exitCode).toBe(0);
  expect(await named()).toEqual([`${app}/base`, `${app}/one`, `${app}/two`]);
  for (const stack of ['base', 'one', 'two']) {
    const owned = (await testEnvironment.cluster.owners(config({})))[project.manager(stack)];
    expect(JSON.stringify(owned).match(/fieldwise\.dev\/stack-/g)).toHaveLength(1);
  }
  expect(new Set(Object.values((await project.deploy()).results))).toEqual(new Set(['unchanged']));

  expect((await project.destroy(['two'])).exitCode).toBe(0);
  expect(await named()).toEqual([`${app}/base`, `${app}/one`]);

  project.write({ 'fieldwise.yaml': 'app: main.ts\n', 'main.ts': testEnvironment.text({ base: [base], one: stacks.one }) });
  await project.deploy();
  expect(await named()).toEqual([]);
});
