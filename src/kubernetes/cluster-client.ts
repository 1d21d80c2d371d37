import { FieldwiseError } from '../util/error.js';
import { roundedNumbers, stringifyExactJson } from '../util/exact-json.js';
import { isJsonObject, type Json, type JsonObject } from '../util/json.js';
import { jsonForYaml } from '../util/json-for-yaml.js';
import { Discovery, groupVersionPath, type Resource, type ServedResources } from './discovery.js';
import { metadataOf } from './object.js';
import { type ExpectedObject, listError, objectError } from './response-object.js';
import { ApiError, isNotFound } from './status.js';
import { type ApiRequest, type ApiResponse, defaultRetryTimeoutMs, type RequestContext, type RequestSender } from './transport.js';
import { unexpectedResponse } from './unexpected-response.js';

/** The address of one object. */
export interface ObjectAddress {
  readonly resource: Resource;
  /** Present exactly for namespaced resources. */
  readonly namespace?: string;
  readonly name: string;
}

export interface ApplyOptions {
  readonly manager: string;
  readonly force: boolean;
  /** A subresource such as `status`; absent for the object itself. */
  readonly subresource?: string | undefined;
  readonly dryRun?: boolean;
  /** Requests only the object's metadata, which is enough to detect a change. @default false */
  readonly metadataOnly?: boolean;
  /** Merges the intent client-side; see `withClientSideApply`. Absent for a merge by the server. */
  readonly dynamic?: DynamicOptions | undefined;
}

/** The keys of list items, by field path without list keys, for lists for which neither the schema nor the convention is right. */
export interface DynamicOptions {
  readonly listKeys?: Readonly<Record<string, readonly string[] | 'set' | 'atomic'>> | undefined;
}

export interface ApplyResponse {
  /** True if the server responded with 201. */
  readonly created: boolean;
  /** True if an earlier response to this apply was lost: the apply may have created the object although `created` is false. */
  readonly responseLost: boolean;
  /** True if the object was written; absent if the response alone does not show it. */
  readonly changed?: boolean;
  readonly object: JsonObject;
  readonly warnings: readonly string[];
}

export interface ListOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  /** Such as `metadata.name=web`. */
  readonly fieldSelector?: string | undefined;
  /** Requests only metadata. @default false */
  readonly metadataOnly?: boolean;
  /** The maximum number of objects on the first page. @default `pageSize` */
  readonly firstPageSize?: number;
  /** The maximum number of objects on a page. @default 500 */
  readonly pageSize?: number;
}

/** One page of the objects of a resource. */
export interface ListPage {
  readonly items: readonly JsonObject[];
  /** The number of objects after this page, as the server estimates it; 0 if it gives no estimate. */
  readonly remainingItemCount: number;
}

/** All objects of a resource at one moment. */
export interface ListResult {
  readonly items: readonly JsonObject[];
  /** The version from which a watch misses no event. */
  readonly resourceVersion: string;
}

export interface WatchOptions {
  readonly namespace?: string;
  /** Such as `metadata.name=web`. */
  readonly fieldSelector?: string | undefined;
  readonly resourceVersion: string;
  /** The seconds after which the server ends the watch. */
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: JsonObject;
}

export interface DeleteOptions {
  /** A precondition: deletes only the object with this uid, never another of the same name. */
  readonly uid: string;
  /** A precondition: after any write since this version, the server rejects the deletion (409). */
  readonly resourceVersion?: string;
  readonly propagationPolicy: 'Background' | 'Foreground' | 'Orphan';
}

/**
 * The engine's client of an API server, real or embedded; both serve the same HTTP API.
 * Integers beyond 2^53 are `bigint` in responses, and are sent with all their digits.
 *
 * All methods throw ApiError if the server rejects the request, and FieldwiseError if it cannot be reached, does not accept the
 * credentials, or sends an unexpected response.
 */
export interface ClusterClient {
  readonly server: string;
  /** The namespace of objects without one. */
  readonly defaultNamespace: string;
  /** The milliseconds for which requests are retried while the server is unavailable. */
  readonly retryTimeoutMs: number;
  resourceOf(apiVersion: string, kind: string): Promise<Resource>;
  /** Returns every resource that can be listed, and the groups that do not answer. */
  listResources(): Promise<ServedResources>;
  apply(address: ObjectAddress, body: Json, options: ApplyOptions): Promise<ApplyResponse>;
  get(address: ObjectAddress): Promise<JsonObject>;
  /** Like `get`; returns undefined if the object does not exist. */
  tryGet(address: ObjectAddress): Promise<JsonObject | undefined>;
  /** Returns all objects of a resource. */
  list(resource: Resource, options: ListOptions): Promise<readonly JsonObject[]>;
  /** Like `list`, with the resourceVersion to watch from. */
  listWithVersion(resource: Resource, options: ListOptions): Promise<ListResult>;
  /**
   * Yields the events of a resource until the server ends the watch or `signal` aborts. Items of lists and events may lack apiVersion and
   * kind.
   */
  watch(resource: Resource, options: WatchOptions): AsyncIterable<WatchEvent>;
  /** Returns the OpenAPI v3 document of a group-version; integers beyond 2^53, such as bounds, are rounded to JavaScript numbers. */
  openApi(apiVersion: string): Promise<JsonObject>;
  /** Like `list`, page by page. */
  pages(resource: Resource, options: ListOptions): AsyncIterable<ListPage>;
  /** Returns the version of the server, such as `v1.36.3`. */
  version(): Promise<string>;
  create(resource: Resource, namespace: string | undefined, body: Json, manager: string, dryRun?: boolean): Promise<JsonObject>;
  replace(address: ObjectAddress, body: Json, manager: string): Promise<JsonObject>;
  /** Sends a JSON Patch (RFC 6902). */
  patch(address: ObjectAddress, operations: readonly Json[], manager: string): Promise<JsonObject>;
  /** Sends a JSON Merge Patch (RFC 7396). It replaces lists as a whole, so it must carry the resourceVersion at which they were read. */
  mergePatch(address: ObjectAddress, body: JsonObject, manager: string, dryRun?: boolean): Promise<JsonObject>;
  /** @returns the terminating object if finalizers delay its deletion, or undefined if it is deleted. */
  delete(address: ObjectAddress, options: DeleteOptions): Promise<JsonObject | undefined>;
  /** Returns a view of this client that applies `context` to every request. */
  withContext(context: RequestContext): ClusterClient;
  close(): void;
}

const metadataListAccept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';
const metadataAccept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
const defaultPageSize = 500;
/** A hundred times the size of a usual page; a larger page is requested again in smaller ones. */
const maxPageBytes = 256 * 2 ** 20; // bytes
const maxDocumentBytes = 64 * 2 ** 20; // bytes
/** Five million objects, more than a server stores. */
const maxPages = 10_000;

/** Returns the client that sends its requests through a transport. */
export function createClusterClient(transport: RequestSender, defaultNamespace: string): ClusterClient {
  return createClientWithContext(transport, new Discovery(transport), defaultNamespace, {});
}

function createClientWithContext(
  transport: RequestSender,
  discovery: Discovery,
  defaultNamespace: string,
  context: RequestContext,
): ClusterClient {
  const send = (request: ApiRequest) => transport.send(request, context);
  /** Sends a request for one object and checks that the response is that object. */
  const sendFor = async (request: ApiRequest, expected: ExpectedObject): Promise<ApiResponse & { readonly body: JsonObject }> => {
    const response = await send(request);
    const issue = objectError(response.body, expected);
    if (issue !== undefined) throw unexpectedResponse(transport.server, request, issue);
    return response as ApiResponse & { readonly body: JsonObject };
  };
  const listPage = async (request: ApiRequest): Promise<JsonObject> => {
    const { body } = await send({ ...request, maxResponseBytes: maxPageBytes });
    const issue = listError(body);
    if (issue !== undefined) throw unexpectedResponse(transport.server, request, issue);
    return body as JsonObject;
  };
  return {
    server: transport.server,
    defaultNamespace,
    retryTimeoutMs: transport.retryTimeoutMs ?? defaultRetryTimeoutMs,
    resourceOf: (apiVersion, kind) => discovery.resourceOf(apiVersion, kind, context),
    listResources: () => discovery.listResources(context),

    async apply(address, body, options) {
      if (options.dynamic) throw new Error('This client does not merge; withClientSideApply() does.');
      const isScale = options.subresource !== undefined && options.subresource !== 'status';
      const request: ApiRequest = {
        method: 'PATCH',
        path: objectPath(address) + (options.subresource === undefined ? '' : `/${options.subresource}`),
        query: {
          fieldManager: options.manager,
          force: String(options.force),
          dryRun: options.dryRun ? 'All' : undefined,
        },
        contentType: 'application/apply-patch+yaml',
        body: jsonForYaml(stringifyExactJson(body)),
        ...(options.metadataOnly ? { accept: metadataAccept } : {}),
      };
      const response = await sendFor(request, isScale ? { name: address.name } : expectedOf(address));
      return {
        created: response.code === 201,
        responseLost: response.responseLost === true,
        object: response.body,
        warnings: response.warnings,
      };
    },

    async get(address) {
      return (await sendFor({ method: 'GET', path: objectPath(address) }, expectedOf(address))).body;
    },

    async tryGet(address) {
      try {
        return await this.get(address);
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },

    async list(resource, options) {
      return (await this.listWithVersion(resource, options)).items;
    },

    async listWithVersion(resource, options) {
      const items: JsonObject[] = [];
      let resourceVersion = '';
      for await (const page of pages(resource, options)) {
        items.push(...page.items);
        resourceVersion = page.resourceVersion;
      }
      return { items, resourceVersion };
    },

    async *watch(resource, { namespace, fieldSelector, resourceVersion, timeoutSeconds, signal }) {
      const path = collectionPath(resource, namespace);
      if (!transport.stream) throw new ApiError('GET', path, 405, undefined);
      const query = { watch: 'true', fieldSelector, resourceVersion, timeoutSeconds: String(timeoutSeconds) };
      for await (const event of transport.stream({ path, query, signal, timeoutSeconds: timeoutSeconds + 5 })) {
        const { type, object } = isJsonObject(event) ? event : {};
        if (type === 'ERROR') throw new ApiError('GET', path, isJsonObject(object) ? Number(object.code ?? 0) : 0, object);
        if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') continue; // Such as BOOKMARK, and types that later servers may add.
        const issue = listError({ items: [object ?? null] });
        if (issue !== undefined) throw unexpectedResponse(transport.server, { method: 'GET', path }, `a watch event: ${issue}`);
        yield { type, object: object as JsonObject };
      }
    },

    async *pages(resource, options) {
      yield* pages(resource, options);
    },

    async version() {
      return String(((await send({ method: 'GET', path: '/version' })).body as JsonObject).gitVersion);
    },

    async openApi(apiVersion) {
      const path = `/openapi/v3${groupVersionPath(apiVersion)}`;
      return roundedNumbers((await send({ method: 'GET', path, maxResponseBytes: maxDocumentBytes })).body) as JsonObject;
    },

    async create(resource, namespace, body, manager, dryRun) {
      const path = collectionPath(resource, namespace);
      const query = { fieldManager: manager, dryRun: dryRun ? 'All' : undefined };
      return (await sendFor({ method: 'POST', path, query, body: stringifyExactJson(body) }, { kind: resource.kind })).body;
    },

    async replace(address, body, manager) {
      const path = objectPath(address);
      const request: ApiRequest = { method: 'PUT', path, query: { fieldManager: manager }, body: stringifyExactJson(body) };
      return (await sendFor(request, expectedOf(address))).body;
    },

    async patch(address, operations, manager) {
      const contentType = 'application/json-patch+json';
      const query = { fieldManager: manager };
      const request: ApiRequest = { method: 'PATCH', path: objectPath(address), query, contentType, body: stringifyExactJson(operations) };
      return (await sendFor(request, expectedOf(address))).body;
    },

    async mergePatch(address, body, manager, dryRun) {
      const contentType = 'application/merge-patch+json';
      const query = { fieldManager: manager, dryRun: dryRun ? 'All' : undefined };
      const request: ApiRequest = { method: 'PATCH', path: objectPath(address), query, contentType, body: stringifyExactJson(body) };
      return (await sendFor(request, expectedOf(address))).body;
    },

    async delete(address, options) {
      const body = JSON.stringify({
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        preconditions: { uid: options.uid, resourceVersion: options.resourceVersion },
        propagationPolicy: options.propagationPolicy,
      });
      try {
        const request: ApiRequest = { method: 'DELETE', path: objectPath(address), body };
        const response = await send(request);
        if (isJsonObject(response.body) && response.body.kind === 'Status') return undefined;
        const issue = objectError(response.body, expectedOf(address));
        if (issue !== undefined) throw unexpectedResponse(transport.server, request, issue);
        return response.body as JsonObject;
      } catch (error) {
        if (error instanceof ApiError && error.responseLost && error.code === 404) return undefined; // The attempt whose response was lost deleted it.
        throw error;
      }
    },

    withContext: (added) => createClientWithContext(transport, discovery, defaultNamespace, { ...context, ...added }),
    close: () => transport.close(),
  };

  async function* pages(resource: Resource, options: ListOptions) {
    let next: string | undefined;
    const { pageSize = defaultPageSize } = options;
    let limit = Math.min(pageSize, options.firstPageSize ?? pageSize);
    let laterLimit = pageSize;
    for (let count = 1; ; count++) {
      const request: ApiRequest = {
        method: 'GET',
        path: collectionPath(resource, options.namespace),
        query: { labelSelector: options.labelSelector, fieldSelector: options.fieldSelector, limit: String(limit), continue: next },
        ...(options.metadataOnly ? { accept: metadataListAccept } : {}),
      };
      const page = await listPage(request).catch((error: unknown) => {
        if (limit === 1 || !(error instanceof FieldwiseError) || error.code !== 'response-too-large') throw error;
        return undefined;
      });
      if (page === undefined) {
        limit = laterLimit = Math.ceil(limit / 10);
        continue;
      }
      const metadata = metadataOf(page);
      const token = typeof metadata.continue === 'string' && metadata.continue !== '' ? metadata.continue : undefined;
      if (token !== undefined && (token === next || count >= maxPages)) {
        const unexpected = token === next ? 'a page whose continue token is that of the page before' : `more than ${maxPages} pages`;
        throw unexpectedResponse(transport.server, request, unexpected);
      }
      yield {
        items: (page.items ?? []) as readonly JsonObject[],
        remainingItemCount: remainingOf(page),
        resourceVersion: String(metadata.resourceVersion ?? ''),
      };
      if (token === undefined) return;
      next = token;
      limit = laterLimit;
    }
  }
}

function expectedOf({ resource, name }: ObjectAddress): ExpectedObject {
  return { kind: resource.kind, name };
}

function remainingOf({ metadata }: JsonObject): number {
  const remaining = (metadata as JsonObject | undefined)?.remainingItemCount;
  return typeof remaining === 'number' ? remaining : 0;
}

function collectionPath(resource: Resource, namespace: string | undefined): string {
  const scope = resource.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${groupVersionPath(resource.apiVersion)}${scope}/${resource.plural}`;
}

function objectPath(address: ObjectAddress): string {
  return `${collectionPath(address.resource, address.namespace)}/${encodeURIComponent(address.name)}`;
}
