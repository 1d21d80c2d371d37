import type { PartialObject } from '../assembly/index.js';
import { trackingKey } from '../assembly/tracking-key.js';
import { isJsonObject, type Json, type JsonObject } from '../util/json.js';

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

/**
 * Whether an object declares no field at all, so that the server records no owner of it: a bare Namespace, ServiceAccount or ConfigMap. What
 * names an object is nobody's field, and of an empty list nothing is recorded where its items are told apart.
 */
export function isBare(object: PartialObject): boolean {
  return !declaresBeside(object, ['apiVersion', 'kind', 'status', 'metadata']) && !declaresBeside(object.metadata, naming);
}

const naming = ['name', 'namespace', 'creationTimestamp'];

function declaresBeside(map: JsonObject, names: readonly string[]): boolean {
  for (const name of Object.keys(map)) if (!names.includes(name) && declares(map[name])) return true;
  return false;
}

function declares(value: Json | undefined): boolean {
  if (value === undefined) return false;
  if (Array.isArray(value)) return value.length > 0;
  if (!isJsonObject(value)) return true;
  const members = Object.values(value);
  return members.length === 0 || members.some(declares);
}
