import type { Json, JsonObject } from '../util/json.js';
import { Discovery, groupVersionPath, type Resource } from './discovery.js';
import { isNotFound } from './status.js';
import type { Transport } from './transport.js';

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
  readonly dryRun?: boolean;
  /** Ask for the object's metadata only: enough to know what happened, and cheaper. */
  readonly metadataOnly?: boolean;
}

export interface ApplyAnswer {
  readonly created: boolean;
  readonly object: JsonObject;
  readonly warnings: readonly string[];
}

export interface ListOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly metadataOnly?: boolean;
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
 * All verbs throw ApiError where the server refuses, and FieldwiseError where it cannot be reached or authenticated to.
 */
export interface Cluster {
  readonly server: string;
  /** Namespace of objects that name none. */
  readonly defaultNamespace: string;
  resourceOf(apiVersion: string, kind: string): Promise<Resource>;
  /** Every resource that can be listed. */
  listable(): Promise<readonly Resource[]>;
  apply(address: ObjectAddress, body: Json, options: ApplyOptions): Promise<ApplyAnswer>;
  get(address: ObjectAddress): Promise<JsonObject>;
  /** Like `get`, or undefined where there is no such object. */
  find(address: ObjectAddress): Promise<JsonObject | undefined>;
  /** All objects of a resource; `metadataOnly` leaves their content out. */
  list(resource: Resource, options: ListOptions): Promise<readonly JsonObject[]>;
  create(resource: Resource, namespace: string | undefined, body: Json, manager: string): Promise<JsonObject>;
  replace(address: ObjectAddress, body: Json, manager: string): Promise<JsonObject>;
  /** @returns the object as it now is while finalizers hold it, or undefined when it is gone. */
  delete(address: ObjectAddress, options: DeleteOptions): Promise<JsonObject | undefined>;
  close(): void;
}

const metadataListAccept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';
const metadataAccept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
const pageSize = '500';

/** The Cluster behind a transport. */
export function clusterOver(transport: Transport, defaultNamespace: string): Cluster {
  const discovery = new Discovery(transport);
  return {
    server: transport.server,
    defaultNamespace,
    resourceOf: (apiVersion, kind) => discovery.resourceOf(apiVersion, kind),
    listable: () => discovery.listable(),

    async apply(address, body, options) {
      const answer = await transport.send({
        method: 'PATCH',
        path: objectPath(address),
        query: {
          fieldManager: options.manager,
          force: String(options.force),
          dryRun: options.dryRun ? 'All' : undefined,
        },
        contentType: 'application/apply-patch+yaml',
        body: JSON.stringify(body),
        ...(options.metadataOnly ? { accept: metadataAccept } : {}),
      });
      return { created: answer.code === 201, object: answer.body as JsonObject, warnings: answer.warnings };
    },

    async get(address) {
      return (await transport.send({ method: 'GET', path: objectPath(address) })).body as JsonObject;
    },

    async find(address) {
      try {
        return await this.get(address);
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },

    async list(resource, options) {
      const items: JsonObject[] = [];
      let next: string | undefined;
      do {
        const page = (
          await transport.send({
            method: 'GET',
            path: collectionPath(resource, options.namespace),
            query: { labelSelector: options.labelSelector, limit: pageSize, continue: next },
            ...(options.metadataOnly ? { accept: metadataListAccept } : {}),
          })
        ).body as JsonObject;
        items.push(...((page.items ?? []) as readonly JsonObject[]));
        next = (page.metadata as JsonObject | undefined)?.continue as string | undefined;
      } while (next);
      return items;
    },

    async create(resource, namespace, body, manager) {
      const path = collectionPath(resource, namespace);
      return (await transport.send({ method: 'POST', path, query: { fieldManager: manager }, body: JSON.stringify(body) }))
        .body as JsonObject;
    },

    async replace(address, body, manager) {
      const path = objectPath(address);
      return (await transport.send({ method: 'PUT', path, query: { fieldManager: manager }, body: JSON.stringify(body) }))
        .body as JsonObject;
    },

    async delete(address, options) {
      const answer = await transport.send({
        method: 'DELETE',
        path: objectPath(address),
        body: JSON.stringify({
          apiVersion: 'v1',
          kind: 'DeleteOptions',
          preconditions: { uid: options.uid, resourceVersion: options.resourceVersion },
          propagationPolicy: options.propagationPolicy,
        }),
      });
      const object = answer.body as JsonObject;
      return object.kind === 'Status' ? undefined : object;
    },

    close: () => transport.close(),
  };
}

function collectionPath(resource: Resource, namespace: string | undefined): string {
  const scope = resource.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${groupVersionPath(resource.apiVersion)}${scope}/${resource.plural}`;
}

function objectPath(address: ObjectAddress): string {
  return `${collectionPath(address.resource, address.namespace)}/${encodeURIComponent(address.name)}`;
}
