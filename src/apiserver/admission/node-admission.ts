import type { Json, JsonObject } from '../../util/json.js';
import { listOf, structOf } from '../api/json-access.js';
import type { Backend, ObjectTarget } from '../registry/backend.js';
import type { AdmissionAttributes } from './webhook.js';

const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

/** Taints a new node until it is ready. Source: Kubernetes documentation "Admission Control", TaintNodesByCondition. */
export function admitNode(_backend: Backend, _target: ObjectTarget, node: JsonObject, { operation }: AdmissionAttributes): JsonObject {
  const spec = structOf(node.spec);
  const taints = listOf(spec.taints);
  const isTainted = taints.some(({ key, effect }) => key === notReady.key && effect === notReady.effect);
  return operation === 'UPDATE' || isTainted ? node : { ...node, spec: { ...spec, taints: [...taints, notReady] as Json } };
}
