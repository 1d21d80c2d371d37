import type { PrunedContainers } from '../../merge/index.js';
import type { JsonObject } from '../../util/json.js';
import { type ApiRequest, type ApiResponse, apiResponse } from '../api/request.js';
import type { Route } from '../api/route.js';
import { acceptClauses, checkMediaTypes, negotiate, negotiateAggregated } from '../http/negotiate.js';
import type { Backend } from '../registry/backend.js';
import { discoveredBindings } from '../verbs/bindings.js';
import { discoveredReviews } from '../verbs/review.js';
import { cachedResponse } from './cached-response.js';
import { aggregated, allGroups, apiVersions, group, groupList, resourceList } from './discovery.js';
import { notServed } from './not-served.js';
import { pathNotFound } from './plain-text.js';
import { serverPath } from './server-paths.js';

/** Handles paths that do not address a resource: discovery, version, health. @throws StatusError 404 */
export async function describeServer(backend: Backend, request: ApiRequest, route: Route | undefined): Promise<ApiResponse> {
  const { catalog, prunedContainers } = backend;
  const resources = [...catalog.discovered(), ...discoveredReviews, discoveredBindings];
  const path = request.path.replace(/(?<!\/)\/+$/, '');
  const described = await serverPath(backend, request, request.path, resources);
  if (described !== undefined) return described;
  if (path === '/api' || path === '/apis') {
    const groups = path === '/api' ? [''] : allGroups(resources);
    const aggregatedType = negotiateAggregated(request, path === '/api');
    if (aggregatedType !== undefined) return aggregatedResponse(request, aggregated(resources, groups), aggregatedType);
    const { mediaType } = negotiate(request, { strict: path === '/api', discovery: true });
    return { ...apiResponse(200, path === '/api' ? apiVersions('127.0.0.1') : groupList(resources)), mediaType };
  }
  if (path === '/version') {
    checkMediaTypes(acceptClauses(request.headers.accept || '*/*'), ['application/json']);
    return apiResponse(200, kubernetesVersion(prunedContainers));
  }
  const name = /^\/apis\/([^/]+)$/.exec(path)?.[1];
  const body = name === undefined ? route && resourceList(resources, route.group, route.version) : group(resources, name);
  if (body === undefined && name !== undefined) return pathNotFound();
  if (body === undefined) return notServed(backend, /^\/apis\/([^/]+)\//.exec(path)?.[1] ?? '');
  return { ...apiResponse(200, body), mediaType: negotiate(request, { strict: name === undefined, discovery: true }).mediaType };
}

function aggregatedResponse(request: ApiRequest, body: JsonObject, type: Pick<ApiResponse, 'mediaType' | 'contentType'>): ApiResponse {
  return { ...cachedResponse(request, body, { 'cache-control': 'public', vary: 'Accept' }), ...type };
}

/** Returns the Kubernetes version whose behavior this server has. */
function kubernetesVersion(emptied: PrunedContainers): JsonObject {
  return {
    major: '1',
    minor: '36',
    emulationMajor: '1',
    emulationMinor: '36',
    minCompatibilityMajor: '1',
    minCompatibilityMinor: '35',
    gitVersion: emptied === 'null' ? 'v1.36.3-fieldwise' : 'v1.36.2-fieldwise',
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: '',
    platform: '',
  };
}
