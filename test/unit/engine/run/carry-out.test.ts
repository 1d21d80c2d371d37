import { expect, test } from 'vitest';
import type { DeployEvent } from '../../../../src/engine/report/events.js';
import type { ReportedError } from '../../../../src/engine/report/run-diagnostic.js';
import { carryOut, type RunParts } from '../../../../src/engine/run/carry-out.js';
import { Cleanup } from '../../../../src/engine/run/cleanup.js';
import { Run } from '../../../../src/engine/run/run.js';
import { FieldwiseError } from '../../../../src/util/error.js';

/** Carries out a run and says in which order things happened: what is held is `lock`, and what the change holds is `watch`. */
async function happened(parts: Partial<RunParts<string>>, onError: (error: ReportedError) => void = () => {}) {
  const log: string[] = [];
  const run = new Run('deploy', (event: DeployEvent) => void log.push(event.event), undefined);
  const outcome = await carryOut<string>(run, {
    prepare: async (cleanup) => {
      cleanup.add(() => void log.push('lock given up'));
      return (await parts.prepare?.(cleanup)) ?? 'prepared';
    },
    beforeRefusal: (error) => {
      log.push('before refusal');
      parts.beforeRefusal?.(error);
    },
    change: async (prepared, cleanup) => {
      cleanup.add(() => void log.push('watch given up'));
      log.push(`change what is ${prepared}`);
      await parts.change?.(prepared, cleanup);
    },
  }).then(
    ({ ok, errors }) => {
      errors.forEach(onError);
      return ok;
    },
    (error: Error) => error.message,
  );
  return { log, outcome };
}

const failing = (error: Error) => () => Promise.reject(error);
const misuse = new FieldwiseError('stack-unknown', 'usage', 'There is no such stack');

test('the change follows what was prepared, and everything is given up before the summary', async () => {
  expect(await happened({})).toEqual({
    log: ['change what is prepared', 'watch given up', 'lock given up', 'summary'],
    outcome: true,
  });
});

test('an error before the change refuses the run', async () => {
  expect(await happened({ prepare: failing(new Error('away')) })).toEqual({
    log: ['before refusal', 'lock given up', 'refused', 'summary'],
    outcome: false,
  });
});

test('misuse is thrown, after the summary', async () => {
  expect(await happened({ prepare: failing(misuse) })).toEqual({
    log: ['before refusal', 'lock given up', 'refused', 'summary'],
    outcome: 'There is no such stack',
  });
});

test('everything is given up if the report of the refusal fails', async () => {
  const beforeRefusal = () => {
    throw misuse;
  };
  expect(await happened({ prepare: failing(misuse), beforeRefusal })).toEqual({
    log: ['before refusal', 'lock given up'],
    outcome: 'There is no such stack',
  });
});

test('an error of the change is in the summary, with everything given up', async () => {
  const errors: string[] = [];
  const run = await happened({ change: failing(new Error('a bug')) }, ({ message }) => errors.push(message));
  expect(run).toEqual({ log: ['change what is prepared', 'watch given up', 'lock given up', 'summary'], outcome: false });
  expect(errors).toEqual([expect.stringContaining('a bug')]);
});

test('Cleanup gives up the last thing first, and each once', async () => {
  const ended: string[] = [];
  const cleanup = new Cleanup();
  cleanup.add(() => void ended.push('lock'));
  cleanup.add(async () => void ended.push('watch'));
  await cleanup.run();
  await cleanup.run();
  expect(ended).toEqual(['watch', 'lock']);
});
