import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A server process of ours: its output goes to a log file, its standard input stays open as long as we live. */
export interface Daemon {
  /** Resolves when `ready` says so; rejects with the end of the log when the process ends or time is up. */
  untilReady(ready: () => boolean | Promise<boolean>, seconds: number): Promise<void>;
  /** SIGTERM, then SIGKILL after ten seconds. */
  stop(): Promise<void>;
  /** For exit handlers, which cannot wait. */
  kill(): void;
}

export function startDaemon(file: string, args: readonly string[], log: string): Daemon {
  const output = openSync(log, 'w');
  const child = spawn(file, args, { stdio: ['pipe', output, output] });
  closeSync(output);
  let spawnError: Error | undefined;
  child.on('error', (error) => {
    spawnError = error;
  });
  const running = () => spawnError === undefined && child.exitCode === null && child.signalCode === null;
  const complain = (what: string) => new Error(`${basename(file)} ${what}:\n${spawnError?.message ?? endOfLog(log)}`);
  return {
    async untilReady(ready, seconds) {
      const deadline = Date.now() + seconds * 1000;
      while (!(await ready())) {
        if (!running()) throw complain('ended before it was ready');
        if (Date.now() > deadline) throw complain(`was not ready after ${seconds} s`);
        await sleep(50);
      }
    },
    async stop() {
      if (!running()) return;
      child.kill('SIGTERM');
      const ended = await Promise.race([exitOf(child).then(() => true), sleep(10_000, false, { ref: false })]);
      if (!ended) {
        child.kill('SIGKILL');
        await exitOf(child);
      }
    },
    kill() {
      if (running()) child.kill('SIGKILL');
    },
  };
}

/** Resolves when a process has ended. */
export function exitOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', () => resolve());
  });
}

function endOfLog(path: string): string {
  return readFileSync(path, 'utf8').trim().split('\n').slice(-15).join('\n');
}
