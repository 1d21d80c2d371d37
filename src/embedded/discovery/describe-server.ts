import type { PrunedContainers } from '../../merge/index.js';
import type { JsonObject } from '../../util/json.js';
import { type ApiRequest, type ApiResponse, apiResponse } from '../api/request.js';
import type { Route } from '../api/route.js';
import { noSuchPath } from '../api/status-error.js';
import { acceptClauses, checkMediaTypes, negotiate, negotiateAggregated } from '../http/negotiate.js';
import type { Backend } from '../registry/backend.js';
import { discoveredReviews } from '../verbs/review.js';
import { aggregated, allGroups, apiVersions, group, groupList, resourceList } from './discovery.js';

/** Handles paths that do not address a resource: discovery, version, health. @throws StatusError 404 */
export async function describeServer(
  { catalog, prunedContainers }: Backend,
  request: ApiRequest,
  route: Route | undefined,
): Promise<ApiResponse> {
  const resources = [...catalog.all(), ...discoveredReviews];
  const path = request.path.replace(/(?<!\/)\/+$/, '');
  if (path === '/api' || path === '/apis') {
    const groups = path === '/api' ? [''] : allGroups(resources);
    const aggregatedType = negotiateAggregated(request, path === '/api');
    if (aggregatedType !== undefined) return { ...apiResponse(200, aggregated(resources, groups)), ...aggregatedType };
    const { mediaType } = negotiate(request, { strict: path === '/api', discovery: true });
    return { ...apiResponse(200, path === '/api' ? apiVersions('127.0.0.1') : groupList(resources)), mediaType };
  }
  if (path === '/version') {
    checkMediaTypes(acceptClauses(request.headers.accept || '*/*'), ['application/json']);
    return apiResponse(200, kubernetesVersion(prunedContainers));
  }
  if (path === '/healthz' || path === '/livez' || path === '/readyz') return { ...apiResponse(200, 'ok'), contentType: 'text/plain' };
  if (path === '/openapi/v3' || path.startsWith('/openapi/v3/')) {
    const { openApi } = await import('./open-api.js');
    const document = openApi(catalog.all(), path.slice('/openapi/v3'.length).replace(/^\//, ''));
    if (document !== undefined) return apiResponse(200, document);
  }
  const name = /^\/apis\/([^/]+)$/.exec(path)?.[1];
  const body = name === undefined ? route && resourceList(resources, route.group, route.version) : group(resources, name);
  if (body === undefined) throw noSuchPath();
  return { ...apiResponse(200, body), mediaType: negotiate(request, { strict: name === undefined, discovery: true }).mediaType };
}

/** Returns the Kubernetes version whose behavior this server has. */
function kubernetesVersion(emptied: PrunedContainers): JsonObject {
  return {
    major: '1',
    minor: '36',
    gitVersion: emptied === 'null' ? 'v1.36.3-fieldwise' : 'v1.36.2-fieldwise',
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '',
    goVersion: '',
    compiler: '',
    platform: '',
  };
}
