import { closeSync, openSync } from 'node:fs';
import { isatty, ReadStream } from 'node:tty';

/**
 * Opens the terminal of this process for reading, where standard input is a pipe. Returns undefined if the process has none, its messages do
 * not appear there, or the system has another way to name it (Windows).
 */
export function openTerminalDevice(): ReadStream | undefined {
  if (process.platform === 'win32' || !isatty(2)) return undefined;
  let descriptor: number;
  try {
    descriptor = openSync('/dev/tty', 'r');
  } catch {
    return undefined;
  }
  try {
    return new ReadStream(descriptor);
  } catch {
    closeSync(descriptor);
    return undefined;
  }
}
