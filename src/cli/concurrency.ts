import { InvalidArgumentError } from 'commander';

/** Reads the value of `--concurrency`. */
export function readConcurrency(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= 256) return number;
  throw new InvalidArgumentError('It must be a whole number from 1 to 256.');
}
