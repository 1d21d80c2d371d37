import { objectText } from '../../../assembly/identity.js';
import { metadataOf, nameOf } from '../../../fields/object.js';
import type { JsonObject } from '../../../util/json.js';

/** Names a workload or a pod, such as `Pod shop/web-5d8f-x2x7q`. */
export function workloadText(object: JsonObject): string {
  const { namespace } = metadataOf(object);
  return objectText({ apiVersion: String(object.apiVersion), kind: String(object.kind), namespace, name: nameOf(object) });
}
