import { metadataOf } from '../../fields/object.js';
import type { Json, JsonObject } from '../../util/json.js';
import type { ApiRequest } from '../api/request.js';
import { administrator, type User } from '../api/user.js';
import { authorize } from '../authorization/authorize.js';
import { confirmNoEscalation } from '../authorization/escalation.js';
import { confirmSigner } from '../authorization/signers.js';
import type { Backend, ObjectTarget } from '../registry/backend.js';
import { storeName } from '../registry/resource.js';
import { admitBuiltIn } from './admit-built-in.js';
import { simulationWarnings } from './simulation-warnings.js';
import { type AdmissionAttributes, type Admitted, hasWebhooks } from './webhook.js';

/**
 * Runs admission: checks the rights that only the resulting object reveals, and calls webhooks, of which the mutating ones may change
 * the object. Ownership is computed before, so a field that a webhook changes has no owner.
 * Source: Kubernetes documentation "Admission Control", "Dynamic Admission Control".
 *
 * @throws StatusError
 */
export async function admit<Content extends JsonObject | null>(
  backend: Backend,
  target: ObjectTarget,
  request: ApiRequest,
  admission: AdmissionAttributes & { readonly object: Content },
): Promise<Admitted<Content>> {
  const user = request.user ?? administrator;
  const { explicitEmpty = [] } = admission;
  if (admission.operation === 'CREATE' && request.method !== 'POST') {
    const { resource, namespace, name } = target;
    authorize(backend, user, { verb: 'create', group: resource.group, resource: resource.plural, namespace, name });
  }
  const sent = (
    admission.operation === 'CREATE' ? withRequester(target, inNamespace(target, admission.object), user) : admission.object
  ) as Content;
  const object = admitBuiltIn(backend, target, sent, admission);
  if (object !== null && backend.simulated === true && target.subresource === undefined)
    target.warnings.push(...simulationWarnings(object));
  if (object !== null) confirmNoEscalation(backend, user, target, object, admission.oldObject);
  if (object !== null && admission.operation === 'UPDATE') confirmSigner(backend, user, target, object, admission.oldObject as JsonObject);
  const admitted = { ...admission, object };
  if (!hasWebhooks(backend)) return { object, explicitEmpty };
  const { dispatchWebhooks } = await import('./webhook-dispatcher.js');
  return (await dispatchWebhooks(backend, target, request, admitted)) as Admitted<Content>;
}

/** Gives a new object the namespace of its path. */
function inNamespace({ namespace }: ObjectTarget, object: JsonObject | null): JsonObject | null {
  if (object === null || namespace === undefined) return object;
  return { ...object, metadata: { ...metadataOf(object), namespace } };
}

/** Gives a new CertificateSigningRequest the user who makes it. Source: Kubernetes API reference, CertificateSigningRequestSpec. */
function withRequester({ resource }: ObjectTarget, object: JsonObject | null, { name, uid, groups, extra }: User): JsonObject | null {
  if (object === null || storeName(resource) !== 'certificates.k8s.io/certificatesigningrequests') return object;
  const { username: _, uid: __, groups: ___, extra: ____, ...spec } = object.spec as JsonObject;
  const requester = {
    username: name,
    ...(uid ? { uid } : {}),
    groups: groups as Json,
    ...(extra ? { extra: extra as unknown as Json } : {}),
  };
  return { ...object, spec: { ...spec, ...requester } };
}
