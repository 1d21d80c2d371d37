import type { Json, JsonObject } from '../util/json.js';
import type { Machine } from '../util/machine.js';
import type { Resource, ServedResources } from './discovery.js';
import type { RequestContext } from './transport/transport.js';

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

/** How an intent is merged client-side. */
export interface DynamicOptions {
  /** The keys of list items, by field path without list keys, for lists for which neither the schema nor the convention is right. */
  readonly listKeys?: Readonly<Record<string, readonly string[] | 'set' | 'atomic'>> | undefined;
  /** Fields that the intent leaves to others, as conflicts name them: they are neither set nor released. */
  readonly yielded?: readonly string[];
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

/** The part of the log of a container to read. */
export interface LogOptions {
  readonly container: string;
  /** Reads the log of its last run, which has ended. */
  readonly previous: boolean;
  /** The number of lines at the end. */
  readonly tailLines: number;
  /** The size after which the server ends the log. A line that it cuts off is left out. */
  readonly maxBytes: number;
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
  /** The machine on which a run with this client works. */
  readonly machine: Machine;
  /** Returns the milliseconds by which the clock of this machine is ahead of the server's; undefined before a response with a date. */
  clockDifference(): number | undefined;
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
  /** Returns the end of the log of a container of a Pod. */
  podLog(address: ObjectAddress, options: LogOptions): Promise<string>;
  /** Returns the OpenAPI v3 document of a group-version; integers beyond 2^53, such as bounds, are rounded to JavaScript numbers. */
  openApi(apiVersion: string): Promise<JsonObject>;
  /** Like `list`, page by page. */
  pages(resource: Resource, options: ListOptions): AsyncIterable<ListPage>;
  /** Returns the version of the server, such as `v1.36.3`. */
  version(): Promise<string>;
  create(resource: Resource, namespace: string | undefined, body: Json, manager: string, dryRun?: boolean): Promise<JsonObject>;
  /**
   * Creates an object by an apply that can only create, so that RBAC can limit the rights for it, `create` and `patch`, to its name. Where the
   * apply is not allowed, or the server has none, the object is created by a POST, whose right has no name.
   * Source: Kubernetes documentation "Server-Side Apply"; that the resourceVersion makes an apply fail where the object exists: observed.
   *
   * @throws ApiError 409 where an object of this name exists.
   */
  createByName(address: ObjectAddress, body: JsonObject, manager: string): Promise<JsonObject>;
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
