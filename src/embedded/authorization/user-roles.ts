import type { JsonObject } from '../../util/json.js';

const apiGroup = 'rbac.authorization.k8s.io';
const readVerbs = ['get', 'list', 'watch'];
const writeVerbs = ['create', 'delete', 'deletecollection', 'patch', 'update'];
const allVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** Rules that the roles for users collect, by role. Source: Kubernetes documentation "Using RBAC Authorization", "User-facing roles". */
const ownRules: Readonly<Record<string, readonly JsonObject[]>> = {
  admin: [
    { apiGroups: ['authorization.k8s.io'], resources: ['localsubjectaccessreviews'], verbs: ['create'] },
    { apiGroups: ['rbac.authorization.k8s.io'], resources: ['rolebindings', 'roles'], verbs: allVerbs },
  ],
  edit: [
    {
      apiGroups: [''],
      resources: ['pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy', 'secrets', 'services/proxy'],
      verbs: readVerbs,
    },
    { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['impersonate'] },
    { apiGroups: [''], resources: ['pods', 'pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy'], verbs: writeVerbs },
    { apiGroups: [''], resources: ['pods/eviction'], verbs: ['create'] },
    {
      apiGroups: [''],
      resources: [
        'configmaps',
        'persistentvolumeclaims',
        'replicationcontrollers',
        'replicationcontrollers/scale',
        'secrets',
        'serviceaccounts',
        'services',
        'services/proxy',
      ],
      verbs: writeVerbs,
    },
    { apiGroups: [''], resources: ['serviceaccounts/token'], verbs: ['create'] },
    { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: writeVerbs },
    {
      apiGroups: ['apps'],
      resources: [
        'daemonsets',
        'deployments',
        'deployments/rollback',
        'deployments/scale',
        'replicasets',
        'replicasets/scale',
        'statefulsets',
        'statefulsets/scale',
      ],
      verbs: writeVerbs,
    },
    { apiGroups: ['autoscaling'], resources: ['horizontalpodautoscalers'], verbs: writeVerbs },
    { apiGroups: ['batch'], resources: ['cronjobs', 'jobs'], verbs: writeVerbs },
    {
      apiGroups: ['extensions'],
      resources: [
        'daemonsets',
        'deployments',
        'deployments/rollback',
        'deployments/scale',
        'ingresses',
        'networkpolicies',
        'replicasets',
        'replicasets/scale',
        'replicationcontrollers/scale',
      ],
      verbs: writeVerbs,
    },
    { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: writeVerbs },
    { apiGroups: ['networking.k8s.io'], resources: ['ingresses', 'networkpolicies'], verbs: writeVerbs },
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: allVerbs },
    { apiGroups: ['resource.k8s.io'], resources: ['resourceclaims', 'resourceclaimtemplates'], verbs: writeVerbs },
  ],
  view: [
    {
      apiGroups: [''],
      resources: [
        'configmaps',
        'endpoints',
        'persistentvolumeclaims',
        'persistentvolumeclaims/status',
        'pods',
        'replicationcontrollers',
        'replicationcontrollers/scale',
        'serviceaccounts',
        'services',
        'services/status',
      ],
      verbs: readVerbs,
    },
    {
      apiGroups: [''],
      resources: [
        'bindings',
        'limitranges',
        'namespaces/status',
        'pods/log',
        'pods/status',
        'replicationcontrollers/status',
        'resourcequotas',
        'resourcequotas/status',
      ],
      verbs: readVerbs,
    },
    { apiGroups: [''], resources: ['namespaces'], verbs: readVerbs },
    { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: readVerbs },
    { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: readVerbs },
    {
      apiGroups: ['apps'],
      resources: [
        'controllerrevisions',
        'daemonsets',
        'daemonsets/status',
        'deployments',
        'deployments/scale',
        'deployments/status',
        'replicasets',
        'replicasets/scale',
        'replicasets/status',
        'statefulsets',
        'statefulsets/scale',
        'statefulsets/status',
      ],
      verbs: readVerbs,
    },
    { apiGroups: ['autoscaling'], resources: ['horizontalpodautoscalers', 'horizontalpodautoscalers/status'], verbs: readVerbs },
    { apiGroups: ['batch'], resources: ['cronjobs', 'cronjobs/status', 'jobs', 'jobs/status'], verbs: readVerbs },
    {
      apiGroups: ['extensions'],
      resources: [
        'daemonsets',
        'daemonsets/status',
        'deployments',
        'deployments/scale',
        'deployments/status',
        'ingresses',
        'ingresses/status',
        'networkpolicies',
        'replicasets',
        'replicasets/scale',
        'replicasets/status',
        'replicationcontrollers/scale',
      ],
      verbs: readVerbs,
    },
    { apiGroups: ['policy'], resources: ['poddisruptionbudgets', 'poddisruptionbudgets/status'], verbs: readVerbs },
    { apiGroups: ['networking.k8s.io'], resources: ['ingresses', 'ingresses/status', 'networkpolicies'], verbs: readVerbs },
    { apiGroups: ['resource.k8s.io'], resources: ['resourceclaims', 'resourceclaims/status', 'resourceclaimtemplates'], verbs: readVerbs },
  ],
};

/** Each role for users, and the one whose rules it has, too. */
const parts: readonly (readonly [name: string, part: string | undefined])[] = [
  ['view', undefined],
  ['edit', 'view'],
  ['admin', 'edit'],
];

/** A role and its labels, besides those of every default role. */
export interface DefaultRole {
  readonly labels?: Readonly<Record<string, string>>;
  readonly aggregationRule?: JsonObject;
  readonly rules: readonly JsonObject[];
}

/**
 * Returns the roles for users by name: each collects the rules of the roles with its label.
 * Source: Kubernetes documentation "Using RBAC Authorization", "Aggregated ClusterRoles".
 */
export function userRoles(): Readonly<Record<string, DefaultRole>> {
  const roles: Record<string, DefaultRole> = {};
  for (const [name, part] of parts) {
    const rules = [...(ownRules[name] as readonly JsonObject[])];
    const aggregate = parts.find(([, other]) => other === name)?.[0];
    roles[`system:aggregate-to-${name}`] = { labels: { [labelFor(name)]: 'true' }, rules };
    roles[name] = {
      ...(aggregate === undefined ? {} : { labels: { [labelFor(aggregate)]: 'true' } }),
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [labelFor(name)]: 'true' } }] },
      rules: [...(part === undefined ? [] : (roles[part] as DefaultRole).rules), ...rules],
    };
  }
  return roles;
}

function labelFor(name: string): string {
  return `${apiGroup}/aggregate-to-${name}`;
}
