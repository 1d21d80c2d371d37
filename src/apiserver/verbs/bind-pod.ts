import { metadataOf, type ObjectMetadata } from '../../fields/object.js';
import type { Json, JsonObject } from '../../util/json.js';
import { Admission } from '../admission/admission.js';
import { refuseEndedNamespace } from '../admission/namespace-lifecycle.js';
import { topologyLabels } from '../admission/topology-labels.js';
import { type FieldError, fieldErrorText, required, unsupported } from '../api/field-error.js';
import { listOf, structOf } from '../api/json-access.js';
import type { ApiRequest } from '../api/request.js';
import { badRequest, conflictOn, internalError, notFound } from '../api/status-error.js';
import { objectBody } from '../http/body.js';
import { type Backend, type ObjectTarget, targetKey } from '../registry/backend.js';
import { writeOptions } from '../registry/write-options.js';
import { timestamp } from '../storage/clock.js';

/**
 * Assigns a Pod to a node, as a scheduler asks for it.
 *
 * @param isOfPod false for a Binding that is sent to `bindings`.
 * @throws StatusError
 */
export async function bindPod(backend: Backend, target: ObjectTarget, request: ApiRequest, isOfPod = true): Promise<void> {
  const { dryRun } = writeOptions(request, 'CreateOptions');
  const { object: binding } = await objectBody(request, target);
  const { name, annotations, labels, uid } = metadataOf(binding);
  const admitted = isOfPod ? target : bindingsTarget(target);
  refuseEndedNamespace(backend, admitted, target.name);
  if (name !== target.name) throw badRequest('name in URL does not match name in Binding object');
  const node = structOf(binding.target);
  const errors = targetErrors(node);
  if (errors.length > 0) throw internalError(errors.map(fieldErrorText).join(', '));
  const created = { operation: 'CREATE', object: binding, oldObject: null, dryRun } as const;
  await new Admission(backend, admitted, request).validate(created);
  const pod = backend.store.get(targetKey(target));
  if (pod === undefined) throw notFound(target.resource, target.name);
  const refused = (reason: string) => conflictOn({ group: '', plural: 'pods/binding' }, target.name, reason);
  const { nodeName, schedulingGates } = structOf(pod.spec);
  const metadata = metadataOf(pod);
  if (uid && uid !== metadata.uid)
    throw refused(`Precondition failed: UID in precondition: ${uid}, UID in object meta: ${String(metadata.uid)}`);
  if (metadata.deletionTimestamp !== undefined) throw refused(`pod ${target.name} is being deleted, cannot be assigned to a host`);
  if (nodeName) throw refused(`pod ${target.name} is already assigned to node ${JSON.stringify(nodeName)}`);
  if (listOf(schedulingGates).length > 0) throw refused(`pod ${target.name} has non-empty .spec.schedulingGates`);
  if (dryRun) return;
  // A Binding that is sent to `bindings`, or names no kind, does not carry the place of the node.
  const place = isOfPod && node.kind === 'Node' ? topologyLabels(backend, String(node.name)) : {};
  const added = { ...merged(metadata, 'annotations', { ...annotations }), ...merged(metadata, 'labels', { ...labels, ...place }) };
  const spec = { ...structOf(pod.spec), nodeName: node.name as Json };
  const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: timestamp(backend.clock) };
  backend.store.put(targetKey(target), { ...withCondition(pod, scheduled), spec, metadata: { ...metadata, ...added } });
}

/** Returns the target of a Binding that is sent to `bindings`, as policies see it. */
function bindingsTarget({ subresource: _, ...target }: ObjectTarget): ObjectTarget {
  const resource = { ...target.resource, plural: 'bindings', kind: 'Binding', sharedStore: '/bindings' };
  return { ...target, subresource: undefined, resource };
}

function merged(metadata: ObjectMetadata, member: 'annotations' | 'labels', added: Readonly<Record<string, string>>): JsonObject {
  return Object.keys(added).length === 0 ? {} : { [member]: { ...metadata[member], ...added } };
}

function targetErrors({ kind, name }: JsonObject): readonly FieldError[] {
  return [
    ...(kind === undefined || kind === '' || kind === 'Node' ? [] : [unsupported('target.kind', kind, ['Node', '<empty>'])]),
    ...(name ? [] : [required('target.name')]),
  ];
}

/** Returns a Pod with a condition in its status, in the place of the one of that type. */
export function withCondition(pod: JsonObject, condition: JsonObject): JsonObject {
  const status = structOf(pod.status);
  const before = listOf(status.conditions);
  const isNew = before.every(({ type }) => type !== condition.type);
  const conditions = isNew ? [...before, condition] : before.map((each) => (each.type === condition.type ? condition : each));
  return { ...pod, status: { ...status, conditions } };
}
