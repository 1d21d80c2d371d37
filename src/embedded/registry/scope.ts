import type { RequestScope } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import { timestamp } from '../storage/clock.js';
import type { Backend, Target } from './backend.js';

/** The circumstances of a write, as the merge engine wants them. */
export function scopeOf(backend: Backend, target: Target, manager: string): RequestScope {
  const { resource, version, subresource } = target;
  const blank = resource.form.blank(version.apiVersion);
  return {
    kind: resource.types,
    apiVersion: version.apiVersion,
    manager,
    now: timestamp(backend.clock),
    ignored: resource.form.ignored(version.apiVersion, subresource),
    cache: backend.cache,
    emptied: backend.emptied,
    ...(subresource === undefined ? {} : { subresource }),
    ...(blank === undefined ? {} : { blank }),
  };
}

/** The stored object as a request of this target reads it. */
export function readFor(target: Target, stored: JsonObject): JsonObject {
  return target.resource.form.read(stored, target.version.apiVersion);
}
