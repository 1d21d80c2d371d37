import { createHash } from 'node:crypto';
import type { PartialObject } from '../assembly/index.js';
import { isJsonObject } from '../util/json.js';

/** What an annotation of an object names: a stack that has its hand in it. */
export interface TrackedStack {
  readonly app: string;
  readonly instance: string;
  readonly stack: string;
  readonly manager: string;
}

/**
 * The object with an annotation that names the stack. The key is the stack's own, so several stacks name themselves on one object, each
 * owns its annotation, and it goes when the stack lets go of the object.
 */
export function withTracking(object: PartialObject, stack: TrackedStack): PartialObject {
  const annotations = isJsonObject(object.metadata.annotations) ? object.metadata.annotations : {};
  const tracked = { ...annotations, [trackingKey(stack.manager)]: `${stack.app}/${stack.instance}/${stack.stack}` };
  return { ...object, metadata: { ...object.metadata, annotations: tracked } };
}

/** Key of the annotation of a stack: names of annotations hold 63 characters, and field managers more. */
export function trackingKey(manager: string): string {
  return `fieldwise.dev/stack-${createHash('sha256').update(manager).digest('hex').slice(0, 16)}`;
}
