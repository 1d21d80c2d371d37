import { deduced } from './deduced.js';
import type { Field, MapType, Type, TypeRef } from './model.js';

/**
 * The metadata of every object, for schemas that do not spell it out (CRDs, embedded resources).
 * Source: Kubernetes API conventions, "Metadata", and the list and map relations of the published OpenAPI v3 document.
 */

const prefix = 'io.k8s.apimachinery.pkg.apis.meta.v1.';

/** The name of ObjectMeta in schemas that are read from OpenAPI or from CRDs. */
export const objectMetaName = `${prefix}ObjectMeta`;

/** Returns new copies of the types that ObjectMeta needs, by name. */
export function objectMetaTypes(): readonly (readonly [string, Type])[] {
  const string: TypeRef = { inline: { scalar: { kind: 'string' } } };
  const time: TypeRef = { inline: { scalar: { kind: 'untyped', format: 'date-time' } } };
  const boolean: TypeRef = { inline: { scalar: { kind: 'boolean' } } };
  const int64: TypeRef = { inline: { scalar: { kind: 'numeric', integer: true, format: 'int64' } } };
  const strings: TypeRef = { inline: { map: { relation: 'granular', fields: new Map(), required: [], element: string } } };
  return [
    [
      objectMetaName,
      struct({
        annotations: { type: strings },
        creationTimestamp: { type: time },
        deletionGracePeriodSeconds: { type: int64 },
        deletionTimestamp: { type: time },
        finalizers: { type: { inline: { list: { relation: 'associative', keys: [], element: string } } } },
        generateName: { type: string },
        generation: { type: int64 },
        labels: { type: strings },
        managedFields: {
          type: { inline: { list: { relation: 'atomic', keys: [], element: { name: `${prefix}ManagedFieldsEntry` }, explicit: true } } },
        },
        name: { type: string },
        namespace: { type: string },
        ownerReferences: {
          type: { inline: { list: { relation: 'associative', keys: ['uid'], element: { name: `${prefix}OwnerReference` } } } },
        },
        resourceVersion: { type: string },
        selfLink: { type: string },
        uid: { type: string },
      }),
    ],
    [
      `${prefix}OwnerReference`,
      struct(
        {
          apiVersion: { type: string, default: '' },
          blockOwnerDeletion: { type: boolean },
          controller: { type: boolean },
          kind: { type: string, default: '' },
          name: { type: string, default: '' },
          uid: { type: string, default: '' },
        },
        { relation: 'atomic', required: ['apiVersion', 'kind', 'name', 'uid'] },
      ),
    ],
    [
      `${prefix}ManagedFieldsEntry`,
      struct({
        apiVersion: { type: string },
        fieldsType: { type: string },
        fieldsV1: { type: { name: `${prefix}FieldsV1` } },
        manager: { type: string },
        operation: { type: string },
        subresource: { type: string },
        time: { type: time },
      }),
    ],
    [`${prefix}FieldsV1`, { map: { relation: 'granular', fields: new Map(), required: [], element: deduced } }],
  ];
}

/** Returns the fields that the server adds to every object, and to every embedded resource, of a CRD that does not declare them. */
export function objectFields(): readonly (readonly [string, Field])[] {
  const string: TypeRef = { inline: { scalar: { kind: 'string' } } };
  return [
    ['apiVersion', { type: string }],
    ['kind', { type: string }],
    ['metadata', { type: { name: objectMetaName } }],
  ];
}

function struct(fields: Record<string, Field>, extra: Partial<MapType> = {}): Type {
  return { map: { relation: 'granular', required: [], ...extra, fields: new Map(Object.entries(fields)) } };
}
