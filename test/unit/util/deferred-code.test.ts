import { expect, test } from 'vitest';
import { deferredCode } from '../../../src/util/deferred-code.js';

test('code is there once it was loaded, and not before', async () => {
  let loads = 0;
  const code = deferredCode('the code for rules', async () => {
    loads += 1;
    return 'rules';
  });
  expect(code.isLoaded).toBe(false);
  expect(() => code.get()).toThrow('the code for rules is not loaded');
  await code.load();
  await code.load();
  expect([code.isLoaded, code.get(), loads]).toEqual([true, 'rules', 1]);
});
