import { type Resource, type ServedVersion, subresourceVerbs } from '../registry/resource.js';

/** A subresource as discovery lists it. */
export interface Subresource {
  readonly name: string;
  /** Group and version of its kind, if they are not those of the resource. */
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

const proxyVerbs = ['create', 'delete', 'get', 'patch', 'update'];

/** Subresources other than `status` and `scale`, by resource. */
const others: Readonly<Record<string, readonly Subresource[]>> = {
  '/nodes': [{ name: 'proxy', kind: 'NodeProxyOptions', verbs: proxyVerbs }],
  '/pods': [
    { name: 'attach', kind: 'PodAttachOptions', verbs: ['create', 'get'] },
    { name: 'binding', kind: 'Binding', verbs: ['create'] },
    { name: 'ephemeralcontainers', kind: 'Pod', verbs: subresourceVerbs },
    { name: 'eviction', group: 'policy', version: 'v1', kind: 'Eviction', verbs: ['create'] },
    { name: 'exec', kind: 'PodExecOptions', verbs: ['create', 'get'] },
    { name: 'log', kind: 'Pod', verbs: ['get'] },
    { name: 'portforward', kind: 'PodPortForwardOptions', verbs: ['create', 'get'] },
    { name: 'proxy', kind: 'PodProxyOptions', verbs: proxyVerbs },
    { name: 'resize', kind: 'Pod', verbs: subresourceVerbs },
  ],
  '/services': [{ name: 'proxy', kind: 'ServiceProxyOptions', verbs: proxyVerbs }],
  '/serviceaccounts': [{ name: 'token', group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest', verbs: ['create'] }],
};

/** Returns the subresources of a version that this server serves: by name, for a custom resource the status first. */
export function subresourcesOf(
  { group, plural, kind, strategy }: Pick<Resource, 'group' | 'plural' | 'kind'> & Partial<Pick<Resource, 'strategy'>>,
  { status, scale, parts = {} }: ServedVersion,
): readonly Subresource[] {
  const all: readonly Subresource[] = [
    ...(status ? [{ name: 'status', kind, verbs: subresourceVerbs }] : []),
    ...(scale === undefined ? [] : [{ name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: subresourceVerbs }]),
    ...Object.entries(parts).map(([name, verbs]) => ({ name, kind, verbs })),
    ...(others[`${group}/${plural}`] ?? []),
  ];
  return strategy?.custom === true ? all : all.toSorted((left, right) => (left.name < right.name ? -1 : 1));
}
