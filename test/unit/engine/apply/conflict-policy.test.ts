import { expect, test } from 'vitest';
import type { IntentPolicy } from '../../../../src/assembly/types.js';
import { conflictPolicyFor } from '../../../../src/engine/apply/conflict-policy.js';
import { pathCovers } from '../../../../src/fields/index.js';

const policy: IntentPolicy = {
  conflicts: 'force',
  waitSeconds: 0,
  wait: false,
  ifAbsent: 'wait',
  adopt: false,
  deletePropagation: 'Background',
  fields: {
    '.spec.replicas': { conflicts: 'yield' },
    '.spec.template': { conflicts: 'fail' },
    '.spec.template.metadata': { conflicts: 'yield' },
  },
};

test.each([
  ['.spec.replicas', 'yield'],
  ['.spec.replicasMore', 'force'],
  ['.spec.template.spec.containers[name="a"].image', 'fail'],
  ['.spec.template.metadata.labels.a', 'yield'],
  ['.spec.other', 'force'],
  ['.spec', 'fail'],
])('%s is decided by the nearest policy: %s', (field, expected) => {
  expect(conflictPolicyFor(field, 'anybody', policy)).toBe(expected);
});

test.each([
  ['kubectl', 'force'],
  ['kubectl-edit', 'yield'],
  ['kube-controller-manager', 'fail'],
  ['kube', 'force'],
  ['fieldwise/shop/default/web', 'fail'],
  ['fieldwise/shop', 'force'],
  ['', 'force'],
])('a conflict with %j is decided by the nearest name: %s', (manager, expected) => {
  const conflicts = { force: ['kubectl'], yield: ['kube*'], fail: ['kube-*', 'fieldwise/shop/*'], otherwise: 'force' } as const;
  const nearest = { ...conflicts, yield: ['kubectl-*'] };
  expect(conflictPolicyFor('.spec.replicas', manager, { ...policy, conflicts: nearest, fields: {} })).toBe(expected);
});

test.each([
  ['.spec.ports[port=80]', '.spec.ports[port=80,protocol="TCP"].name', true],
  ['.spec.ports[protocol=TCP,port=80].name', '.spec.ports[port=80,protocol="TCP"].name', true],
  ['.spec.ports[port=80].name', '.spec.ports[port=8080,protocol="TCP"].name', false],
  ['.spec.containers[name=api].image', '.spec.containers[name="api"].image', true],
  ['.spec.containers[name=api].image', '.spec.containers[name="api"].imagePullPolicy', false],
  ['.spec.containers[name=api]', '.spec.containers[name="api-2"].image', false],
  ['.spec.containers[name="a[1]"].env[name=A]', '.spec.containers[name="a[1]"].env[name="A"].value', true],
  ['.spec.containers', '.spec.containers[name="api"].image', true],
  ['.metadata.finalizers[="a"]', '.metadata.finalizers[="a"]', true],
  ['.metadata.finalizers[="a"]', '.metadata.finalizers[="b"]', false],
  ['.spec.containers[name=api].image', '.spec.containers', false],
])('%s covers %s: %s', (path, field, expected) => {
  expect(pathCovers(path, field)).toBe(expected);
});
