import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/util/json.js';
import { bindingOf, policyOf } from '../../harness/bound-policy.js';
import { poll } from '../../harness/poll.js';
import { TestEnvironment } from '../../harness/test-environment.js';
import { CaseClient } from './policies/case-client.js';
import { type CaseRequest, type PolicyCase, paramObjects, policyCases } from './policies/cases.js';

/** ValidatingAdmissionPolicies: the answers to requests that they decide on. The recorded answers are those of kube-apiserver 1.36.3. */
const testEnvironment = await TestEnvironment.create('policies');
const { cluster, namespace } = testEnvironment;
const { send, shown } = new CaseClient(testEnvironment);

const denyAll = { validations: [{ expression: 'false', message: 'in effect' }] };

async function declare({
  name,
  spec,
  bindings = [{ validationActions: ['Deny'] }],
}: Pick<PolicyCase, 'name' | 'spec' | 'bindings'>): Promise<void> {
  const fill = (object: JsonObject) => JSON.parse(JSON.stringify(object).replaceAll('NAMESPACE', namespace)) as never;
  const own = `${name}-${namespace}`;
  testEnvironment.removeLater(policyOf(own, name, spec) as never);
  await cluster.create('test', fill(policyOf(own, name, spec)));
  for (const [index, binding] of bindings.entries()) {
    const bound = bindingOf(`${own}-${index}`, own, namespace, binding);
    testEnvironment.removeLater(bound as never);
    await cluster.create('test', fill(bound));
  }
}

/** A server takes up policies some time after they are written, all of them at once. */
async function inEffect(): Promise<void> {
  const marker: CaseRequest = { method: 'POST', query: 'dryRun=All', body: { metadata: { name: 'NAME', labels: { case: 'NAME' } } } };
  const statusOf = async (name: string) => (await send(marker, name)).status;
  // The namespace cannot be emptied before. What is declared first is removed last.
  testEnvironment.onCleanup(() => poll('the policies are no longer in effect', async () => (await statusOf('first')) === 201));
  for (const each of [{ name: 'first', spec: denyAll }, ...policyCases, { name: 'last', spec: denyAll }]) await declare(each);
  await poll('the policies are in effect', async () => (await statusOf('last')) === 422);
}

for (const object of paramObjects) await send({ method: 'POST', body: object }, '');
await inEffect();

test.each(policyCases.map((each) => [each.name, each] as const))('%s', async (name, { requests }) => {
  const answers: JsonObject[] = [];
  for (const request of requests) answers.push(shown(await send(request, name)));
  expect(answers).toMatchSnapshot();
});
