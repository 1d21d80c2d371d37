import { isTerminating, resourceVersionOfNoObject } from '../fields/object.js';
import { roundedNumbers, stringifyExactJson } from '../util/exact-json.js';
import { isJsonObject, type Json, type JsonObject } from '../util/json.js';
import { jsonForYaml } from '../util/json-for-yaml.js';
import { thisMachine } from '../util/machine.js';
import { admissionDenialOf } from './admission-denial.js';
import { CheckedRequests, expectedAt } from './checked-requests.js';
import type { ApplyOptions, ClusterClient, DeleteOptions, LogOptions, ObjectAddress, WatchEvent, WatchOptions } from './cluster-client.js';
import { Discovery, groupVersionPath, type Resource } from './discovery.js';
import { listPages } from './list-pages.js';
import { collectionPath, objectPath } from './object-path.js';
import { listError, objectError } from './response-object.js';
import { ApiError, isForbidden, isNotFound } from './status.js';
import { type ApiRequest, defaultRetryTimeoutMs, type RequestSender } from './transport/transport.js';
import { unexpectedResponse } from './transport/unexpected-response.js';

const metadataAccept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
const maxDocumentBytes = 64 * 2 ** 20; // bytes

/** Returns the client that sends its requests through a transport. */
export function createClusterClient(transport: RequestSender, defaultNamespace: string): ClusterClient {
  return clientOf(new CheckedRequests(transport, {}), new Discovery(transport), defaultNamespace);
}

/** An object of its own members, because views of a client spread it and replace some of its verbs. */
function clientOf(requests: CheckedRequests, discovery: Discovery, defaultNamespace: string): ClusterClient {
  const { transport, context } = requests;
  return {
    server: transport.server,
    defaultNamespace,
    retryTimeoutMs: transport.retryTimeoutMs ?? defaultRetryTimeoutMs,
    machine: transport.machine ?? thisMachine,
    clockDifference: () => transport.clockDifference,
    resourceOf: (apiVersion, kind) => discovery.resourceOf(apiVersion, kind, context),
    listResources: () => discovery.listResources(context),
    ...serverReads(requests),
    ...objectReads(requests),
    ...collectionReads(requests),
    ...writes(requests),
    withContext: (another) => clientOf(requests.withContext({ ...context, ...another }), discovery, defaultNamespace),
    close: () => transport.close(),
  };
}

function serverReads(requests: CheckedRequests): Pick<ClusterClient, 'version' | 'openApi'> {
  return {
    async version() {
      return String(((await requests.send({ method: 'GET', path: '/version' })).body as JsonObject).gitVersion);
    },

    async openApi(apiVersion) {
      const path = `/openapi/v3${groupVersionPath(apiVersion)}`;
      return roundedNumbers((await requests.send({ method: 'GET', path, maxResponseBytes: maxDocumentBytes })).body) as JsonObject;
    },
  };
}

function objectReads(requests: CheckedRequests): Pick<ClusterClient, 'get' | 'tryGet' | 'podLog'> {
  return {
    async get(address) {
      return (await requests.sendFor({ method: 'GET', path: objectPath(address) }, expectedAt(address))).body;
    },

    async tryGet(address) {
      try {
        return await this.get(address);
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },

    podLog: (address, options) => readPodLog(requests, address, options),
  };
}

/** Source: Kubernetes API reference, "read log of the specified Pod". */
async function readPodLog(requests: CheckedRequests, address: ObjectAddress, options: LogOptions): Promise<string> {
  const { container, previous, tailLines, maxBytes } = options;
  const { body } = await requests.send({
    method: 'GET',
    path: `${objectPath(address)}/log`,
    query: { container, previous: String(previous), tailLines: String(tailLines), limitBytes: String(maxBytes) },
    // The server offers other types for its error than for the log.
    accept: '*/*',
    isText: true,
    maxResponseBytes: 2 * maxBytes,
  });
  const text = String(body);
  return Buffer.byteLength(text) < maxBytes ? text : text.slice(0, text.lastIndexOf('\n') + 1);
}

function collectionReads(requests: CheckedRequests): Pick<ClusterClient, 'list' | 'listWithVersion' | 'pages' | 'watch'> {
  return {
    async list(resource, options) {
      return (await this.listWithVersion(resource, options)).items;
    },

    async listWithVersion(resource, options) {
      const items: JsonObject[] = [];
      let resourceVersion = '';
      for await (const page of listPages(requests, resource, options)) {
        items.push(...page.items);
        resourceVersion = page.resourceVersion;
      }
      return { items, resourceVersion };
    },

    pages: (resource, options) => listPages(requests, resource, options),
    watch: (resource, options) => watchResource(requests, resource, options),
  };
}

function writes(
  requests: CheckedRequests,
): Pick<ClusterClient, 'apply' | 'create' | 'createByName' | 'replace' | 'patch' | 'mergePatch' | 'delete'> {
  return {
    async apply(address, body, options) {
      if (options.dynamic) throw new Error('This client does not merge; withClientSideApply() does.');
      const isScale = options.subresource !== undefined && options.subresource !== 'status';
      const expected = isScale ? { name: address.name } : expectedAt(address);
      const { code, responseLost, body: object, warnings } = await requests.sendFor(applyRequest(address, body, options), expected);
      return { created: code === 201, responseLost: responseLost === true, object, warnings };
    },

    async create(resource, namespace, body, manager, dryRun) {
      const path = collectionPath(resource, namespace);
      const query = { fieldManager: manager, dryRun: dryRun ? 'All' : undefined };
      return (await requests.sendFor({ method: 'POST', path, query, body: stringifyExactJson(body) }, { kind: resource.kind })).body;
    },

    createByName: (address, body, manager) => createByName(requests, address, body, manager),

    async replace(address, body, manager) {
      const path = objectPath(address);
      const request: ApiRequest = { method: 'PUT', path, query: { fieldManager: manager }, body: stringifyExactJson(body) };
      return (await requests.sendFor(request, expectedAt(address))).body;
    },

    async patch(address, operations, manager) {
      const contentType = 'application/json-patch+json';
      const query = { fieldManager: manager };
      const request: ApiRequest = { method: 'PATCH', path: objectPath(address), query, contentType, body: stringifyExactJson(operations) };
      return (await requests.sendFor(request, expectedAt(address))).body;
    },

    async mergePatch(address, body, manager, dryRun) {
      const contentType = 'application/merge-patch+json';
      const query = { fieldManager: manager, dryRun: dryRun ? 'All' : undefined };
      const request: ApiRequest = { method: 'PATCH', path: objectPath(address), query, contentType, body: stringifyExactJson(body) };
      return (await requests.sendFor(request, expectedAt(address))).body;
    },

    delete: (address, options) => deleteObject(requests, address, options),
  };
}

async function createByName(requests: CheckedRequests, address: ObjectAddress, body: JsonObject, manager: string): Promise<JsonObject> {
  const { apply, create } = writes(requests);
  if (!requests.server.hasApply) return create(address.resource, address.namespace, body, manager);
  const metadata = { ...(body.metadata as JsonObject), resourceVersion: resourceVersionOfNoObject };
  try {
    return (await apply(address, { ...body, metadata }, { manager, force: true })).object;
  } catch (error) {
    const isUnknownType = error instanceof ApiError && error.code === 415;
    if (!isUnknownType && !(isForbidden(error) && admissionDenialOf(error) === undefined)) throw error;
    const made = await create(address.resource, address.namespace, body, manager).catch((second: unknown) => {
      throw isForbidden(second) ? error : second; // The right by name is the one to grant.
    });
    if (isUnknownType) requests.server.hasApply = false;
    else requests.context.onUnnamedCreation?.(error);
    return made;
  }
}

function applyRequest(address: ObjectAddress, body: Json, options: ApplyOptions): ApiRequest {
  return {
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
}

async function deleteObject(requests: CheckedRequests, address: ObjectAddress, options: DeleteOptions): Promise<JsonObject | undefined> {
  const body = JSON.stringify({
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    preconditions: { uid: options.uid, resourceVersion: options.resourceVersion },
    propagationPolicy: options.propagationPolicy,
  });
  try {
    const request: ApiRequest = { method: 'DELETE', path: objectPath(address), body };
    const response = await requests.send(request);
    if (isJsonObject(response.body) && response.body.kind === 'Status') return undefined;
    const issue = objectError(response.body, expectedAt(address));
    if (issue !== undefined) throw unexpectedResponse(requests.transport.server, request, issue);
    return isTerminating(response.body) ? (response.body as JsonObject) : undefined; // Some kinds are returned as they were last.
  } catch (error) {
    if (error instanceof ApiError && error.responseLost && error.code === 404) return undefined; // The attempt whose response was lost deleted it.
    throw error;
  }
}

async function* watchResource({ transport }: CheckedRequests, resource: Resource, options: WatchOptions): AsyncGenerator<WatchEvent> {
  const { namespace, fieldSelector, resourceVersion, timeoutSeconds, signal } = options;
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
}
