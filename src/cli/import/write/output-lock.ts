import { mkdir, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { thisMachine } from '../../../util/machine.js';

/** A lock that is older belongs to an import that was killed: writing takes a fraction of it. */
const staleMilliseconds = 30_000;

/**
 * Does some work while no other import writes to the output directory. An output that cannot be locked, such as a file, is left to the work
 * to refuse.
 */
export async function withOutputLock<Result>(output: string, work: () => Promise<Result>): Promise<Result> {
  const file = join(output, '.fieldwise-import.lock');
  const isLocked = await lock(output, file);
  try {
    return await work();
  } finally {
    if (isLocked) await rm(file, { force: true });
  }
}

async function lock(output: string, file: string): Promise<boolean> {
  try {
    await mkdir(output, { recursive: true });
  } catch {
    return false;
  }
  for (;;) {
    try {
      await (await open(file, 'wx')).close();
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
      const found = await stat(file).catch(() => undefined);
      if (found !== undefined && Date.now() - found.mtimeMs > staleMilliseconds) await rm(file, { force: true });
      else await thisMachine.pause(50);
    }
  }
}
