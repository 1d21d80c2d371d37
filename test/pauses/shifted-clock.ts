import { openSync, readSync } from 'node:fs';

// Loaded before a run: shifts the wall clock and the monotonic clock of its process by the two numbers of milliseconds that a file has. The
// file may change while the process is stopped, so that the first look at a clock after the pause finds the new time.
const file = openSync(process.env.SHIFTED_CLOCK as string, 'r');
const shifts = new Float64Array(2);
const now = { wall: Date.now.bind(Date), monotonic: performance.now.bind(performance) };

function shift(clock: 0 | 1): number {
  readSync(file, shifts, 0, shifts.byteLength, 0);
  return shifts[clock] as number;
}

Date.now = () => now.wall() + Math.round(shift(0));
performance.now = () => now.monotonic() + shift(1);
globalThis.Date = new Proxy(Date, {
  construct: (target, given, newTarget) => Reflect.construct(target, given.length > 0 ? given : [Date.now()], newTarget),
});
