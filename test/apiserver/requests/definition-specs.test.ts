import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ResponseBody } from '../../harness/api-client.js';
import { causesOf } from '../../harness/causes-of.js';
import { crdOf } from '../../harness/crd.js';
import { TestEnvironment } from '../../harness/test-environment.js';

/**
 * Scale paths, selectable fields, columns, names, conversion and reviews of CustomResourceDefinitions, and the errors by which
 * kube-apiserver 1.36.3 refuses them; none where it accepts them.
 */
const testEnvironment = await TestEnvironment.create('definition-specs');
const { cluster, namespace } = testEnvironment;
type Recorded = readonly (readonly [part: ResponseBody, errors: readonly string[]])[];
const recorded = JSON.parse(readFileSync(new URL('./definitions/specs.json', import.meta.url), 'utf8')) as {
  readonly specs: Recorded;
  readonly approvals: Recorded;
};

const errorsOf = async (body: ResponseBody): Promise<readonly string[]> => {
  const path = await cluster.path(body);
  return (await causesOf(cluster.client.call('POST', path.slice(0, path.lastIndexOf('/')), { body, query: { dryRun: 'All' } }))).toSorted();
};

test.each(recorded.specs)('%j', async (part, errors) => {
  const { spec, ...definition } = crdOf(`${namespace}.example.com`, 'Tried');
  expect(await errorsOf({ ...definition, spec: { ...spec, ...part, names: { ...spec.names, ...part.names } } })).toEqual(errors);
});

test.each(recorded.approvals)('in a group of the Kubernetes community with the review %j', async (review, errors) => {
  const definition = crdOf(`${namespace}.k8s.io`, 'Tried');
  const annotations = review === null ? {} : { 'api-approved.kubernetes.io': review };
  expect(await errorsOf({ ...definition, metadata: { ...definition.metadata, annotations } })).toEqual(errors);
});
