import { expect, test } from 'vitest';
import { ApiCallError, type ResponseBody } from '../harness/api-client.js';
import { certificateRequest } from '../harness/certificate-request.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('signing-requests');
const { cluster } = testEnvironment;
const object = {
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name: testEnvironment.namespace, labels: { color: 'red' } },
  spec: { request: certificateRequest, signerName: 'example.com/signer', usages: ['client auth'], username: 'forged', groups: ['forged'] },
};
testEnvironment.removeLater(object);
const created = await cluster.create('creator', object);
const approved = { type: 'Approved', status: 'True', reason: 'Test', message: 'approved' };

async function refusal(status: unknown, subresource: string): Promise<string> {
  return cluster.patch('test', object, { status }, 'merge', subresource).then(
    () => 'accepted',
    (error) => (error instanceof ApiCallError ? error.body.message : String(error)),
  );
}

const managers = ({ metadata }: ResponseBody) =>
  metadata.managedFields.map(({ manager, fieldsV1 }: ResponseBody) => `${manager}: ${Object.keys(fieldsV1).join(' ')}`);

test('the server names the user who asks, and nobody owns the spec', () => {
  expect(created.spec).not.toMatchObject({ username: 'forged' });
  expect(created.spec.groups).toContain('system:authenticated');
  expect(managers(created)).toEqual(['creator: f:metadata']);
});

test('approval writes conditions and no certificate; the decision stays', async () => {
  const status = { conditions: [approved], certificate: 'eA==' };
  const answer = await cluster.patch('approver', object, { status, spec: { usages: ['any'] } }, 'merge', 'approval');
  expect(answer.status).toEqual({
    conditions: [{ ...approved, lastUpdateTime: expect.any(String), lastTransitionTime: expect.any(String) }],
  });
  expect(answer.spec.usages).toEqual(['client auth']);
  expect(managers(answer)).toContain('approver: f:status');
  expect(await refusal({ conditions: [] }, 'approval')).toContain('updates may not remove a condition of type "Approved"');
  expect(await refusal({ conditions: [approved, { ...approved, type: 'Denied' }] }, 'approval')).toContain(
    'Approved and Denied conditions are mutually exclusive',
  );
  expect(await refusal({ conditions: [{ ...approved, status: 'False' }] }, 'approval')).toContain(
    'status.conditions[0].status: Unsupported value: "False": supported values: "True"',
  );
  expect(await refusal({ conditions: [approved, { type: 'Denied', status: 'True' }] }, 'status')).toContain(
    'updates may not add a condition of type "Denied"',
  );
});

test('the object itself changes its metadata alone', async () => {
  const { spec, status, metadata } = await cluster.patch('labeler', object, {
    metadata: { labels: { color: 'blue' } },
    spec: { usages: ['any'] },
    status: { conditions: [] },
  });
  expect(metadata.labels).toEqual({ color: 'blue' });
  expect(spec.usages).toEqual(['client auth']);
  expect(status.conditions).toHaveLength(1);
});
