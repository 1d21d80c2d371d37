import type { Json, JsonObject } from '../util/json.js';
import type { Resource, ServedResources } from './discovery.js';
import type { RequestContext } from './transport/transport.js';

/** One object by its address. */
export interface ObjectAddress {
  readonly resource: Resource;
  /** Present exactly for namespaced resources. */
  readonly namespace?: string;
  readonly name: string;
}

export interface ApplyOptions {
  readonly manager: string;
  readonly force: boolean;
  /** Such as `status`; absent for the object itself. */
  readonly subresource?: string | undefined;
  readonly dryRun?: boolean;
  /** Ask for the object's metadata only: enough to know what happened, and cheaper. */
  readonly metadataOnly?: boolean;
  /** Have the intent merged on this side and not by the server: see `applyingDynamically`. */
  readonly dynamic?: DynamicOptions | undefined;
}

/** How the items of lists are told apart, by field path without list keys, where neither the schema nor the convention is right. */
export interface DynamicOptions {
  readonly listKeys?: Readonly<Record<string, readonly string[] | 'set' | 'atomic'>> | undefined;
}

export interface ApplyResponse {
  /** The server answered 201. */
  readonly created: boolean;
  /** An earlier answer to this apply was lost: the object may be its creation although `created` is false. */
  readonly responseLost: boolean;
  /** Whether the object was written; absent where the answer alone does not tell. */
  readonly changed?: boolean;
  readonly object: JsonObject;
  readonly warnings: readonly string[];
}

export interface ListOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  /** Such as `metadata.name=web`. */
  readonly fieldSelector?: string | undefined;
  readonly metadataOnly?: boolean;
  /** How many objects the first page may hold; the others hold `perPage`. */
  readonly firstPageSize?: number;
  /** How many objects a page may hold. Default 500. */
  readonly pageSize?: number;
}

/** A part of all objects of a resource. */
export interface ListPage {
  readonly items: readonly JsonObject[];
  /** How many come after this page, as the server estimates it; 0 where it does not say. */
  readonly remainingItemCount: number;
}

/** All objects of a resource at one moment. */
export interface ListResult {
  readonly items: readonly JsonObject[];
  /** From which a watch misses nothing. */
  readonly resourceVersion: string;
}

export interface WatchOptions {
  readonly namespace?: string;
  /** Such as `metadata.name=web`. */
  readonly fieldSelector?: string | undefined;
  readonly resourceVersion: string;
  /** After which the server ends the watch. */
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: JsonObject;
}

export interface DeleteOptions {
  /** Deletes only this very object, never another of the same name. */
  readonly uid: string;
  /** Deletes it only as it was read: any write since then refuses the deletion (409). */
  readonly resourceVersion?: string;
  readonly propagationPolicy: 'Background' | 'Foreground' | 'Orphan';
}

/**
 * What the engine asks of an API server. A real server and an embedded one stand behind the same HTTP.
 * A whole number beyond 2^53 is a `bigint` in what it answers, and is sent with all its digits.
 * All verbs throw ApiError where the server refuses, and FieldwiseError where it cannot be reached or authenticated to, or answers with
 * something that is not what was asked for.
 */
export interface ClusterClient {
  readonly server: string;
  /** Namespace of objects that name none. */
  readonly defaultNamespace: string;
  /** Milliseconds for which a server that is away is waited for. */
  readonly retryTimeoutMs: number;
  resourceOf(apiVersion: string, kind: string): Promise<Resource>;
  /** Every resource that can be listed, and the groups that do not answer. */
  listResources(): Promise<ServedResources>;
  apply(address: ObjectAddress, body: Json, options: ApplyOptions): Promise<ApplyResponse>;
  get(address: ObjectAddress): Promise<JsonObject>;
  /** Like `get`, or undefined where there is no such object. */
  tryGet(address: ObjectAddress): Promise<JsonObject | undefined>;
  /** All objects of a resource; `metadataOnly` leaves their content out. */
  list(resource: Resource, options: ListOptions): Promise<readonly JsonObject[]>;
  /** Like `list`, with the resourceVersion to watch from. */
  listWithVersion(resource: Resource, options: ListOptions): Promise<ListResult>;
  /**
   * What happens to objects of a resource, until the server ends it, `seconds` are over, or `signal` aborts. Items of lists and events
   * may lack apiVersion and kind.
   */
  watch(resource: Resource, options: WatchOptions): AsyncIterable<WatchEvent>;
  /** The OpenAPI v3 document of a group-version; its bounds are JavaScript numbers. */
  openApi(apiVersion: string): Promise<JsonObject>;
  /** The same page by page. */
  pages(resource: Resource, options: ListOptions): AsyncIterable<ListPage>;
  /** Version of the server, such as `v1.36.3`. */
  version(): Promise<string>;
  create(resource: Resource, namespace: string | undefined, body: Json, manager: string, dryRun?: boolean): Promise<JsonObject>;
  replace(address: ObjectAddress, body: Json, manager: string): Promise<JsonObject>;
  /** JSON Patch (RFC 6902): what it does not name is not touched. */
  patch(address: ObjectAddress, operations: readonly Json[], manager: string): Promise<JsonObject>;
  /** JSON Merge Patch (RFC 7396): lists are replaced as a whole, so it carries the resourceVersion that they were read at. */
  mergePatch(address: ObjectAddress, body: JsonObject, manager: string, dryRun?: boolean): Promise<JsonObject>;
  /** @returns the object as it now is while finalizers hold it, or undefined when it is gone. */
  delete(address: ObjectAddress, options: DeleteOptions): Promise<JsonObject | undefined>;
  /** The same cluster, with somebody who watches over its requests. */
  withContext(attendance: RequestContext): ClusterClient;
  close(): void;
}
