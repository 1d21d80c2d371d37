import type { Shape } from './fuzz-subject.js';

/** The metadata of requests, except the members that address the object. */
export const metadataShape: Shape = {
  type: 'object',
  properties: {
    labels: { type: 'object', likely: 0.5, additionalProperties: { examples: ['x', 'y', ''] } },
    annotations: { type: 'object', likely: 0.3, additionalProperties: { examples: ['x', 'y', ''] } },
    finalizers: {
      type: 'array',
      likely: 0.1,
      'x-kubernetes-list-type': 'set',
      items: { examples: ['example.com/a', 'example.com/b'] },
    },
    ownerReferences: {
      type: 'array',
      likely: 0.1,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
      items: {
        type: 'object',
        required: ['apiVersion', 'kind', 'name', 'uid'],
        properties: {
          apiVersion: { examples: ['v1'] },
          kind: { examples: ['ConfigMap'] },
          name: { examples: ['a', 'b'] },
          uid: { examples: ['u-1', 'u-2'] },
          blockOwnerDeletion: { type: 'boolean', likely: 0.2 },
        },
      },
    },
  },
};
