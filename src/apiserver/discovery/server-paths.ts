import { type ApiRequest, type ApiResponse, apiResponse } from '../api/request.js';
import { issuer } from '../authentication/service-account-token.js';
import { gatedFields } from '../built-in/strategy/gated-fields.js';
import type { Backend } from '../registry/backend.js';
import type { DiscoveredResource } from '../registry/discovered-resource.js';
import { allGroups, versionsOf } from './discovery.js';
import { healthPaths, healthResponse } from './health.js';
import { pathNotFound } from './plain-text.js';

/** Handles the paths outside of `/api` and `/apis`; undefined for paths of the API and for `/version`. */
export async function serverPath(
  backend: Backend,
  request: ApiRequest,
  path: string,
  resources: readonly DiscoveredResource[],
): Promise<ApiResponse | undefined> {
  if (/^\/(?:api|apis|version)(?:\/|$)/.test(path)) return undefined;
  const health = healthResponse(path, request);
  if (health !== undefined) return health;
  if (path === '' || path === '/') return apiResponse(200, { paths: paths(resources) });
  if (path === '/metrics') return { ...apiResponse(200, metrics(backend)), contentType: 'text/plain; version=0.0.4; charset=utf-8' };
  if (path === '/.well-known/openid-configuration') return openIdConfiguration(request);
  if (path === '/openid/v1/jwks') return keySet(backend);
  return (await openApiResponse(backend, request, path)) ?? pathNotFound();
}

/** Returns every path that the server handles. */
function paths(resources: readonly DiscoveredResource[]): readonly string[] {
  const groups = allGroups(resources).flatMap((group) => [
    `/apis/${group}`,
    ...versionsOf(resources, group).map((version) => `/apis/${group}/${version}`),
  ]);
  const others = ['/api', '/api/v1', '/apis', '/apis/', '/metrics', '/openapi/v2', '/openapi/v3', '/openapi/v3/', '/version'];
  return [...groups, ...others, ...healthPaths(), '/.well-known/openid-configuration', '/openid/v1/jwks'].toSorted();
}

/** Returns the objects of each resource, feature gates and the memory of the process, in the text format of Prometheus. */
function metrics({ catalog, store }: Backend): string {
  const counts = catalog
    .all()
    .filter((resource) => resource.sharedStore === undefined)
    .map(
      ({ group, plural }) => `apiserver_resource_objects{group="${group}",resource="${plural}"} ${store.list(`${group}/${plural}`).length}`,
    );
  const gates = gatedFields.map(({ gate, stage }) => `kubernetes_feature_enabled{name="${gate}",stage="${stage}"} 0`);
  return [
    '# HELP apiserver_resource_objects Number of stored objects by resource.',
    '# TYPE apiserver_resource_objects gauge',
    ...counts,
    '# HELP kubernetes_feature_enabled Feature gates whose fields are dropped.',
    '# TYPE kubernetes_feature_enabled gauge',
    ...new Set(gates),
    '# HELP process_resident_memory_bytes Resident memory of the process in bytes.',
    '# TYPE process_resident_memory_bytes gauge',
    `process_resident_memory_bytes ${process.memoryUsage.rss()}`,
    '',
  ].join('\n');
}

const publicHeaders = { 'cache-control': 'public, max-age=3600' };

/** Source: Kubernetes documentation "Configure Service Accounts for Pods", "ServiceAccount token issuer discovery". */
function openIdConfiguration({ headers: { host = 'localhost' } }: ApiRequest): ApiResponse {
  const document = {
    issuer,
    jwks_uri: `https://${host}/openid/v1/jwks`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  };
  return { ...apiResponse(200, document), headers: publicHeaders };
}

function keySet({ signingKey }: Backend): ApiResponse {
  const { crv = '', x = '', y = '' } = signingKey().publicKey.export({ format: 'jwk' });
  const body = { keys: [{ use: 'sig', kty: 'EC', crv, alg: 'ES256', x, y }] };
  return { ...apiResponse(200, body), contentType: 'application/jwk-set+json', headers: publicHeaders };
}

async function openApiResponse(backend: Backend, request: ApiRequest, path: string): Promise<ApiResponse | undefined> {
  if (!path.startsWith('/openapi/v')) return undefined;
  const { catalog } = backend;
  const { openApiV2, openApiV3, openApiV3Index } = await import('./open-api-responses.js');
  if (path === '/openapi/v2') return openApiV2(catalog, request);
  const [, name] = /^\/openapi\/v3(?:\/(.*))?$/s.exec(path) ?? [];
  if (!path.startsWith('/openapi/v3')) return undefined;
  return name === undefined ? openApiV3Index(catalog) : openApiV3(backend, request, name);
}
