import { readFileSync } from 'node:fs';

/**
 * Returns true if a process with this id runs, even as another user.
 *
 * @param start `processStart` of the process that is meant: another one may have its id now. @default any process
 */
export function isProcessAlive(pid: number, start?: string): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const found = start === undefined ? undefined : processStart(pid);
  return found === undefined || found === start;
}

/**
 * Returns a text that tells a process from all others that have had its id; undefined where the system does not say it. A process that has
 * ended, and whose parent has not noticed, has another text.
 * Source: proc(5), `/proc/PID/stat`, fields 3 and 22.
 */
export function processStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return 'ended';
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}-${fields[19]}`;
  } catch {
    return undefined;
  }
}
