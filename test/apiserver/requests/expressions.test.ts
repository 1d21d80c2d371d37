import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ApiCallError, ResponseBody } from '../../harness/api-client.js';
import { crdOf } from '../../harness/crd.js';
import { TestEnvironment } from '../../harness/test-environment.js';
import { subject, subjectSchema } from './expressions/subject.js';

/**
 * Expressions of the Common Expression Language in rules of a CustomResourceDefinition: their values, their errors, and those that a
 * server refuses. The answers are those of kube-apiserver 1.36.3.
 */
const testEnvironment = await TestEnvironment.create('expressions');
const group = `${testEnvironment.namespace}.example.com`;
const { cluster } = testEnvironment;

type Value = string | { readonly error: string };
const recorded = JSON.parse(readFileSync(new URL('./expressions/recorded.json', import.meta.url), 'utf8')) as {
  readonly values: readonly (readonly [expression: string, value: Value])[];
  readonly refused: readonly (readonly [expression: string, error: string])[];
};

const perDefinition = 40;
const batches = <T>(items: readonly T[]) =>
  Array.from({ length: Math.ceil(items.length / perDefinition) }, (_, index) => [
    index,
    items.slice(index * perDefinition, (index + 1) * perDefinition),
  ]) as (readonly [number, readonly T[]])[];

const shown = (expression: string) => `'%s'.format([${expression}])`;
const causesOf = async (call: Promise<unknown>): Promise<readonly { readonly field: string; readonly message: string }[]> => {
  const error = await call.then(
    () => undefined,
    (thrown: ApiCallError) => thrown,
  );
  return (error?.body.details?.causes ?? []) as { field: string; message: string }[];
};
const dryRun = async (body: ResponseBody) => {
  const path = await cluster.path(body as never);
  return cluster.client.call('POST', path.slice(0, path.lastIndexOf('/')), { body, query: { dryRun: 'All' } });
};
/** The type of an object has a name with a number that differs each time, and a path of fields. */
const normal = (text: string) =>
  text.replace(/selfType\d+(\.spec)?/g, 'selfType').replace(/^Invalid value: (?:"object": |\{.*?\}: |: )?/s, '');

test.each(batches(recorded.values))('expressions have the values of the real server (%i)', async (index, values) => {
  const rules = values.map(([expression], at) => ({
    rule: `${shown(expression)} == 'x'`,
    messageExpression: `'${at}=%s'.format([${expression}])`,
  }));
  const kind = `Value${index}`;
  await testEnvironment.crd(crdOf(group, kind, { spec: { ...subjectSchema, 'x-kubernetes-validations': rules } }));
  const causes = await causesOf(dryRun({ ...testEnvironment.ref(`${group}/v1`, kind, 'one'), spec: subject }));
  const messages = causes.map(({ message }) => normal(message));
  const found = values.map(([expression], at): [string, Value | undefined] => {
    const value = messages.find((message) => message.startsWith(`${at}=`));
    if (value !== undefined) return [expression, value.slice(`${at}=`.length)];
    const rule = `: ${shown(expression)} == 'x'`;
    const error = messages.find((message) => message.endsWith(rule))?.slice(0, -rule.length);
    return [
      expression,
      error === undefined ? undefined : { error: error.replace(/ evaluating rule$|: call arguments did not match.*$/, '') },
    ];
  });
  expect(found).toEqual(values);
});

test.each(batches(recorded.refused))('expressions are refused as by the real server (%i)', async (index, refused) => {
  const rules = refused.map(([expression]) => ({ rule: `${shown(expression)} == 'x'`, message: 'm' }));
  const definition = crdOf(group, `Refused${index}`, { spec: { ...subjectSchema, 'x-kubernetes-validations': rules } });
  const causes = await causesOf(dryRun(definition as never));
  const found = refused.map(([expression], at) => {
    const cause = causes.find(({ field }) => field.includes(`validations[${at}]`));
    return [expression, cause && normal(cause.message)];
  });
  expect(found).toEqual(refused);
});
