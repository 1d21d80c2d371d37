import { InvalidArgumentError } from 'commander';

/** Seconds of `--wait-lock` without a number. */
export const defaultWaitLock = 600;

/** Reads a flag's number of seconds. */
export function readSeconds(text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && number >= 0 && number <= 86_400) return number;
  throw new InvalidArgumentError('It must be a number of seconds, at most a day.');
}
