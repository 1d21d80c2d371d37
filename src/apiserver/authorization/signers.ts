import { metadataOf } from '../../fields/object.js';
import { type JsonObject, jsonEqual } from '../../util/json.js';
import { forbidden } from '../api/status-error.js';
import { isAdministrator, type User } from '../api/user.js';
import type { Backend, ObjectTarget } from '../registry/backend.js';
import { storeName } from '../registry/resource.js';
import { timestamp } from '../storage/clock.js';
import { decide } from './authorize.js';

const group = 'certificates.k8s.io';

/** Verb on `signers` for a write of each subresource. */
const verbs: Readonly<Record<string, string>> = { approval: 'approve', status: 'sign' };

/**
 * Refuses to decide on a CertificateSigningRequest, or to sign it, without the right to do so for its signer. An object that is not
 * valid is refused for that, later. Source: Kubernetes documentation "Certificates and Certificate Signing Requests", "Authorization".
 *
 * @throws StatusError 403
 */
export function confirmSigner(backend: Backend, user: User, target: ObjectTarget, object: JsonObject, live: JsonObject): void {
  const { resource, subresource = '', name } = target;
  const verb = verbs[subresource];
  if (verb === undefined || isAdministrator(user) || storeName(resource) !== `${group}/certificatesigningrequests`) return;
  const { signerName } = live.spec as { signerName: string };
  const all = `${signerName.split('/')[0]}/*`;
  if ([signerName, all].some((each) => decide(backend, user, { verb, group, resource: 'signers', name: each }).allowed)) return;
  const { resourceVersion } = metadataOf(object);
  if (resourceVersion && resourceVersion !== metadataOf(live).resourceVersion) return;
  const update = { live, subresource, explicitEmpty: [], now: timestamp(backend.clock) };
  const prepared = resource.strategy.prepareForUpdate(object, update);
  if (verb === 'sign' && jsonEqual(prepared.status ?? {}, live.status ?? {})) return;
  if (resource.strategy.validate(prepared, update).length > 0) return;
  throw forbidden(resource, name, `user not permitted to ${verb} requests with signerName ${JSON.stringify(signerName)}`);
}
