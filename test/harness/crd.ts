/** What a CustomResourceDefinition of a test has beyond its group and kind. */
export interface CrdParts {
  /** Schema of `.spec`; default: an object without members. */
  readonly spec?: object;
  /** Schema of `.status`; the kind has the subresource then. */
  readonly status?: object;
}

/** A namespaced CustomResourceDefinition with the one version v1; the plural is the kind in small letters and an s. */
export function crdOf(group: string, kind: string, { spec = { type: 'object' }, status }: CrdParts = {}) {
  const singular = kind.toLowerCase();
  const properties = { spec, ...(status === undefined ? {} : { status }) };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural: `${singular}s`, singular, listKind: `${kind}List` },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          ...(status === undefined ? {} : { subresources: { status: {} } }),
          schema: { openAPIV3Schema: { type: 'object', properties } },
        },
      ],
    },
  };
}
