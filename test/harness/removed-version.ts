import { randomBytes } from 'node:crypto';
import type { Answered } from './api-client.js';
import type { Ground } from './ground.js';

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
export type Wheel = (version: string, spec: object, name?: string) => Answered;

/** A kind that had a version more, with objects that were written in it. */
export async function kindWithRemovedVersion(ground: Ground, write: (wheel: Wheel) => Promise<unknown>) {
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
  await ground.crd(definition);
  const wheel: Wheel = (version, spec, name = 'front') => ({ ...ground.ref(`${group}/${version}`, 'Wheel', name), spec });
  await write(wheel);
  await ground.cluster.patch('test', definition, { spec: { versions: [versionOf('v1', true)] } });
  for (let tries = 0; tries < 100 && (await ground.cluster.serves(`${group}/v1alpha1`, 'Wheel')); tries++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { group, wheel };
}
