import { type ApiRequest, type ApiResponse, apiResponse } from '../api/request.js';
import { pathNotFound, plainText } from './plain-text.js';

/**
 * The checks of a server, in their order. All of them pass: the embedded server is complete when it accepts its first request, so it
 * has nothing to wait for. Clients wait for checks by name. Source: observed.
 */
const hooks = [
  'start-apiserver-admission-initializer',
  'generic-apiserver-start-informers',
  'priority-and-fairness-config-consumer',
  'priority-and-fairness-filter',
  'storage-object-count-tracker-hook',
  'start-apiextensions-informers',
  'start-apiextensions-controllers',
  'crd-informer-synced',
  'start-system-namespaces-controller',
  'peer-endpoint-reconciler-controller',
  'start-cluster-authentication-info-controller',
  'start-kube-apiserver-identity-lease-controller',
  'start-kube-apiserver-identity-lease-garbage-collector',
  'storage-readiness',
  'start-legacy-token-tracking-controller',
  'start-service-ip-repair-controllers',
  'rbac/bootstrap-roles',
  'scheduling/bootstrap-system-priority-classes',
  'priority-and-fairness-config-producer',
  'bootstrap-controller',
  'start-kubernetes-service-cidr-controller',
  'start-kube-aggregator-informers',
  'apiservice-status-local-available-controller',
  'apiservice-status-remote-available-controller',
  'apiservice-registration-controller',
  'apiservice-discovery-controller',
  'kube-apiserver-autoregistration',
].map((name) => `poststarthook/${name}`);

const common: readonly string[] = [
  ...hooks,
  'autoregister-completion',
  'poststarthook/apiservice-openapi-controller',
  'poststarthook/apiservice-openapiv3-controller',
];

const alive: readonly string[] = ['ping', 'log', 'loopback-serving-certificate', 'etcd', ...common];

const checks: Readonly<Record<string, readonly string[]>> = {
  healthz: alive,
  livez: alive,
  readyz: ['ping', 'log', 'etcd', 'etcd-readiness', 'informer-sync', ...common, 'shutdown'],
};

/** Returns the paths of all checks. */
export function healthPaths(): readonly string[] {
  return Object.entries(checks).flatMap(([root, names]) => [`/${root}`, ...names.map((name) => `/${root}/${name}`)]);
}

/** Handles `/healthz`, `/livez` and `/readyz`; undefined for other paths. Source: Kubernetes documentation "Kubernetes API health endpoints". */
export function healthResponse(path: string, { query }: ApiRequest): ApiResponse | undefined {
  const [, root = '', name] = /^\/(healthz|livez|readyz)(?:\/(.*))?$/s.exec(path) ?? [];
  const names = checks[root];
  if (names === undefined) return undefined;
  if (name !== undefined) return names.includes(name) ? { ...apiResponse(200, 'ok'), contentType: plainText } : pathNotFound();
  return { ...apiResponse(200, query.has('verbose') ? report(root, names, query) : 'ok'), contentType: plainText };
}

function report(root: string, names: readonly string[], query: URLSearchParams): string {
  const excluded = query.getAll('exclude').flatMap((text) => text.split(','));
  const lines = names.map((name) => `[+]${name} ${excluded.includes(name) ? 'excluded: ' : ''}ok`);
  const unknown = [...new Set(excluded)].filter((name) => name !== '' && !names.includes(name));
  const quoted = unknown.map((name) => JSON.stringify(name)).join(', ');
  const warning = unknown.length === 0 ? [] : [`warn: some health checks cannot be excluded: no matches for ${quoted}`];
  return [...lines, ...warning, `${root} check passed`, ''].join('\n');
}
