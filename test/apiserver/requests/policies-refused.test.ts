import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/util/json.js';
import type { ApiCallError } from '../../harness/api-client.js';
import { TestEnvironment } from '../../harness/test-environment.js';
import { bindingSpecs, policySpecs } from './policies/refused.js';

/** Policies and bindings that a server refuses, in its words. The recorded answers are those of kube-apiserver 1.36.3. */
const testEnvironment = await TestEnvironment.create('policies-refused');
const { cluster } = testEnvironment;
const apiVersion = 'admissionregistration.k8s.io/v1';
const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] };

async function answerTo(object: JsonObject): Promise<JsonObject> {
  const path = await cluster.path(object as never);
  const query = { dryRun: 'All' };
  try {
    const { spec } = await cluster.client.call('POST', path.slice(0, path.lastIndexOf('/')), { body: object, query });
    return { spec };
  } catch (error) {
    const { status, body } = error as ApiCallError;
    return { status, message: body.message, details: body.details };
  }
}

test.each(policySpecs.map((spec, index) => [index, spec] as const))('policy %i: %j', async (_, spec) => {
  const constraints = Object.keys(spec).length === 0 ? {} : { matchConstraints: { resourceRules: [rule] } };
  const object = { apiVersion, kind: 'ValidatingAdmissionPolicy', metadata: { name: 'refused' }, spec: { ...constraints, ...spec } };
  expect(await answerTo(object)).toMatchSnapshot();
});

test.each(bindingSpecs.map((spec, index) => [index, spec] as const))('binding %i: %j', async (_, spec) => {
  const object = { apiVersion, kind: 'ValidatingAdmissionPolicyBinding', metadata: { name: 'refused' }, spec };
  expect(await answerTo(object)).toMatchSnapshot();
});

test('a name of the server itself is refused', async () => {
  const metadata = { name: 'mine.static.k8s.io' };
  const policy = { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: 'true' }] };
  expect(await answerTo({ apiVersion, kind: 'ValidatingAdmissionPolicy', metadata, spec: policy })).toMatchSnapshot();
  const binding = { policyName: 'a', validationActions: ['Deny'] };
  expect(await answerTo({ apiVersion, kind: 'ValidatingAdmissionPolicyBinding', metadata, spec: binding })).toMatchSnapshot();
});
