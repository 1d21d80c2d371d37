import { expect, test } from 'vitest';
import { pause } from '../../../src/util/pause.js';

test('many waits on one signal are no leak, and an abort ends all of them', async () => {
  const warnings: string[] = [];
  const note = (warning: Error) => void warnings.push(warning.name);
  process.on('warning', note);
  const { signal, abort } = (() => {
    const controller = new AbortController();
    return { signal: controller.signal, abort: () => controller.abort() };
  })();
  const waits = Array.from({ length: 40 }, () => pause(60_000, signal));
  abort();
  for (const { status } of await Promise.allSettled(waits)) expect(status).toBe('rejected');
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', note);
  expect(warnings).toEqual([]);
});
