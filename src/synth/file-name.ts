import { createHash } from 'node:crypto';

const longest = 80;

/**
 * Returns a file name without extension for a stack: its name if that is safe on every file system, else the safe part of the name and a
 * hash. The file names of two stacks never differ only in case.
 */
export function fileNameOf(stack: string): string {
  if (
    stack.length <= longest &&
    /^[a-z0-9][a-z0-9._-]*$/.test(stack) &&
    !/^manifest$|\.$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/.test(stack)
  ) {
    return stack;
  }
  const safe = stack
    .toLowerCase()
    .replaceAll('/', '.')
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '')
    .slice(0, longest);
  const hash = createHash('sha256').update(stack).digest('hex').slice(0, 12);
  return `${safe || 'stack'}~${hash}`;
}
