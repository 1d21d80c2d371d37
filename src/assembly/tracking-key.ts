import { createHash } from 'node:crypto';

/** Key of the annotation that names a stack on an object: names of annotations hold 63 characters, and field managers more. */
export function trackingKey(manager: string): string {
  return `fieldwise.dev/stack-${createHash('sha256').update(manager).digest('hex').slice(0, 16)}`;
}
