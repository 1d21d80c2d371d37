import { fileURLToPath } from 'node:url';
import { expect, inject, test } from 'vitest';
import { exampleNames, loadStory } from '../../examples/run.js';
import { tell } from '../../examples/stage.js';
import { inProcess } from '../harness/in-process.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('examples');

// One after the other, as a person would run them: they work in their own directories.
test.each(exampleNames())('%s', async (name) => {
  let told = '';
  const telling = tell(await loadStory(name), {
    kubeconfig: testEnvironment.kubeconfig,
    directory: fileURLToPath(new URL(`../../examples/${name}`, import.meta.url)),
    namespace: `${testEnvironment.namespace}-${name}`,
    hasControllers: inject('server').hasControllers,
    environment: { FIELDWISE_INVENTORY_NAMESPACE: testEnvironment.namespace },
    command: inProcess,
    write: (text) => {
      told += text;
    },
  });
  await telling.catch((error) => expect.fail(`${error.message}\n${told}`));
  expect(told).toContain('✓');
});
