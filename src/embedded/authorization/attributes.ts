import type { ApiRequest } from '../api/request.js';
import type { Route } from '../api/route.js';
import { qualified } from '../api/status-error.js';

/**
 * The attributes of a request that authorization decides by.
 * Source: Kubernetes API reference, ResourceAttributes, NonResourceAttributes.
 */
export type AuthorizationAttributes = ResourceAttributes | PathAttributes;

export interface ResourceAttributes {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

export interface PathAttributes {
  readonly verb: string;
  readonly path: string;
}

const verbs: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };

/** Returns the attributes of a request. Source: Kubernetes documentation "Authorization", "Determine the request verb". */
export function attributesOf(request: ApiRequest, route: Route | undefined): AuthorizationAttributes {
  const { method, query, path } = request;
  if (route?.plural === undefined) return { verb: method.toLowerCase(), path };
  const { group, plural: resource, subresource } = route;
  const name = route.name ?? /(?:^|,)metadata\.name==?([^,]+)/.exec(query.get('fieldSelector') ?? '')?.[1];
  const isNamespace = group === '' && resource === 'namespaces';
  const namespace = isNamespace ? route.name : route.namespace;
  return { verb: verbOf(method, query, route.name !== undefined), group, resource, subresource, namespace, name };
}

function verbOf(method: string, query: URLSearchParams, isObject: boolean): string {
  if (method === 'DELETE' && !isObject) return 'deletecollection';
  const write = verbs[method];
  if (write !== undefined) return write;
  if (isObject) return 'get';
  return ['true', '1'].includes(query.get('watch') ?? '') ? 'watch' : 'list';
}

/** Returns a resource with its subresource as rules name it: `deployments/scale`. */
export function resourceText({ resource, subresource }: ResourceAttributes): string {
  return subresource === undefined || subresource === '' ? resource : `${resource}/${subresource}`;
}

/** Returns the message of a Forbidden status. */
export function forbiddenMessage(user: string, attributes: AuthorizationAttributes, reason: string): string {
  const because = reason === '' ? '' : `: ${reason}`;
  if ('path' in attributes) return `forbidden: User ${JSON.stringify(user)} cannot ${attributes.verb} path "${attributes.path}"${because}`;
  const { verb, group, namespace, name, resource } = attributes;
  const subject = qualified(resource, group) + (name ? ` ${JSON.stringify(name)}` : '');
  const where = namespace ? `in the namespace ${JSON.stringify(namespace)}` : 'at the cluster scope';
  const action = `cannot ${verb} resource "${resourceText(attributes)}" in API group "${group}" ${where}`;
  return `${subject} is forbidden: User ${JSON.stringify(user)} ${action}${because}`;
}
