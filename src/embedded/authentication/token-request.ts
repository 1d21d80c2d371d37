import { metadataOf } from '../../kubernetes/object.js';
import { isJsonObject, type Json } from '../../util/json.js';
import { invalidValue } from '../api/field-error.js';
import { type ApiRequest, type ApiResponse, apiResponse } from '../api/request.js';
import { invalid, methodNotAllowed, notFound } from '../api/status-error.js';
import { objectBody } from '../http/body.js';
import { type Backend, keyOf, type ObjectTarget } from '../registry/backend.js';
import { timestamp } from '../storage/clock.js';
import { issuer, issueToken } from './service-account-token.js';

/** Handles POST to `serviceaccounts/NAME/token`. Source: Kubernetes API reference, TokenRequest. */
export async function tokenRequestVerb(backend: Backend, target: ObjectTarget, request: ApiRequest): Promise<ApiResponse> {
  if (request.method !== 'POST') throw methodNotAllowed();
  const { object } = await objectBody(request, target);
  const account = backend.store.get(keyOf(target));
  if (account === undefined) throw notFound(target.resource, target.name);
  const spec = isJsonObject(object.spec) ? object.spec : {};
  const lifetime = typeof spec.expirationSeconds === 'number' ? spec.expirationSeconds : 3600;
  if (lifetime < 600) {
    const error = invalidValue('spec.expirationSeconds', lifetime, 'may not specify a duration less than 10 minutes');
    throw invalid('TokenRequest', 'authentication.k8s.io', '', [error]);
  }
  const audiences = Array.isArray(spec.audiences) && spec.audiences.length > 0 ? (spec.audiences as readonly string[]) : [issuer];
  const { clock, signingKey, newUid } = backend;
  const token = issueToken(signingKey(), clock, { account, audiences, lifetime, id: newUid() });
  const { name, namespace, uid } = metadataOf(account);
  const expirationTimestamp = timestamp(() => clock() + lifetime * 1000);
  return apiResponse(201, {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name, namespace, uid, creationTimestamp: timestamp(clock) },
    spec: { audiences: audiences as Json, expirationSeconds: lifetime, boundObjectRef: spec.boundObjectRef ?? null },
    status: { token, expirationTimestamp },
  });
}
