import { InvalidArgumentError } from 'commander';

/** Reads the number of a revision. */
export function readRevision(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected the number of a revision, such as 3; `fieldwise history` lists them.');
}
