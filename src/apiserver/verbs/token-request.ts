import { metadataOf } from '../../fields/object.js';
import { stringifyExactJson } from '../../util/exact-json.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { Admission } from '../admission/admission.js';
import { refuseEndedNamespace } from '../admission/namespace-lifecycle.js';
import { invalidValue } from '../api/field-error.js';
import { goTypeOf } from '../api/json-text.js';
import { type ApiRequest, type ApiResponse, apiResponse } from '../api/request.js';
import { badRequest, conflictOn, invalid, notFound, type StatusError } from '../api/status-error.js';
import { boundObjects } from '../authentication/bound-object.js';
import { issuer, issueToken } from '../authentication/service-account-token.js';
import { objectBody } from '../http/body.js';
import { type Backend, type ObjectTarget, targetKey } from '../registry/backend.js';
import { checkNamespace } from '../registry/check-names.js';
import { timestamp } from '../storage/clock.js';

const group = 'authentication.k8s.io';

/** Handles POST to `serviceaccounts/NAME/token`. Source: Kubernetes API reference, TokenRequest. */
export async function tokenRequestVerb(backend: Backend, target: ObjectTarget, request: ApiRequest): Promise<ApiResponse> {
  const { object } = await objectBody(request, target);
  refuseEndedNamespace(backend, target, target.name);
  checkTarget(target, object);
  const account = backend.store.get(targetKey(target));
  if (account === undefined) throw notFound(target.resource, target.name);
  const dryRun = request.query.getAll('dryRun').includes('All');
  const created = { operation: 'CREATE', object, oldObject: null, dryRun } as const;
  await new Admission(backend, target, request).validate(created);
  const spec = isJsonObject(object.spec) ? object.spec : {};
  const audiences = audiencesOf(spec.audiences ?? []);
  const lifetime = lifetimeOf(spec.expirationSeconds ?? 3600);
  const { name, namespace, uid } = metadataOf(account);
  checkUid(target, metadataOf(object).uid, uid);
  const ref = isJsonObject(spec.boundObjectRef) ? spec.boundObjectRef : undefined;
  const { clock, signingKey, newUid, store } = backend;
  const bound = ref === undefined ? {} : boundObjects(store, account, ref);
  const token = issueToken(signingKey(), clock, { account, audiences, lifetime, id: newUid(), bound });
  const expirationTimestamp = timestamp(() => clock() + lifetime * 1000);
  return apiResponse(201, {
    kind: 'TokenRequest',
    apiVersion: `${group}/v1`,
    metadata: { name, namespace, uid, creationTimestamp: timestamp(clock) },
    spec: { audiences: audiences as Json, expirationSeconds: lifetime, boundObjectRef: ref ?? null },
    status: { token, expirationTimestamp },
  });
}

/** Checks that a TokenRequest names its ServiceAccount, if any. @throws StatusError 400, 422 */
function checkTarget({ name, namespace }: ObjectTarget, object: JsonObject): void {
  const { name: sent, namespace: sentNamespace } = metadataOf(object);
  checkNamespace(namespace, sentNamespace);
  const error = invalidValue('metadata.name', sent, 'must match the service account name if specified');
  if (sent && sent !== name) throw invalid('TokenRequest', group, name, [error]);
}

/** @throws StatusError 409 */
function checkUid({ name }: ObjectTarget, sent: string | undefined, uid: string | undefined): void {
  if (!sent || sent === uid) return;
  const reason = `the UID in the token request (${sent}) does not match the UID of the service account (${uid})`;
  throw conflictOn({ group, plural: 'TokenRequest' }, name, reason);
}

/** Returns for whom a token is; the server itself if nobody is named. @throws StatusError 400 */
function audiencesOf(sent: Json): readonly string[] {
  if (!Array.isArray(sent)) throw undecodable(goTypeOf(sent), 'TokenRequestSpec.spec.audiences of type []string');
  if (sent.length === 0) return [issuer];
  return (sent as readonly Json[]).map((each) => {
    if (typeof each === 'string' || each === null) return each ?? '';
    throw undecodable(goTypeOf(each), 'TokenRequestSpec.spec.audiences of type string');
  });
}

function undecodable(found: string, field: string): StatusError {
  return badRequest(
    `TokenRequest in version "v1" cannot be handled as a TokenRequest: json: cannot unmarshal ${found} into Go struct field ${field}`,
  );
}

/** Returns the seconds that a token is valid. @throws StatusError 400, 422 */
function lifetimeOf(seconds: Json): number {
  const isInteger = typeof seconds === 'bigint' || Number.isInteger(seconds);
  if (!isInteger || BigInt.asIntN(64, BigInt(seconds as number)) !== BigInt(seconds as number)) {
    const found = typeof seconds === 'string' ? 'string' : `${goTypeOf(seconds)} ${stringifyExactJson(seconds)}`;
    throw undecodable(found, 'TokenRequestSpec.spec.expirationSeconds of type int64');
  }
  const refuse = (detail: string) => invalid('TokenRequest', group, '', [invalidValue('spec.expirationSeconds', seconds, detail)]);
  if (Number(seconds) < 600) throw refuse('may not specify a duration less than 10 minutes');
  if (Number(seconds) > 2 ** 32) throw refuse('may not specify a duration larger than 2^32 seconds');
  return Number(seconds);
}
