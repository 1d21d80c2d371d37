import { metadataOf } from '../../fields/object.js';
import { isJsonObject } from '../../util/json.js';
import { type ApiRequest, type ApiResponse, apiResponse } from '../api/request.js';
import type { Route } from '../api/route.js';
import { methodNotAllowed, noSuchPath } from '../api/status-error.js';
import type { User } from '../api/user.js';
import { subjectReviews } from '../authentication/subject-reviews.js';
import { accessReviews } from '../authorization/access-reviews.js';
import { reviewBody } from '../http/body.js';
import type { Backend } from '../registry/backend.js';
import { checkNamespace } from '../registry/check-names.js';
import type { DiscoveredResource } from '../registry/discovered-resource.js';
import { pluralOf, type Review } from '../registry/review.js';

const reviews: readonly Review[] = [...subjectReviews, ...accessReviews];

/** The reviews as discovery lists them. */
export const discoveredReviews: readonly DiscoveredResource[] = reviews.map((review) => ({
  group: review.group,
  plural: pluralOf(review),
  singular: review.kind.toLowerCase(),
  kind: review.kind,
  namespaced: review.namespaced,
  verbs: ['create'],
  shortNames: [],
  categories: [],
  stored: false,
  versions: new Map([
    [review.version, { name: review.version, apiVersion: `${review.group}/${review.version}`, status: false, scale: undefined }],
  ]),
}));

export function findReview({ group, version, plural }: Route): Review | undefined {
  return reviews.find((review) => review.group === group && review.version === version && pluralOf(review) === plural);
}

/** Handles POST of a review: the response is the request with its result. @throws StatusError */
export async function reviewVerb(backend: Backend, user: User, review: Review, route: Route, request: ApiRequest): Promise<ApiResponse> {
  if (route.name !== undefined || review.namespaced !== (route.namespace !== undefined)) throw noSuchPath();
  if (request.method !== 'POST') throw methodNotAllowed();
  const apiVersion = `${review.group}/${review.version}`;
  const object = await reviewBody(request, { apiVersion, kind: review.kind });
  checkNamespace(route.namespace, metadataOf(object).namespace);
  const spec = isJsonObject(object.spec) ? object.spec : {};
  return apiResponse(201, {
    kind: review.kind,
    apiVersion,
    metadata: {},
    ...(review.kind === 'SelfSubjectReview' ? {} : { spec }),
    ...review.evaluate(backend, user, spec, route.namespace),
  });
}
