import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { exitOf } from '../harness/process.js';
import type { RunOrder, RunOutcome } from './run.js';

/** Files of JavaScript: `run-process.ts` and `shifted-clock.ts`. */
export interface Scripts {
  readonly run: string;
  readonly clock: string;
}

/** A run in a process of its own, whose clocks can be shifted. */
export class StartedRun {
  readonly ended: Promise<RunOutcome>;
  readonly #child: ChildProcess;
  readonly #shifts: string;

  /** @param shifts path of a file of its own. */
  constructor(scripts: Scripts, order: RunOrder, shifts: string) {
    this.#shifts = shifts;
    this.shiftClocks([0, 0]);
    const execArgv = ['--import', pathToFileURL(scripts.clock).href];
    const child = fork(scripts.run, {
      execArgv,
      env: { ...process.env, SHIFTED_CLOCK: shifts },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#child = child;
    let outcome: RunOutcome = { exitCode: -1, entries: [], errors: [{ code: 'none', message: 'ended without a report' }] };
    child.on('message', (message: RunOutcome | 'ready' | 'awake') => {
      if (message === 'ready') child.send(order);
      else if (message !== 'awake') outcome = message;
    });
    this.ended = Promise.all([exitOf(child), once(child, 'disconnect')]).then(() => outcome); // messages may come after the exit
  }

  signal(signal: 'SIGSTOP' | 'SIGKILL'): void {
    this.#child.kill(signal);
  }

  /** Resolves when the process has done what it was about to do when it was stopped. */
  async goOn(): Promise<void> {
    this.#child.kill('SIGCONT');
    if (!this.#child.connected) return;
    this.#child.send('wake', () => {});
    await Promise.race([once(this.#child, 'message'), this.ended]);
  }

  /** By milliseconds: the wall clock and the monotonic one. */
  shiftClocks(shifts: readonly [number, number]): void {
    writeFileSync(this.#shifts, new Uint8Array(new Float64Array(shifts).buffer));
  }
}
