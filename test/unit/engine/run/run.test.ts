import { expect, test } from 'vitest';
import { Run } from '../../../../src/engine/run/run.js';

test('a run whose signal is aborted is interrupted, whether or not somebody asks', () => {
  const stop = new AbortController();
  const run = new Run('deploy', () => {}, stop.signal);
  expect(run.stopped).toBeUndefined();
  stop.abort();
  expect(run.finish()).toMatchObject({ ok: false, exitCode: 130 });
  expect(run.stopped).toBe('interrupted');
});

test('a question about a run does not change its end', () => {
  const run = new Run('deploy', () => {}, new AbortController().signal);
  expect(run.stopped).toBeUndefined();
  expect(run.finish()).toMatchObject({ ok: true, exitCode: 0 });
});
