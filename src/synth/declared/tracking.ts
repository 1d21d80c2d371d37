import type { PartialObject } from '../../assembly/index.js';
import { trackingKey } from '../../assembly/tracking-key.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';

/** A stack that an annotation of an object names. */
export interface TrackedStack {
  readonly app: string;
  readonly instance: string;
  readonly stack: string;
  readonly manager: string;
}

/**
 * Returns the object with an annotation that names the stack. Each stack has its own key, so several stacks can annotate one object. Each
 * owns its annotation, which the server removes when the stack releases the object.
 */
export function withTracking(object: PartialObject, stack: TrackedStack): PartialObject {
  const annotations = isJsonObject(object.metadata.annotations) ? object.metadata.annotations : {};
  const tracked = { ...annotations, [trackingKey(stack.manager)]: `${stack.app}/${stack.instance}/${stack.stack}` };
  return { ...object, metadata: { ...object.metadata, annotations: tracked } };
}

/**
 * Returns true if an object declares no field, so that the server records no owner of it: a bare Namespace, ServiceAccount or ConfigMap. The
 * fields that address an object have no owner, and the server does not record empty associative lists.
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
