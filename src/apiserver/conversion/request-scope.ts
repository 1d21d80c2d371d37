import type { RequestScope } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import type { Backend, RequestTarget } from '../registry/backend.js';
import { timestamp } from '../storage/clock.js';
import { type ConversionOptions, withConversions } from './conversions.js';

/** Returns the scope of a write for the ownership functions. */
export function requestScopeOf(backend: Backend, target: RequestTarget, manager: string): RequestScope {
  const { resource, version, subresource } = target;
  const zeroValue = resource.strategy.zeroValue(version.apiVersion);
  return {
    kind: resource.types,
    apiVersion: version.apiVersion,
    manager,
    now: timestamp(backend.clock),
    ignored: resource.strategy.resetFields(version.apiVersion, subresource),
    cache: backend.cache,
    prunedContainers: backend.prunedContainers,
    ...(subresource === undefined ? {} : { subresource }),
    ...(zeroValue === undefined ? {} : { zeroValue }),
  };
}

/** Returns a stored object in the version of the request, in a computation of `withConversions`. */
export function decodeStored(target: RequestTarget, stored: JsonObject): JsonObject {
  return target.resource.strategy.decode(stored, target.version.apiVersion);
}

/** Returns a stored object in the version of the request, for which a webhook may have to convert it. @throws StatusError 500 */
export function readStored(
  backend: Backend,
  target: RequestTarget,
  stored: JsonObject,
  options: ConversionOptions = {},
): JsonObject | Promise<JsonObject> {
  return withConversions(backend, target, () => decodeStored(target, stored), options);
}
