import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpus } from 'node:os';

/** Spins in slices, so that it notices the end of the process that started it. */
const program = `
process.stdin.resume().on('end', () => process.exit());
const spin = () => { const end = Date.now() + 50; while (Date.now() < end); setImmediate(spin); };
spin();`;

/** A fixed load: one process for each core that spins, at the same priority as what is measured. */
export class BackgroundLoad {
  readonly #processes: ChildProcess[] = [];

  start(): void {
    for (const _ of cpus()) this.#processes.push(spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'ignore', 'ignore'] }));
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.#processes.map(async (child) => {
        const ended = once(child, 'close');
        child.stdin?.end();
        await ended;
      }),
    );
  }
}
