import { setTimeout as realPause } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { elapsedSince, every, type Machine, momentOf, poll, thisMachine, timeLimit, timeText } from '../../../src/util/machine.js';
import { VirtualMachine } from '../../harness/virtual-machine.js';

test('many waits on one signal are no leak, and an abort ends all of them', async () => {
  const warnings: string[] = [];
  const note = (warning: Error) => void warnings.push(warning.name);
  process.on('warning', note);
  const { signal, abort } = (() => {
    const controller = new AbortController();
    return { signal: controller.signal, abort: () => controller.abort() };
  })();
  const waits = Array.from({ length: 40 }, () => thisMachine.pause(60_000, signal));
  abort();
  for (const { status } of await Promise.allSettled(waits)) expect(status).toBe('rejected');
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', note);
  expect(warnings).toEqual([]);
});

test('an abort cancels the timer of a wait, also one before it', async () => {
  const virtual = new VirtualMachine();
  await expect(virtual.machine.pause(1_000, AbortSignal.abort())).rejects.toMatchObject({ code: 'interrupted' });
  expect(virtual.timers).toBe(0);
});

describe('this machine', () => {
  test('has the clocks of the system, and random numbers', () => {
    const before = Date.now();
    expect(thisMachine.wall()).toBeGreaterThanOrEqual(before);
    expect(Date.parse(timeText(thisMachine))).toBeGreaterThanOrEqual(before);
    expect(thisMachine.monotonic()).toBeLessThanOrEqual(performance.now());
    expect(elapsedSince(thisMachine, momentOf(thisMachine))).toBeLessThan(60_000);
    expect(thisMachine.random()).not.toBe(thisMachine.random());
    expect(thisMachine.randomBytes(8)).not.toEqual(thisMachine.randomBytes(8));
    expect(thisMachine.processName().pid).toBe(process.pid);
  });

  test('calls back once, unless it is canceled', async () => {
    const kept = vi.fn();
    const canceled = vi.fn();
    thisMachine.after(1, kept);
    thisMachine.soon(kept);
    thisMachine.after(1, canceled)();
    thisMachine.soon(canceled)();
    await realPause(20);
    expect(kept).toHaveBeenCalledTimes(2);
    expect(canceled).not.toHaveBeenCalled();
  });
});

describe.each<{ readonly name: string; readonly start: () => { readonly machine: Machine; readonly pass: () => Promise<unknown> } }>([
  { name: 'this machine', start: () => ({ machine: thisMachine, pass: () => realPause(60) }) },
  {
    name: 'a machine whose time a test lets pass',
    start: () => {
      const { machine, run } = bound(new VirtualMachine());
      return { machine, pass: () => run(machine.pause(60)) };
    },
  },
])('on $name', ({ start }) => {
  test('every calls back until it is ended, also by its callback', async () => {
    const { machine, pass } = start();
    let calls = 0;
    const end = every(machine, 5, () => {
      calls += 1;
      if (calls === 3) end();
    });
    while (calls < 3) await pass();
    await pass();
    expect(calls).toBe(3);
  });

  test('a time limit aborts its signal, unless it is canceled', async () => {
    const { machine, pass } = start();
    const [kept, canceled] = [timeLimit(machine, 5), timeLimit(machine, 5)];
    canceled.cancel();
    while (!kept.signal.aborted) await pass();
    expect(kept.signal.reason).toMatchObject({ name: 'TimeoutError' });
    expect(canceled.signal.aborted).toBe(false);
  });
});

test('poll asks at growing intervals, and gives up at its end', async () => {
  const { machine, run } = bound(new VirtualMachine());
  const asked: number[] = [];
  const ask = async () => void asked.push(machine.monotonic());
  expect(await run(poll(machine, 1, undefined, ask))).toBeUndefined();
  expect(asked).toEqual([0, 100, 250, 475, 812.5, 1_000]);
  expect(await run(poll(machine, 1, undefined, async () => 'found'))).toBe('found');
});

function bound(virtual: VirtualMachine) {
  return { machine: virtual.machine, run: <Result>(work: Promise<Result>) => virtual.run(work) };
}
