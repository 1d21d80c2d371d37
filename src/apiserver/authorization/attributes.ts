import { quote } from '../../fields/index.js';
import { parseFieldSelector } from '../api/field-selector.js';
import { nameParameterError } from '../api/path.js';
import type { ApiRequest } from '../api/request.js';
import { splitNamespace } from '../api/route.js';
import { qualified, StatusError } from '../api/status-error.js';
import { labelMatcher } from '../registry/label-selector.js';
import { isWatch } from '../registry/list-options.js';
import { wholeNumber } from '../registry/write-options.js';

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

const verbs: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/**
 * Returns the attributes of a request with a decoded path; undefined for a path that ends at `watch` or `proxy`.
 * Source: Kubernetes documentation "Authorization", "Determine the request verb"; the rest as observed.
 */
export function attributesOf({ method, query, path }: ApiRequest): AuthorizationAttributes | undefined {
  const isPlain = path.startsWith('/') && !path.startsWith('//') && !path.endsWith('/');
  const parts = (isPlain ? path.slice(1) : path.replaceAll(/^\/+|(?<!\/)\/+$/g, '')).split('/');
  const [root, second = ''] = parts;
  const rest = root === 'api' ? parts.slice(2) : root === 'apis' ? parts.slice(3) : [];
  if (rest[0] === undefined) return { verb: method.toLowerCase(), path };
  const group = root === 'api' ? '' : second;
  const isSpecial = rest[0] === 'watch' || rest[0] === 'proxy';
  if (isSpecial && rest.length === 1) return undefined;
  const { namespace, resource, name, subresource } = resourceParts(isSpecial ? rest.slice(1) : rest);
  const verb = isSpecial ? rest[0] : (verbs[method] ?? '');
  const of = { group, resource, subresource: verb === 'proxy' ? undefined : subresource, namespace };
  if (name !== '') return { verb, name, ...of };
  if (verb === 'delete') return { verb: 'deletecollection', ...of };
  if (verb !== 'get') return { verb, ...of };
  return { verb: isWatch(query) ? 'watch' : 'list', name: selectedName(query), ...of };
}

function resourceParts(parts: readonly string[]) {
  const { namespace, rest } = splitNamespace(parts);
  const [resource = '', name = '', subresource] = rest;
  return { resource, name, subresource, namespace: namespace ?? (resource === 'namespaces' && name !== '' ? name : undefined) };
}

/** Returns the name that a list or watch is restricted to by its field selector. The server ignores a query that it cannot read. */
function selectedName(query: URLSearchParams): string | undefined {
  const selector = query.get('fieldSelector');
  if (!selector) return undefined;
  try {
    const name = parseFieldSelector(selector).find(({ field, operator }) => field === 'metadata.name' && operator === '=')?.value;
    if (!name || nameParameterError(name) !== undefined) return undefined;
    for (const parameter of ['limit', 'timeoutSeconds']) wholeNumber(query, parameter);
    labelMatcher(query.get('labelSelector') ?? '');
    return name;
  } catch (error) {
    if (error instanceof StatusError) return undefined;
    throw error;
  }
}

/** Returns a resource with its subresource as rules name it: `deployments/scale`. */
export function resourceText({ resource, subresource }: ResourceAttributes): string {
  return subresource === undefined || subresource === '' ? resource : `${resource}/${subresource}`;
}

/** Returns the message of a Forbidden status. */
export function forbiddenMessage(user: string, attributes: AuthorizationAttributes, reason: string): string {
  const because = reason === '' ? '' : `: ${reason}`;
  const who = `User ${quote(user)} cannot ${attributes.verb}`;
  if ('path' in attributes) return `forbidden: ${escapeMarkup(`${who} path ${quote(attributes.path)}`)}${because}`;
  const { group, namespace, name, resource } = attributes;
  const kind = qualified(resource, group);
  const subject = kind === '' ? '' : `${kind}${name ? ` ${quote(name)}` : ''} is `;
  const where = namespace ? `in the namespace ${quote(namespace)}` : 'at the cluster scope';
  const action = escapeMarkup(`${who} resource ${quote(resourceText(attributes))} in API group ${quote(group)} ${where}`);
  return `${subject}forbidden: ${action}${because}`;
}

function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
