import type { JsonObject } from '../../util/json.js';
import { type DefaultRole, userRoles } from './user-roles.js';

const apiGroup = 'rbac.authorization.k8s.io';
const apiVersion = `${apiGroup}/v1`;
const everything = ['*'];
const clusterRoles: Readonly<Record<string, readonly JsonObject[]>> = {
  'cluster-admin': [
    { apiGroups: everything, resources: everything, verbs: everything },
    { nonResourceURLs: everything, verbs: everything },
  ],
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
  'system:monitoring': [
    {
      nonResourceURLs: [
        '/flagz',
        '/healthz',
        '/healthz/*',
        '/livez',
        '/livez/*',
        '/metrics',
        '/metrics/slis',
        '/readyz',
        '/readyz/*',
        '/statusz',
      ],
      verbs: ['get'],
    },
    { apiGroups: [''], resources: ['nodes/metrics'], verbs: ['get'] },
  ],
  'system:service-account-issuer-discovery': [
    {
      nonResourceURLs: ['/.well-known/openid-configuration', '/.well-known/openid-configuration/', '/openid/v1/jwks', '/openid/v1/jwks/'],
      verbs: ['get'],
    },
  ],
  'system:auth-delegator': [
    { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
    { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
  ],
  'system:public-info-viewer': [{ nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'], verbs: ['get'] }],
};

const clusterRoleBindings: Readonly<Record<string, readonly string[]>> = {
  'cluster-admin': ['system:masters'],
  'system:basic-user': ['system:authenticated'],
  'system:discovery': ['system:authenticated'],
  'system:monitoring': ['system:monitoring'],
  'system:public-info-viewer': ['system:authenticated', 'system:unauthenticated'],
  'system:service-account-issuer-discovery': ['system:serviceaccounts'],
};

/**
 * Returns the default roles and bindings: user-facing roles, and the permissions of every authenticated user.
 * Source: Kubernetes documentation "Using RBAC Authorization", "Default roles and role bindings".
 */
export function bootstrapPolicy(): readonly { readonly resource: string; readonly object: JsonObject }[] {
  const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'true' };
  const defaultLabels = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };
  const plain = Object.entries(clusterRoles).map(([name, rules]): [string, DefaultRole] => [name, { rules }]);
  return [
    ...[...plain, ...Object.entries(userRoles())].map(([name, { labels, ...content }]) => ({
      resource: `${apiGroup}/clusterroles`,
      object: {
        apiVersion,
        kind: 'ClusterRole',
        metadata: { name, labels: { ...defaultLabels, ...labels }, annotations },
        ...content,
      } as JsonObject,
    })),
    ...Object.entries(clusterRoleBindings).map(([name, groups]) => ({
      resource: `${apiGroup}/clusterrolebindings`,
      object: {
        apiVersion,
        kind: 'ClusterRoleBinding',
        metadata: { name, labels: defaultLabels, annotations },
        roleRef: { apiGroup, kind: 'ClusterRole', name },
        subjects: groups.map((group) => ({ apiGroup, kind: 'Group', name: group })),
      },
    })),
  ];
}
