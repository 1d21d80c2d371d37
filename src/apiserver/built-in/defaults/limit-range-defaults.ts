import type { JsonObject } from '../../../util/json.js';
import { structOf } from '../../api/json-access.js';

/** Returns the limits of containers with their defaults: maxima are default limits, default limits and minima are default requests. */
export function withLimitDefaults(item: JsonObject): JsonObject {
  if (item.type !== 'Container') return item;
  const limits = { ...structOf(item.max), ...structOf(item.default) };
  const requests = { ...structOf(item.min), ...limits, ...structOf(item.defaultRequest) };
  return {
    ...item,
    ...(Object.keys(limits).length === 0 ? {} : { default: limits }),
    ...(Object.keys(requests).length === 0 ? {} : { defaultRequest: requests }),
  };
}
