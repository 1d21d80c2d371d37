import { spawn } from 'node:child_process';

/** A way to end a process and its children: a signal to their group, or a command where there are none. */
export type WayToEnd = { readonly group: number; readonly signal: NodeJS.Signals } | { readonly command: readonly [string, ...string[]] };

/** Returns how a process that was started as the leader of a group is ended. Windows has neither groups nor signals. */
export function endingOf(pid: number, signal: NodeJS.Signals, platform: NodeJS.Platform = process.platform): WayToEnd {
  return platform === 'win32' ? { command: ['taskkill', '/pid', String(pid), '/t', '/f'] } : { group: pid, signal };
}

/** Ends a process and its children, if they still run. */
export function endProcessGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  const ending = endingOf(pid, signal);
  if ('command' in ending) {
    const [file, ...words] = ending.command;
    spawn(file, words, { stdio: 'ignore', windowsHide: true }).on('error', () => {});
    return;
  }
  try {
    process.kill(-ending.group, ending.signal);
  } catch {
    // The group has already ended.
  }
}
