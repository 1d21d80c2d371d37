import { describe, expect, test } from 'vitest';
import { ApiCallError, type ResponseBody } from '../../harness/api-client.js';
import { certificateRequest, mastersRequest } from '../../harness/certificate-request.js';
import { TestEnvironment } from '../../harness/test-environment.js';

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

describe('a client certificate of system:masters', () => {
  const signer = 'kubernetes.io/kube-apiserver-client';
  const requestOf = (spec: object) => ({
    ...object,
    metadata: { name: `${testEnvironment.namespace}-masters` },
    spec: { request: mastersRequest, signerName: signer, usages: ['client auth'], ...spec },
  });
  const messageOf = (write: Promise<unknown>) =>
    write.then(
      () => 'accepted',
      (error) => (error instanceof ApiCallError ? error.body.message : String(error)),
    );
  const answer = (spec: object) => messageOf(cluster.create('test', requestOf(spec)));
  const refused =
    `certificatesigningrequests.certificates.k8s.io "${testEnvironment.namespace}-masters" is forbidden: ` +
    'use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed';
  testEnvironment.removeLater(requestOf({}));

  test('is refused to every user, by create and by apply', async () => {
    expect(await answer({})).toBe(refused);
    expect(await messageOf(cluster.apply('test', requestOf({})))).toBe(refused);
  });

  test('is refused for what is not valid first', async () => {
    expect(await answer({ usages: [] })).toMatch(/spec\.usages: Required value$/);
  });

  test('may be asked of another signer, and the signer has no part in another group', async () => {
    expect(await answer({ signerName: 'example.com/signer' })).toBe('accepted');
    const name = `${testEnvironment.namespace}-devs`;
    const devs = { ...requestOf({ request: certificateRequest }), metadata: { name } };
    testEnvironment.removeLater(devs);
    expect(await messageOf(cluster.create('test', devs))).toBe('accepted');
  });
});
