import { expect, test } from 'vitest';
import type { IntentPolicy } from '../../../src/assembly/types.js';
import { conflictPolicyFor } from '../../../src/deploy/conflict-policy.js';

const policy: IntentPolicy = {
  conflicts: 'force',
  waitSeconds: 0,
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
  expect(conflictPolicyFor(field, policy)).toBe(expected);
});
