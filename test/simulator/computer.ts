import { type Machine, machineOf } from '../../src/util/machine.js';
import type { Random } from '../corpus/random.js';
import type { Event, World } from './world.js';

interface Held {
  readonly callback: () => void;
  /** Of a timer. */
  readonly timerAt?: number;
}

/** A computer on which one run works: its clocks, its timers and its random numbers are those of a history. It may stop, sleep or die. */
export class Computer {
  readonly name: string;
  readonly machine: Machine;
  readonly #world: World;
  readonly #timers = new Set<Event>();
  #state: 'running' | 'stopped' | 'asleep' | 'dead' = 'running';
  #stoppedAt = 0;
  /** Milliseconds that it has slept. */
  #slept = 0;
  #wallError = 0;
  /** What would have happened while it stood still. */
  #held: Held[] = [];

  constructor(world: World, name: string, random: Random, pid: number) {
    this.name = name;
    this.#world = world;
    const after = (milliseconds: number, callback: () => void) => this.#after(milliseconds, callback);
    this.machine = machineOf({
      monotonic: () => world.now - this.#slept,
      wall: () => world.beginning + world.now + this.#wallError,
      after,
      soon: (callback) => after(0, callback),
      random: () => random.next(),
      randomBytes: (length) => Buffer.from(Array.from({ length }, () => random.below(256))),
      processName: () => ({ user: name, host: 'computer', pid }),
    });
  }

  get isDead(): boolean {
    return this.#state === 'dead';
  }

  /** Does something there: now, or when it goes on; never if it is dead. */
  do(callback: () => void, timerAt?: number): void {
    if (this.#state === 'running') callback();
    else if (this.#state !== 'dead') this.#held.push({ callback, ...(timerAt === undefined ? {} : { timerAt }) });
  }

  /** Stops its process, as SIGSTOP does, or all of it, as a laptop that is closed: then its monotonic clock stands still, too. */
  stop(how: 'stopped' | 'asleep'): void {
    if (this.#state !== 'running') return;
    this.#state = how;
    this.#stoppedAt = this.#world.now;
  }

  /** Lets it go on, with all that has arrived meanwhile. */
  goOn(): void {
    if (this.#state !== 'stopped' && this.#state !== 'asleep') return;
    const sleep = this.#state === 'asleep' ? this.#world.now - this.#stoppedAt : 0;
    this.#state = 'running';
    this.#slept += sleep;
    if (sleep > 0) for (const timer of this.#timers) this.#world.delay(timer, sleep);
    const held = this.#held;
    this.#held = [];
    for (const { callback, timerAt } of held) {
      if (sleep > 0 && timerAt !== undefined) this.#after(timerAt + sleep - this.#world.now, callback);
      else this.#world.schedule(0, { of: this.name }, () => this.do(callback));
    }
  }

  /** Nothing happens there any more. */
  die(): void {
    this.#state = 'dead';
    this.#held = [];
  }

  /** Somebody sets its clock. */
  jump(milliseconds: number): void {
    this.#wallError += milliseconds;
  }

  #after(milliseconds: number, callback: () => void): () => void {
    let isCancelled = false;
    const fire = () => {
      if (!isCancelled) callback();
    };
    const event = this.#world.schedule(milliseconds, { of: this.name }, () => {
      this.#timers.delete(event);
      this.do(fire, event.at);
    });
    this.#timers.add(event);
    return () => {
      isCancelled = true;
      this.#timers.delete(event);
      this.#world.cancel(event);
    };
  }
}
