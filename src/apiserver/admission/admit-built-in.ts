import type { JsonObject } from '../../util/json.js';
import type { Backend, ObjectTarget } from '../registry/backend.js';
import { storeName } from '../registry/resource.js';
import { refuseAllocatedNodePorts } from './allocated-node-ports.js';
import { withDefaultClass } from './default-classes.js';
import { admitNode } from './node-admission.js';
import { admitPod } from './pod-admission.js';
import { protectStorage } from './storage-protection.js';
import type { AdmissionAttributes } from './webhook.js';

type BuiltInPlugin = (backend: Backend, target: ObjectTarget, object: JsonObject, admission: AdmissionAttributes) => JsonObject;

const plugins: ReadonlyMap<string, BuiltInPlugin> = new Map([
  ['/nodes', admitNode],
  ['/pods', admitPod],
  ['/persistentvolumes', protectStorage],
  ['/services', refuseAllocatedNodePorts],
  [
    '/persistentvolumeclaims',
    (backend, target, claim, admission) => protectStorage(backend, target, withDefaultClass(backend, target, claim, admission), admission),
  ],
  ['networking.k8s.io/ingresses', withDefaultClass],
]);

/**
 * Runs the admission plugins of the server that act on a kind: they fill in values or refuse the object, before webhooks are called.
 * Source: Kubernetes documentation "Admission Control", the plugins that are on by default.
 *
 * @throws StatusError 403, 422
 */
export function admitBuiltIn<Content extends JsonObject | null>(
  backend: Backend,
  target: ObjectTarget,
  object: Content,
  admission: AdmissionAttributes,
): Content {
  if (object === null || target.subresource !== undefined) return object;
  const plugin = plugins.get(storeName(target.resource));
  return plugin === undefined ? object : (plugin(backend, target, object, admission) as Content);
}
