import type { ApiResponse } from '../api/request.js';
import { noSuchPath } from '../api/status-error.js';
import type { Backend } from '../registry/backend.js';
import { discoveredReviews } from '../verbs/review.js';
import { pathNotFound } from './plain-text.js';

/**
 * Returns the response to a path of a group that addresses no resource: it is plain text, unless the group is one of the server itself. Source:
 * observed.
 *
 * @throws StatusError 404
 */
export function notServed({ catalog }: Backend, group: string): ApiResponse {
  if (catalog.isBuiltInGroup(group) || discoveredReviews.some((review) => review.group === group)) throw noSuchPath();
  return pathNotFound();
}
