import { InvalidArgumentError } from 'commander';

/** Returns the number of a revision that a text names; undefined if it names none. */
export function revisionNumber(text: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

/** Reads the number of a revision in a flag. */
export function readRevision(text: string): number {
  const number = revisionNumber(text);
  if (number !== undefined) return number;
  throw new InvalidArgumentError('Expected the number of a revision, such as 3; `fieldwise history` lists them.');
}
