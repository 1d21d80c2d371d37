import { objectFields, objectMetaTypes, type RootType, type TypeRef } from '../../schema/index.js';

/** Returns the type of `autoscaling/v1` Scale, which no API serves as a separate resource. Source: Kubernetes API reference, Scale. */
export function scaleRoot(): RootType {
  const replicas: TypeRef = { inline: { scalar: { kind: 'numeric', integer: true, format: 'int32' } } };
  const selector: TypeRef = { inline: { scalar: { kind: 'string' } } };
  const struct = (fields: Record<string, TypeRef>): TypeRef => ({
    inline: {
      map: { relation: 'granular', required: [], fields: new Map(Object.entries(fields).map(([name, type]) => [name, { type }])) },
    },
  });
  const name = 'autoscaling/v1.Scale';
  const members = new Map([
    ...objectFields(),
    ['spec', { type: struct({ replicas }) }] as const,
    ['status', { type: struct({ replicas, selector }) }] as const,
  ]);
  const type = { map: { relation: 'granular', required: [], fields: members } } as const;
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    scope: 'Namespaced',
    schema: { types: new Map([...objectMetaTypes(), [name, type]]) },
    type: { name },
    subresource: 'scale',
  };
}
