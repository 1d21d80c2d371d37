import { createHash } from 'node:crypto';

const longest = 80;

/**
 * A file name without ending for a stack: its own name where that is safe on every file system, else what is safe of it and a hash, so
 * that no two stacks meet, not even where case does not count.
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
