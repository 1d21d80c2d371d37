import { fileURLToPath } from 'node:url';
import { expect, inject, test } from 'vitest';
import { exampleNames, loadStory } from '../../examples/run.js';
import { tell } from '../../examples/stage.js';
import { Ground } from '../harness/ground.js';
import { inProcess } from '../harness/in-process.js';

const ground = await Ground.fresh('examples');

// One after the other, as a person would run them: they work in their own directories.
test.each(exampleNames())('%s', async (name) => {
  let told = '';
  const telling = tell(await loadStory(name), {
    kubeconfig: ground.kubeconfig,
    directory: fileURLToPath(new URL(`../../examples/${name}`, import.meta.url)),
    namespace: `${ground.namespace}-${name}`,
    hasControllers: inject('server').hasControllers,
    environment: { FIELDWISE_INVENTORY_NAMESPACE: ground.namespace },
    command: inProcess,
    write: (text) => {
      told += text;
    },
  });
  await telling.catch((error) => expect.fail(`${error.message}\n${told}`));
  expect(told).toContain('✓');
});
