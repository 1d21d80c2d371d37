import { expect, test } from 'vitest';
import { unenforcedPolicies } from '../../../src/entry/unenforced-policies.js';
import type { JsonObject } from '../../../src/util/json.js';

const policy = (name: string) => ({ kind: 'ValidatingAdmissionPolicy', metadata: { name } });
const binding = (name: string, policyName: unknown = name) =>
  ({ kind: 'ValidatingAdmissionPolicyBinding', metadata: { name }, spec: { policyName } }) as JsonObject;

test.each<[string, readonly JsonObject[], readonly JsonObject[], readonly string[]]>([
  ['both halves', [policy('a'), binding('b', 'a')], [], []],
  ['a binding of the snapshot', [policy('a')], [binding('b', 'a')], []],
  ['a policy of the snapshot', [binding('b', 'a')], [policy('a')], []],
  ['halves of the snapshot', [], [binding('b', 'a'), policy('c')], []],
  ['names that differ', [policy('a'), binding('a', 'b')], [], ['bound-policy-missing', 'policy-not-bound']],
  [
    'a binding without a name of a policy',
    [binding('b', 1), { kind: 'ValidatingAdmissionPolicyBinding' }],
    [],
    ['bound-policy-missing', 'bound-policy-missing'],
  ],
])('%s', (_, written, others, codes) => {
  expect(unenforcedPolicies(written, others).warnings.map(({ code }) => code)).toEqual(codes);
});
