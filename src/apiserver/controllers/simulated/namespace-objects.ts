import { isTerminating, nameOf } from '../../../fields/object.js';
import type { JsonObject } from '../../../util/json.js';
import { structOf } from '../../api/json-access.js';
import type { ControllerContext } from './controller-context.js';

const description =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or ' +
  'kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';

/** The name of the ConfigMap with the certificate of the server that each namespace has. */
export const caConfigMap = 'kube-root-ca.crt';

/**
 * Creates the default ServiceAccount of a namespace and its ConfigMap with the certificate of the server, or restores them.
 * Source: Kubernetes documentation "Service Accounts"; "Bound service account token volume".
 */
export async function syncNamespaceObjects(context: ControllerContext, namespace: JsonObject, ca: string): Promise<void> {
  if (isTerminating(namespace)) return;
  const name = nameOf(namespace);
  if (context.get('ServiceAccount', name, 'default') === undefined) {
    await context.create('ServiceAccount', { metadata: { name: 'default', namespace: name } });
  }
  const data = { 'ca.crt': ca };
  const found = context.get('ConfigMap', name, caConfigMap);
  if (found === undefined) {
    const annotations = { 'kubernetes.io/description': description };
    await context.create('ConfigMap', { metadata: { name: caConfigMap, namespace: name, annotations }, data });
  } else if (structOf(found.data)['ca.crt'] !== ca) {
    await context.update('ConfigMap', { ...found, data });
  }
}
