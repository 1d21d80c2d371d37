import { expect, test } from 'vitest';
import { RefusalWords } from '../../../src/plan/refusal-words.js';

const objectOf = (kind: string, name: string, namespace?: string) => ({
  apiVersion: 'v1',
  kind,
  name,
  ...(namespace ? { namespace } : {}),
});

test.each([
  ['no PriorityClass with name high was found', objectOf('PriorityClass', 'high')],
  ['priorityclasses.scheduling.k8s.io "high" not found', objectOf('PriorityClass', 'high')],
  ['networkpolicies.networking.k8s.io "web" not found', objectOf('NetworkPolicy', 'web', 'shop')],
  ['error looking up service account shop/web: not found', objectOf('ServiceAccount', 'web', 'shop')],
  ['denied: ServiceAccount/web: no label', objectOf('ServiceAccount', 'web', 'shop')],
  ['clusterroles.rbac.authorization.k8s.io "ops:Reader" not found', objectOf('ClusterRole', 'ops:Reader')],
  ['there is no Service named hook.', objectOf('Service', 'hook')],
])('%s names %o', (message, object) => {
  expect(new RefusalWords(message).names(object)).toBe(true);
});

test.each([
  ['rolebindings.rbac.authorization.k8s.io "reader" not found', objectOf('Role', 'reader')],
  ['no PriorityClass with name high was found', objectOf('PriorityClass', 'hig')],
  ['no PriorityClass with name high-2 was found', objectOf('PriorityClass', 'high')],
  ['error looking up service account other/web: not found', objectOf('ServiceAccount', 'web', 'shop')],
  ['services "web" is forbidden', objectOf('Secret', 'web')],
  ['', objectOf('Secret', 'web')],
])('%s does not name %o', (message, object) => {
  expect(new RefusalWords(message).names(object)).toBe(false);
});

test('a long message is read at once', () => {
  const words = new RefusalWords('service account "a" '.repeat(20_000));
  expect([words.mentions('ServiceAccount'), words.names(objectOf('ServiceAccount', 'b'))]).toEqual([true, false]);
});
