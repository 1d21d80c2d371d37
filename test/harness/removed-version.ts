import { randomBytes } from 'node:crypto';
import type { ResponseBody } from './api-client.js';
import { poll } from './poll.js';
import type { TestEnvironment } from './test-environment.js';

const versionOf = (name: string, storage = false) => ({
  name,
  served: true,
  storage,
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', additionalProperties: { type: 'string' } } },
    },
  },
});

/** An object of a kind that has, or had, the versions `v1alpha1` and `v1`. */
export type RemovedVersionKind = (version: string, spec: object, name?: string) => ResponseBody;

/** A kind that had a version more, with objects that were written in it. */
export async function kindWithRemovedVersion(testEnvironment: TestEnvironment, write: (wheel: RemovedVersionKind) => Promise<unknown>) {
  const group = `g${randomBytes(3).toString('hex')}.example.com`;
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `wheels.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: 'Wheel', plural: 'wheels', singular: 'wheel', listKind: 'WheelList' },
      versions: [versionOf('v1alpha1'), versionOf('v1', true)],
    },
  };
  await testEnvironment.crd(definition);
  const wheel: RemovedVersionKind = (version, spec, name = 'front') => ({
    ...testEnvironment.ref(`${group}/${version}`, 'Wheel', name),
    spec,
  });
  await write(wheel);
  await testEnvironment.cluster.patch('test', definition, { spec: { versions: [versionOf('v1', true)] } });
  await poll('v1alpha1 is no longer served', async () => !(await testEnvironment.cluster.serves(`${group}/v1alpha1`, 'Wheel')));
  return { group, wheel };
}
