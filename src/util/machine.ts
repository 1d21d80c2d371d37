import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { hostname, userInfo } from 'node:os';
import { clearImmediate, setImmediate } from 'node:timers'; // those of Node, also where a test replaces the global ones
import { FieldwiseError } from './error.js';

/** The machine on which a run works: its clocks, its timer, its random numbers, its name. All times are in milliseconds. */
export interface Machine extends MachineParts {
  /** Waits. An abort ends the wait immediately, with an error. */
  pause(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** The parts of a machine of which the others are made. */
export interface MachineParts {
  /** Returns the time of a clock that never goes back, and stands still while the machine sleeps (Linux, CLOCK_MONOTONIC). */
  monotonic(): number;
  /** Returns the milliseconds since 1970. This clock goes on while the machine sleeps, and may be set to another time. */
  wall(): number;
  /** Calls back once after a time. @returns a function that cancels it. */
  after(milliseconds: number, callback: () => void, options?: TimerOptions): () => void;
  /** Calls back in a later turn of the event loop, after what has arrived by now. @returns a function that cancels it. */
  soon(callback: () => void): () => void;
  /** Returns a random number from 0 to less than 1. */
  random(): number;
  /** Returns random bytes that nobody can guess. */
  randomBytes(length: number): Uint8Array;
  /** Returns a name for a person of whoever uses the machine, of the machine, and of this process. */
  processName(): ProcessName;
}

/** Options of a timer. */
export interface TimerOptions {
  /** Lets the process end before the timer. @default false */
  readonly unref?: boolean;
}

/** A process among those of all machines. */
export interface ProcessName {
  readonly user: string;
  readonly host: string;
  readonly pid: number;
}

/** A moment on both clocks. */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

/** Returns the machine that has these parts. */
export function machineOf(parts: MachineParts): Machine {
  return { ...parts, pause: (milliseconds, signal) => pauseBy(parts, milliseconds, signal) };
}

/** The machine of this process. */
export const thisMachine: Machine = machineOf({
  monotonic: () => performance.now(),
  wall: () => Date.now(),
  after(milliseconds, callback, { unref = false } = {}) {
    const timer = setTimeout(callback, milliseconds);
    if (unref) timer.unref();
    return () => clearTimeout(timer);
  },
  soon(callback) {
    const turn = setImmediate(callback);
    return () => clearImmediate(turn);
  },
  random: () => Math.random(),
  randomBytes: (length) => randomBytes(length),
  processName: () => ({ user: userName(), host: hostname(), pid: process.pid }),
});

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'somebody'; // the user of a container may have no name
  }
}

function pauseBy({ after }: MachineParts, milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      cancel();
      reject(new FieldwiseError('interrupted', 'interrupted', 'Interrupted'));
    };
    const cancel = after(milliseconds, () => {
      signal?.removeEventListener('abort', stop);
      resolve();
    });
    if (signal?.aborted) return stop();
    if (signal === undefined) return;
    setMaxListeners(0, signal); // Node warns of more than ten waits at once, which a busy server causes, as of a leak
    signal.addEventListener('abort', stop, { once: true });
  });
}

/** Calls back again and again, with a time between. @returns a function that ends it. */
export function every({ after }: Machine, milliseconds: number, callback: () => void): () => void {
  const next = (): (() => void) =>
    after(milliseconds, () => {
      cancel = next();
      callback();
    });
  let cancel = next();
  return () => cancel();
}

/** Returns a signal that aborts after a time, which does not keep the process alive, and a function that cancels it. */
export function timeLimit({ after }: Machine, milliseconds: number): { readonly signal: AbortSignal; readonly cancel: () => void } {
  const controller = new AbortController();
  const expire = () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  return { signal: controller.signal, cancel: after(milliseconds, expire, { unref: true }) };
}

/** Calls a function at growing intervals until it returns a result or the timeout expires. */
export async function poll<T>(
  machine: Machine,
  timeoutSeconds: number,
  signal: AbortSignal | undefined,
  check: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const end = machine.monotonic() + timeoutSeconds * 1000;
  for (let delay = 100; ; delay = Math.min(delay * 1.5, 2_000)) {
    const result = await check();
    if (result !== undefined) return result;
    const left = end - machine.monotonic();
    if (left <= 0) return undefined;
    await machine.pause(Math.min(delay, left), signal);
  }
}

/** Returns the time of the wall clock as text (RFC 3339). */
export function timeText(machine: Machine): string {
  return new Date(machine.wall()).toISOString();
}

/** Returns a random UUID. Source: RFC 9562, 5.4. */
export function randomUuid(machine: Machine): string {
  const bytes = Buffer.from(machine.randomBytes(16));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

export function momentOf(machine: Machine): Moment {
  return { monotonic: machine.monotonic(), wall: machine.wall() };
}

/**
 * Returns the milliseconds that may have passed since a moment: those of the clock that has moved more. Infinity if the wall clock has gone
 * back, because it then does not tell.
 */
export function elapsedSince(machine: Machine, { monotonic, wall }: Moment): number {
  const byWall = machine.wall() - wall;
  return byWall < 0 ? Number.POSITIVE_INFINITY : Math.max(byWall, machine.monotonic() - monotonic);
}
