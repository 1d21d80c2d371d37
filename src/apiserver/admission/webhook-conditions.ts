import type { JsonObject } from '../../util/json.js';
import type { ApiRequest } from '../api/request.js';
import { forbidden } from '../api/status-error.js';
import { evaluateMatchConditions, type PolicyRequest, type VersionedResource, webhookConditions } from '../policies/index.js';
import type { Backend, ObjectTarget } from '../registry/backend.js';
import { surroundingsOf } from './policy-dispatcher.js';
import type { Webhook } from './webhook.js';

/**
 * Returns true if the match conditions of a webhook hold for a request.
 *
 * @param resource the version that the webhook matches, in which its conditions see the objects
 * @throws StatusError if they cannot be evaluated, with `failurePolicy: Fail`
 */
export function meetsConditions(
  backend: Backend,
  target: ObjectTarget,
  sent: ApiRequest,
  request: PolicyRequest,
  resource: VersionedResource,
  { declared, failurePolicy }: Webhook,
): boolean {
  const surroundings = surroundingsOf(backend, target, sent);
  const versioned = (object: JsonObject | null) => (object === null ? null : surroundings.inVersion(object, resource));
  const [object, oldObject] = [versioned(request.object), versioned(request.oldObject)];
  const result = evaluateMatchConditions(webhookConditions(declared), {
    ...{ request, surroundings, resource, object, oldObject },
    variables: new Map(),
  });
  if (typeof result === 'string') return result === 'met';
  if (failurePolicy === 'Ignore') return false;
  throw forbidden(target.resource, request.name || undefined, result.error);
}
