import type { JsonObject } from '../../util/json.js';

const apiGroup = 'rbac.authorization.k8s.io';
const apiVersion = `${apiGroup}/v1`;
const everything = ['*'];
const readVerbs = ['get', 'list', 'watch'];
const writeVerbs = ['create', 'delete', 'deletecollection', 'patch', 'update'];
const workloads = [
  { apiGroups: ['apps'], resources: everything },
  { apiGroups: ['autoscaling'], resources: ['horizontalpodautoscalers'] },
  { apiGroups: ['batch'], resources: ['cronjobs', 'cronjobs/status', 'jobs', 'jobs/status'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'] },
  { apiGroups: ['networking.k8s.io'], resources: ['ingresses', 'ingresses/status', 'networkpolicies'] },
  { apiGroups: ['policy'], resources: ['poddisruptionbudgets', 'poddisruptionbudgets/status'] },
];
const plainResources = ['configmaps', 'endpoints', 'events', 'persistentvolumeclaims', 'pods', 'pods/log', 'pods/status'].concat([
  'replicationcontrollers',
  'replicationcontrollers/scale',
  'serviceaccounts',
  'services',
  'services/status',
]);
const view = [
  { apiGroups: [''], resources: [...plainResources, 'limitranges', 'namespaces', 'resourcequotas'], verbs: readVerbs },
  ...workloads.map((rule) => ({ ...rule, verbs: readVerbs })),
];
const edit = [
  ...view,
  { apiGroups: [''], resources: ['secrets'], verbs: [...readVerbs, ...writeVerbs] },
  { apiGroups: [''], resources: plainResources, verbs: writeVerbs },
  { apiGroups: [''], resources: ['serviceaccounts/token'], verbs: ['create'] },
  ...workloads.map((rule) => ({ ...rule, verbs: writeVerbs })),
];
const admin = [...edit, { apiGroups: [apiGroup], resources: ['roles', 'rolebindings'], verbs: [...readVerbs, ...writeVerbs] }];

const clusterRoles: Readonly<Record<string, readonly JsonObject[]>> = {
  'cluster-admin': [
    { apiGroups: everything, resources: everything, verbs: everything },
    { nonResourceURLs: everything, verbs: everything },
  ],
  admin,
  edit,
  view,
  'system:basic-user': [
    { apiGroups: ['authorization.k8s.io'], resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'], verbs: ['create'] },
    { apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'], verbs: ['create'] },
  ],
  'system:discovery': [
    {
      nonResourceURLs: ['/api', '/api/*', '/apis', '/apis/*', '/healthz', '/livez', '/openapi', '/openapi/*', '/readyz', '/version'].concat(
        '/version/',
      ),
      verbs: ['get'],
    },
  ],
  'system:public-info-viewer': [{ nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'], verbs: ['get'] }],
};

const clusterRoleBindings: Readonly<Record<string, readonly string[]>> = {
  'cluster-admin': ['system:masters'],
  'system:basic-user': ['system:authenticated'],
  'system:discovery': ['system:authenticated'],
  'system:public-info-viewer': ['system:authenticated', 'system:unauthenticated'],
};

/**
 * Returns the default roles and bindings: user-facing roles, and the permissions of every authenticated user.
 * Source: Kubernetes documentation "Using RBAC Authorization", "Default roles and role bindings".
 */
export function bootstrapPolicy(): readonly { readonly resource: string; readonly object: JsonObject }[] {
  const labels = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };
  return [
    ...Object.entries(clusterRoles).map(([name, rules]) => ({
      resource: `${apiGroup}/clusterroles`,
      object: { apiVersion, kind: 'ClusterRole', metadata: { name, labels }, rules },
    })),
    ...Object.entries(clusterRoleBindings).map(([name, groups]) => ({
      resource: `${apiGroup}/clusterrolebindings`,
      object: {
        apiVersion,
        kind: 'ClusterRoleBinding',
        metadata: { name, labels },
        roleRef: { apiGroup, kind: 'ClusterRole', name },
        subjects: groups.map((group) => ({ apiGroup, kind: 'Group', name: group })),
      },
    })),
  ];
}
