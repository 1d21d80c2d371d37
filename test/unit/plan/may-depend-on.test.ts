import { describe, expect, test } from 'vitest';
import { identityKey } from '../../../src/assembly/identity.js';
import type { Step } from '../../../src/engine/graph/waves.js';
import { ApiError } from '../../../src/kubernetes/index.js';
import { type ChangedObject, dependenceOf } from '../../../src/plan/may-depend-on.js';
import type { Json, JsonObject } from '../../../src/util/json.js';

const rbac = 'rbac.authorization.k8s.io/v1';
const admission = 'admissionregistration.k8s.io/v1';

function objectOf(
  apiVersion: string,
  kind: string,
  name: string,
  content: object = {},
  namespace: string | undefined = 'shop',
): JsonObject {
  return { apiVersion, kind, metadata: { name, ...(namespace === '' ? {} : { namespace }) }, ...content } as JsonObject;
}

function stepOf(object: JsonObject): Step {
  const { name, namespace } = object.metadata as { name: string; namespace?: string };
  const intent = { apiVersion: String(object.apiVersion), kind: String(object.kind), name, ...(namespace ? { namespace } : {}) };
  return { stack: { name: 'main' }, index: 0, intent, object, digest: '', key: identityKey(intent) } as unknown as Step;
}

function changed(after: JsonObject, before?: JsonObject): ChangedObject {
  const { namespace } = after.metadata as { namespace?: string };
  return { step: stepOf(after), action: before ? 'update' : 'create', namespace, before, after };
}

function depends(refused: JsonObject, message: string, code: number, change: ChangedObject, causes: readonly object[] = []): boolean {
  const { name, namespace } = refused.metadata as { name: string; namespace?: string };
  const kind = String(refused.kind);
  const resource = {
    apiVersion: String(refused.apiVersion),
    kind,
    plural: `${kind.toLowerCase()}s`,
    namespaced: namespace !== undefined,
  };
  const error = new ApiError('PATCH', '/', code, { kind: 'Status', message, details: { causes } } as Json);
  const address = { resource, name, ...(namespace ? { namespace } : {}) };
  return dependenceOf({ step: stepOf(refused), address, live: undefined, error })(change);
}

const labelled = (kind: string, label: string): JsonObject => ({
  ...objectOf('v1', kind, 'small', { spec: { limits: [] } }),
  metadata: { name: 'small', namespace: 'shop', labels: { label } },
});
const pod = (spec: object = {}) => objectOf('v1', 'Pod', 'web', { spec });
const config = objectOf('v1', 'ConfigMap', 'web');
const role = (name: string, rules: readonly object[] = [], namespace = 'shop') => objectOf(rbac, 'Role', name, { rules }, namespace);
const bindingTo = (name: string, kind = 'Role') => objectOf(rbac, 'RoleBinding', 'web', { roleRef: { kind, name } });
const account = (name: string, namespace = 'shop') => objectOf('v1', 'ServiceAccount', name, {}, namespace);
const space = (name: string, labels: JsonObject): JsonObject => ({
  ...objectOf('v1', 'Namespace', name, {}, ''),
  metadata: { name, labels },
});
const hook = (kind: string, resource: string) =>
  objectOf(admission, kind, 'hooks', { webhooks: [{ name: 'a.example.com', rules: [{ apiGroups: ['*'], resources: [resource] }] }] }, '');
const policy = (name: string) => objectOf(admission, 'ValidatingAdmissionPolicy', name, { spec: {} }, '');
const policyBinding = (name: string) => objectOf(admission, 'ValidatingAdmissionPolicyBinding', name, { spec: {} }, '');

const noClass = 'pods "web" is forbidden: no PriorityClass with name high was found';
const noRuntime = 'pods "web" is forbidden: pod rejected: RuntimeClass "gvisor" not found';
const noAccount = 'pods "web" is forbidden: error looking up service account shop/web: serviceaccount "web" not found';
const level = 'pod-security.kubernetes.io/enforce';
const insecure = 'pods "web" is forbidden: violates PodSecurity "restricted:latest": privileged';
const noRole = 'rolebindings.rbac.authorization.k8s.io "web" not found';
const byPolicy = `configmaps "web" is forbidden: ValidatingAdmissionPolicy 'colors' with binding 'here' denied request: no blue`;
const byWebhook = 'admission webhook "a.example.com" denied the request: ServiceAccount web must be labeled';
const noHook =
  'Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: Post "https://hook.ops.svc/": service "hook" not found';
const escalation =
  'rolebindings.rbac.authorization.k8s.io "web" is forbidden: user "system:serviceaccount:ops:ci" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}';
const grants = (resource: string) => [{ apiGroups: [''], resources: [resource], verbs: ['get'] }];
const subjectOf = (name: string) =>
  objectOf(rbac, 'RoleBinding', 'more', {
    roleRef: { kind: 'ClusterRole', name: 'x' },
    subjects: [{ kind: 'ServiceAccount', namespace: 'ops', name }],
  });
const overQuota = 'pods "web" is forbidden: exceeded quota: small, requested: pods=1, used: pods=1, limited: pods=1';
const overLimit = 'pods "web" is forbidden: maximum memory usage per Container is 1Gi, but limit is 2Gi';
const invalid = 'Pod "web" is invalid: spec.restartPolicy: Unsupported value: "Sometimes"';

describe('a refusal can depend on', () => {
  test.each<[string, JsonObject, string, number, ChangedObject]>([
    ['the role of a binding, which the message does not name', bindingTo('reader'), noRole, 404, changed(role('reader'))],
    ['a cluster role of a binding', bindingTo('wide', 'ClusterRole'), noRole, 404, changed(objectOf(rbac, 'ClusterRole', 'wide', {}, ''))],
    [
      'a PriorityClass',
      pod({ priorityClassName: 'high' }),
      noClass,
      403,
      changed(objectOf('scheduling.k8s.io/v1', 'PriorityClass', 'high', {}, '')),
    ],
    [
      'a RuntimeClass',
      pod({ runtimeClassName: 'gvisor' }),
      noRuntime,
      403,
      changed(objectOf('node.k8s.io/v1', 'RuntimeClass', 'gvisor', {}, '')),
    ],
    [
      'a RuntimeClass that the message only mentions',
      pod({ runtimeClassName: 'gvisor' }),
      `pods "web" is forbidden: pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead`,
      403,
      changed(objectOf('node.k8s.io/v1', 'RuntimeClass', 'gvisor', {}, '')),
    ],
    ['a ServiceAccount', pod(), noAccount, 403, changed(account('web'))],
    [
      'a StorageClass of a claim',
      objectOf('v1', 'PersistentVolumeClaim', 'data', { spec: { storageClassName: 'fast' } }),
      'persistentvolumeclaims "data" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
      403,
      changed(objectOf('storage.k8s.io/v1', 'StorageClass', 'fast', {}, '')),
    ],
    [
      'the level of the namespace, by Pod Security',
      pod(),
      insecure,
      403,
      changed(space('shop', { [level]: 'baseline' }), space('shop', {})),
    ],
    ['labels of the namespace, by a policy', config, byPolicy, 403, changed(space('shop', { a: '1' }), space('shop', {}))],
    ['the policy that denies', config, byPolicy, 403, changed(policy('colors'), policy('colors'))],
    ['the binding of the policy that denies', config, byPolicy, 403, changed(policyBinding('here'), policyBinding('here'))],
    ['the webhook that denies', config, byWebhook, 403, changed(hook('ValidatingWebhookConfiguration', 'configmaps'))],
    ['an object that a webhook names', config, byWebhook, 403, changed(account('web'))],
    ['the Service of a webhook', config, noHook, 500, changed(objectOf('v1', 'Service', 'hook', {}, 'ops'))],
    ['a mutating webhook, also by validation', pod(), invalid, 422, changed(hook('MutatingWebhookConfiguration', 'pods'))],
    ['the quota that is exceeded', pod(), overQuota, 403, changed(objectOf('v1', 'ResourceQuota', 'small'))],
    ['a LimitRange, by its limits', pod(), overLimit, 403, changed(objectOf('v1', 'LimitRange', 'any'))],
    ['a LimitRange, by what a quota counts', pod(), overQuota, 403, changed(objectOf('v1', 'LimitRange', 'any'))],
    ['a role that grants what is missing', bindingTo('x'), escalation, 403, changed(role('y', grants('secrets')))],
    ['a binding of the user', bindingTo('x'), escalation, 403, changed(subjectOf('ci'))],
    ['the role that a binding grants', bindingTo('x'), escalation, 403, changed(role('x', grants('pods')), role('x', grants('secrets')))],
  ])('%s', (_, refused, message, code, change) => {
    expect(depends(refused, message, code, change)).toBe(true);
  });
});

describe('a refusal does not depend on', () => {
  test.each<[string, JsonObject, string, number, ChangedObject]>([
    ['another role', bindingTo('reader'), noRole, 404, changed(role('writer'))],
    ['a role of another namespace', bindingTo('reader'), noRole, 404, changed(role('reader', [], 'other'))],
    ['a ClusterRole where a Role is meant', bindingTo('reader'), noRole, 404, changed(objectOf(rbac, 'ClusterRole', 'reader', {}, ''))],
    [
      'another PriorityClass',
      pod({ priorityClassName: 'high' }),
      noClass,
      403,
      changed(objectOf('scheduling.k8s.io/v1', 'PriorityClass', 'highest', {}, '')),
    ],
    [
      'a ServiceAccount, for want of a class',
      pod({ serviceAccountName: 'web', priorityClassName: 'high' }),
      noClass,
      403,
      changed(account('web')),
    ],
    ['a ServiceAccount, where validation refuses', pod({ serviceAccountName: 'web' }), invalid, 422, changed(account('web'))],
    ['a ServiceAccount, by Pod Security', pod({ serviceAccountName: 'web' }), insecure, 403, changed(account('web'))],
    ['a ServiceAccount of another namespace', pod(), noAccount, 403, changed(account('web', 'other'))],
    ['another label of the namespace, by Pod Security', pod(), insecure, 403, changed(space('shop', { a: '1' }), space('shop', {}))],
    ['another namespace', pod(), insecure, 403, changed(space('other', { a: '1' }), space('other', {}))],
    ['labels of the namespace, where validation refuses', pod(), invalid, 422, changed(space('shop', { a: '1' }), space('shop', {}))],
    ['labels of the namespace, by a quota', pod(), overQuota, 403, changed(space('shop', { a: '1' }), space('shop', {}))],
    ['a namespace whose labels stay', pod(), insecure, 403, changed({ ...space('shop', {}), spec: { finalizers: [] } }, space('shop', {}))],
    ['another policy', config, byPolicy, 403, changed(policy('sizes'))],
    ['a webhook, where a policy denies', config, byPolicy, 403, changed(hook('ValidatingWebhookConfiguration', 'configmaps'))],
    ['a mutating webhook for other kinds', config, byPolicy, 403, changed(hook('MutatingWebhookConfiguration', 'pods'))],
    ['another quota', pod(), overQuota, 403, changed(objectOf('v1', 'ResourceQuota', 'small-2'))],
    ['a quota of the same name elsewhere', pod(), overQuota, 403, changed(objectOf('v1', 'ResourceQuota', 'small', {}, 'other'))],
    ['a LimitRange, where validation refuses something else', pod(), invalid, 422, changed(objectOf('v1', 'LimitRange', 'any'))],
    ['a LimitRange of which labels change', pod(), overLimit, 403, changed(labelled('LimitRange', 'b'), labelled('LimitRange', 'a'))],
    ['a quota of which labels change', pod(), overQuota, 403, changed(labelled('ResourceQuota', 'b'), labelled('ResourceQuota', 'a'))],
    ['a role that grants other rights', bindingTo('x'), escalation, 403, changed(role('y', grants('configmaps')))],
    ['a role of another namespace that grants them', bindingTo('x'), escalation, 403, changed(role('y', grants('secrets'), 'other'))],
    ['a binding of another user', bindingTo('x'), escalation, 403, changed(subjectOf('somebody'))],
    [
      'anything, where the authorizer refuses',
      bindingTo('x'),
      'rolebindings.rbac.authorization.k8s.io "web" is forbidden: User "ci" cannot patch resource "rolebindings" in API group "rbac.authorization.k8s.io" in the namespace "shop"',
      403,
      changed(role('x', grants('secrets'))),
    ],
    ['itself', pod(), 'pods "web" is forbidden: whatever', 403, changed(pod())],
    ['an object with the same name of another kind', pod(), 'pods "web" is forbidden: whatever', 403, changed(role('web'))],
  ])('%s', (_, refused, message, code, change) => {
    expect(depends(refused, message, code, change)).toBe(false);
  });
});
