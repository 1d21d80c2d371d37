import { createHash } from 'node:crypto';

/** Returns the key of the annotation that names a stack. It is a hash, because a field manager may exceed the 63 characters of a name. */
export function trackingKey(manager: string): string {
  return `fieldwise.dev/stack-${createHash('sha256').update(manager).digest('hex').slice(0, 16)}`;
}
