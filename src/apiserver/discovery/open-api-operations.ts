import { STATUS_CODES } from 'node:http';
import type { Json, JsonObject } from '../../util/json.js';
import { parametersOf, withSharedParameters } from './open-api-parameters.js';

/** A resource as its operations describe it. */
export interface PublishedResource {
  /** Path of the group and version, such as `apis/apps/v1`. */
  readonly path: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly custom: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly PublishedSubresource[];
  readonly bodies: PublishedBodies;
}

/** References to the schemas of bodies. */
export interface PublishedBodies {
  readonly object: JsonObject;
  readonly list: JsonObject;
  /** The answer to the deletion of an object. */
  readonly deleted: JsonObject;
  readonly status: JsonObject;
  readonly deleteOptions: JsonObject;
  readonly patch: JsonObject;
  /** Undefined for a custom resource, whose watches have no paths of their own. */
  readonly watchEvent: JsonObject | undefined;
}

export interface PublishedSubresource {
  readonly name: string;
  readonly verbs: readonly string[];
  /** Group, version and kind of its bodies. */
  readonly kind: JsonObject;
  readonly object: JsonObject;
}

interface Operation {
  readonly action: string;
  /** Its identifier around the group and version, without the kind and what follows it: `delete`, `Collection`. */
  readonly id: readonly [verb: string, before?: string];
  readonly object: JsonObject;
  readonly codes: readonly number[];
  readonly body?: JsonObject;
}

/** The operations of a path, by method, with what the identifiers say after the kind and the parameters of the path. */
interface Path {
  readonly suffix?: string;
  readonly at: readonly string[];
  readonly subresource?: PublishedSubresource;
  readonly operations: Readonly<Record<string, Operation>>;
}

/** Returns the paths of a resource with their operations. Source: Kubernetes API reference; identifiers as observed. */
export function operationsOf(resource: PublishedResource): Readonly<Record<string, Json>> {
  const { path, plural, namespaced, custom, verbs, bodies, subresources } = resource;
  const scope = namespaced ? ['namespace'] : [];
  const named = ['name', ...scope];
  const within = `${namespaced ? 'namespaces/{namespace}/' : ''}${plural}`;
  const everywhere = 'ForAllNamespaces';
  const paths: Record<string, Path> = {
    ...(namespaced && verbs.includes('list') ? { [plural]: { suffix: everywhere, at: [], operations: { get: listing(bodies) } } } : {}),
    [within]: { at: scope, operations: collectionOperations(resource) },
    [`${within}/{name}`]: { at: named, operations: objectOperations(resource, verbs, bodies.object) },
  };
  for (const subresource of subresources) {
    const { name, object } = subresource;
    const operations = objectOperations(resource, subresource.verbs, object);
    paths[`${within}/{name}/${name}`] = { suffix: capitalized(name), at: named, subresource, operations };
  }
  if (!custom && verbs.includes('watch') && bodies.watchEvent !== undefined) {
    const watch: Operation = { action: 'watch', id: ['watch'], object: bodies.watchEvent, codes: [200] };
    const watchList = { get: { ...watch, action: 'watchlist' } };
    if (namespaced) paths[`watch/${plural}`] = { suffix: `List${everywhere}`, at: [], operations: watchList };
    paths[`watch/${within}`] = { suffix: 'List', at: scope, operations: watchList };
    paths[`watch/${within}/{name}`] = { at: named, operations: { get: watch } };
  }
  const items = Object.entries(paths).filter(([, { operations }]) => Object.keys(operations).length > 0);
  return Object.fromEntries(items.map(([end, each]) => [`/${path}/${end}`, pathItem(resource, each)]));
}

function listing({ list }: PublishedBodies): Operation {
  return { action: 'list', id: ['list'], object: list, codes: [200] };
}

function collectionOperations({ verbs, bodies, custom }: PublishedResource): Readonly<Record<string, Operation>> {
  return {
    ...(verbs.includes('list') ? { get: listing(bodies) } : {}),
    ...(verbs.includes('create') ? { post: creation(bodies.object) } : {}),
    ...(verbs.includes('deletecollection') ? { delete: collectionDeletion(bodies, custom) } : {}),
  };
}

function collectionDeletion({ status, deleteOptions }: PublishedBodies, custom: boolean): Operation {
  const body = custom ? {} : { body: deleteOptions };
  return { action: 'deletecollection', id: ['delete', 'Collection'], object: status, codes: [200], ...body };
}

function creation(object: JsonObject): Operation {
  return { action: 'post', id: ['create'], object, body: object, codes: [200, 201, 202] };
}

/** Returns the operations of an object, or of its subresource, which alone is created there. */
function objectOperations(
  { bodies, custom, verbs: ownVerbs }: PublishedResource,
  verbs: readonly string[],
  object: JsonObject,
): Readonly<Record<string, Operation>> {
  const isPart = verbs !== ownVerbs;
  return {
    ...(verbs.includes('get') ? { get: { action: 'get', id: ['read'], object, codes: [200] } } : {}),
    ...(verbs.includes('update') ? { put: { action: 'put', id: ['replace'], object, body: object, codes: [200, 201] } } : {}),
    ...(isPart && verbs.includes('create') ? { post: creation(object) } : {}),
    ...(verbs.includes('delete') ? { delete: deletion(bodies) } : {}),
    ...(verbs.includes('patch')
      ? { patch: { action: 'patch', id: ['patch'], object, body: bodies.patch, codes: custom ? [200] : [200, 201] } }
      : {}),
  };
}

function deletion({ deleted, deleteOptions }: PublishedBodies): Operation {
  return { action: 'delete', id: ['delete'], object: deleted, body: deleteOptions, codes: [200, 202] };
}

function pathItem(resource: PublishedResource, path: Path): JsonObject {
  const operations = Object.entries(path.operations).map(([method, operation]) => [method, written(resource, path, operation)] as const);
  return withSharedParameters(Object.fromEntries(operations));
}

function written(resource: PublishedResource, { suffix = '', at, subresource }: Path, operation: Operation): JsonObject {
  const { group, version, kind, namespaced, custom } = resource;
  const { action, id, object, body, codes } = operation;
  const [verb, before = ''] = id;
  const isInNamespace = namespaced && (at.includes('namespace') || action === 'post');
  const subject = `${before}${isInNamespace ? 'Namespaced' : ''}${kind}${suffix}`;
  return {
    tags: [tagOf(group, version)],
    operationId: `${verb}${groupIdentifier(group)}${capitalized(version)}${subject}`,
    parameters: parametersOf(action, at, custom),
    ...(body === undefined ? {} : { requestBody: requestBody(action, body, custom) }),
    responses: responses(codes, object, mediaTypes(custom, /list|watch/.test(action))),
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': subresource?.kind ?? { group, version, kind },
  };
}

function requestBody(action: string, body: JsonObject, custom: boolean): JsonObject {
  const types = action === 'patch' ? patchTypes(custom) : custom ? mediaTypes(true, false) : ['*/*'];
  return { content: content(types, body), ...(action.startsWith('delete') ? {} : { required: true }) };
}

/** Returns the media types of patches, by which clients choose theirs. */
function patchTypes(custom: boolean): readonly string[] {
  const types = ['apply-patch+yaml', 'json-patch+json', 'merge-patch+json', ...(custom ? [] : ['strategic-merge-patch+json'])];
  return types.map((type) => `application/${type}`);
}

function mediaTypes(custom: boolean, streams: boolean): readonly string[] {
  if (custom) return ['application/json', 'application/yaml'];
  const types = ['application/json', 'application/vnd.kubernetes.protobuf'];
  return [...types.flatMap((type) => (streams ? [type, `${type};stream=watch`] : [type])), 'application/yaml'];
}

function content(types: readonly string[], schema: JsonObject): JsonObject {
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}

function responses(codes: readonly number[], schema: JsonObject, types: readonly string[]): JsonObject {
  const answer = content(types, schema);
  const each = codes.map((code) => [code, { description: STATUS_CODES[code] ?? '', content: answer }]);
  return Object.fromEntries([...each, [401, { description: STATUS_CODES[401] ?? '' }]]);
}

/** Returns the path of a document that the server answers itself, without a resource: discovery, its version, its keys. */
export function reading(
  tag: string,
  operationId: string,
  schema: JsonObject,
  types: readonly string[] = mediaTypes(false, false),
): JsonObject {
  return { get: { tags: [tag], operationId, responses: responses([200], schema, types) } };
}

/** Returns the name under which clients generated from the document put the operations of a group and version. */
export function tagOf(group: string, version: string): string {
  const name = groupIdentifier(group);
  const start = `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
  return version === '' ? start : `${start}_${version}`;
}

/** Returns a group as identifiers have it: `RbacAuthorization`. */
export function groupIdentifier(group: string): string {
  return group === ''
    ? 'Core'
    : group
        .replace(/\.k8s\.io$/, '')
        .split('.')
        .map(capitalized)
        .join('');
}

export function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
