import { expect, test } from 'vitest';
import { adviceOnForbidden } from '../../../../src/engine/report/forbidden.js';

test.each([
  [
    'deployments.apps "web" is forbidden: User "ci" cannot patch resource "deployments" in API group "apps" in the namespace "shop"',
    'the verb',
  ],
  ['leases.coordination.k8s.io "x" is forbidden: User "a\\"b" cannot create resource "leases"', 'the verb'],
  ['pods is forbidden: User "ci" cannot list resource "pods" in API group "" in the namespace "shop"', 'the verb'],
  ['forbidden: User "ci" cannot get path "/openapi/v3"', 'the verb'],
  [
    'roles.rbac.authorization.k8s.io "r" is forbidden: user "dev" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}',
    '`escalate`',
  ],
])('a missing right is called one: %s', (message, says) => {
  const { code, next } = adviceOnForbidden(message);
  expect(code).toBe('forbidden');
  expect(next).toContain(says);
});

test.each([
  [
    'configmaps "a" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=1, limited: configmaps=1',
    'ResourceQuota q counts',
  ],
  ['pods "p" is forbidden: failed quota: q: must specify requests.memory for: api', 'ResourceQuota q counts it'],
  ['configmaps "a" is forbidden: status unknown for quota: q, resources: configmaps', 'not counted ResourceQuota q yet'],
  ['pods "p" is forbidden: maximum memory usage per Container is 1Gi, but limit is 2Gi', 'LimitRange'],
  ['pods "p" is forbidden: memory max limit to request ratio per Container is 2, but provided ratio is 4.000000', 'LimitRange'],
  [
    'pods "p" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false',
    'pod-security.kubernetes.io/enforce: restricted',
  ],
  ['pods "p" is forbidden: no PriorityClass with name high was found', 'Create PriorityClass high'],
  ['pods "p" is forbidden: pod rejected: RuntimeClass "gvisor" not found', 'Create RuntimeClass gvisor'],
  [
    'pods "p" is forbidden: error looking up service account shop/web: serviceaccount "web" not found',
    'Create ServiceAccount web in namespace shop',
  ],
  ['pods "p" is forbidden: a plugin that nobody knows says no', 'the message says why'],
])('a refusal by admission is not called a missing right: %s', (message, says) => {
  const { code, next } = adviceOnForbidden(message);
  expect(code).toBe('admission-denied');
  expect(next).toContain(says);
  expect(next).not.toMatch(/Grant this user|other credentials/);
});
