import { expect, test } from 'vitest';
import { TestEnvironment } from '../../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('races');
const { cluster, namespace } = testEnvironment;

const kinds = [
  {
    path: `/api/v1/namespaces/${namespace}/services`,
    apiVersion: 'v1',
    kind: 'Service',
    spec: { ports: [{ port: 80 }], selector: { a: 'b' } },
  },
  { path: `/api/v1/namespaces/${namespace}/configmaps`, apiVersion: 'v1', kind: 'ConfigMap', data: { a: '1' } },
];

const policies = 'admissionregistration.k8s.io/v1';
const metadata = { name: namespace };
testEnvironment.removeLater({ apiVersion: policies, kind: 'ValidatingAdmissionPolicyBinding', metadata });
testEnvironment.removeLater({ apiVersion: policies, kind: 'ValidatingAdmissionPolicy', metadata });
await cluster.create('test', {
  apiVersion: policies,
  kind: 'ValidatingAdmissionPolicy',
  metadata,
  spec: {
    matchConstraints: {
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['services', 'configmaps'] }],
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    },
    validations: [{ expression: "object.metadata.name != 'never'" }],
  },
});
await cluster.create('test', {
  apiVersion: policies,
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata,
  spec: { policyName: namespace, validationActions: ['Deny'] },
});

// Each of them is handled with what the one before has made: an apply never ends with AlreadyExists.
test.each(kinds)('of several applies that create one $kind at once, one creates it', async ({ path, ...object }) => {
  for (let round = 0; round < 20; round++) {
    const name = `round-${round}`;
    const apply = (manager: string) =>
      cluster.client
        .call('PATCH', `${path}/${name}`, {
          body: { ...object, metadata: { name } },
          contentType: 'application/apply-patch+yaml',
          query: { fieldManager: manager },
        })
        .then((made) => String(made.metadata.uid));
    const uids = await Promise.all(['one', 'two', 'three', 'four'].map(apply));
    expect(new Set(uids).size).toBe(1);
  }
});
