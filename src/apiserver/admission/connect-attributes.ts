import type { Json, JsonObject } from '../../util/json.js';
import type { ApiRequest } from '../api/request.js';
import type { ObjectTarget } from '../registry/backend.js';
import type { PolicyAttributes } from './policy-attributes.js';

const flags = ['stdin', 'stdout', 'stderr', 'tty'];

/** The kind of the options of each subresource that reaches into what runs, without the kind of its resource. */
const kinds: Readonly<Record<string, string>> = {
  attach: 'AttachOptions',
  exec: 'ExecOptions',
  portforward: 'PortForwardOptions',
  proxy: 'ProxyOptions',
};

/**
 * Returns the attributes of a connection: the object is the options in its query.
 * Source: Kubernetes API reference, PodExecOptions, PodAttachOptions, PodPortForwardOptions, PodProxyOptions.
 */
export function connectAttributes({ subresource = '', resource }: ObjectTarget, request: ApiRequest): PolicyAttributes {
  const kind = `${resource.kind}${kinds[subresource]}`;
  const object = { kind, apiVersion: 'v1', ...optionsOf(subresource, request) };
  return { operation: 'CONNECT', object, oldObject: null, dryRun: false, options: null };
}

function optionsOf(subresource: string, { query, path }: ApiRequest): JsonObject {
  if (subresource === 'portforward') return list('ports', query.getAll('ports').map(Number));
  if (subresource === 'proxy') {
    const rest = path.slice(path.indexOf('/proxy') + '/proxy'.length);
    return rest === '' ? {} : { path: rest };
  }
  const given = flags.filter((flag) => query.has(flag) && !['false', '0'].includes(String(query.get(flag))));
  const container = query.get('container');
  return {
    ...Object.fromEntries(given.map((flag) => [flag, true])),
    ...(container ? { container } : {}),
    ...(subresource === 'exec' ? { command: query.has('command') ? (query.getAll('command') as Json) : null } : {}),
  };
}

function list(name: string, items: readonly Json[]): JsonObject {
  return items.length === 0 ? {} : { [name]: items };
}
