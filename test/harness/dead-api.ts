import type { ResponseBody } from './api-client.js';
import type { Interception, InterceptionProxy, ProxiedRequest } from './interception-proxy.js';

export const deadApi = 'dead.example.com/v1beta1';

/**
 * Has a proxy answer as an API server does whose APIService `v1beta1.dead.example.com` has no server behind it. The answers are those of a
 * kube-apiserver 1.36.3 with such an APIService; on a server of the tests itself it would stand in the way of all others.
 *
 * @param aggregated whether the server knows aggregated discovery, as since Kubernetes 1.26.
 */
export function withDeadApi(proxy: InterceptionProxy, { aggregated }: { readonly aggregated: boolean }): void {
  proxy.onRequest = (request) => answerFor(request, aggregated);
  proxy.onResponse = ({ path }, { body }) => (path === '/apis' ? { body: withGroup(body) } : undefined);
}

function answerFor(request: ProxiedRequest, aggregated: boolean): Interception | undefined {
  if (request.path.startsWith(`/apis/${deadApi}`))
    return { respond: (response) => void response.writeHead(503).end('service unavailable\n') };
  if (!aggregated && request.accept.includes('APIGroupDiscoveryList')) request.accept = 'application/json';
  return undefined;
}

function withGroup(body: ResponseBody): ResponseBody {
  const [group = '', version] = deadApi.split('/');
  if (body.kind === 'APIGroupDiscoveryList') {
    return { ...body, items: [...body.items, { metadata: { name: group }, versions: [{ version, freshness: 'Stale' }] }] };
  }
  const only = { groupVersion: deadApi, version };
  return { ...body, groups: [...body.groups, { name: group, versions: [only], preferredVersion: only }] };
}
