import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ApiCallError, ResponseBody } from '../../harness/api-client.js';
import { crdOf } from '../../harness/crd.js';
import { TestEnvironment } from '../../harness/test-environment.js';

/** Values of custom resources, and the errors with which kube-apiserver 1.36.3 refuses them by a schema with one rule; none where it accepts them. */
const testEnvironment = await TestEnvironment.create('rule-outcomes');
const { cluster } = testEnvironment;
const kind = 'Ruled';
const apiVersion = `${testEnvironment.namespace}.example.com/v1`;

interface Outcome {
  readonly schema: ResponseBody;
  readonly rule: object;
  readonly value: unknown;
  readonly errors: readonly string[];
}
const outcomes = JSON.parse(readFileSync(new URL('./definitions/rule-outcomes.json', import.meta.url), 'utf8')) as readonly Outcome[];

const properties = outcomes.map(({ schema, rule }, index) => [`p${index}`, { ...schema, 'x-kubernetes-validations': [rule] }]);
await testEnvironment.crd(
  crdOf(apiVersion.replace('/v1', ''), kind, { spec: { type: 'object', properties: Object.fromEntries(properties) } }),
);

test('each value is accepted or refused in the words of the real server', async () => {
  const object = testEnvironment.ref(apiVersion, kind, 'tried');
  const path = await cluster.path(object);
  const errorsOf = async (name: string, value: unknown): Promise<readonly string[]> => {
    const body = { ...object, spec: { [name]: value } };
    const error = await cluster.client.call('POST', path.slice(0, path.lastIndexOf('/')), { body, query: { dryRun: 'All' } }).then(
      () => undefined,
      (thrown: ApiCallError) => thrown,
    );
    const causes = (error?.body.details?.causes ?? []) as readonly { readonly message: string }[];
    return causes.map(({ message }) => message);
  };
  for (const [index, { rule, value, errors }] of outcomes.entries())
    expect.soft(await errorsOf(`p${index}`, value), JSON.stringify([rule, value])).toEqual(errors);
});
