import { quote } from '../fields/index.js';
import { metadataOf } from '../fields/object.js';
import type { PrunedContainers } from '../merge/index.js';
import { createCache, type OwnershipCache } from '../ownership/index.js';
import { FieldwiseError } from '../util/error.js';
import { stringifyExactJson } from '../util/exact-json.js';
import type { JsonObject } from '../util/json.js';
import { type Machine, randomUuid, thisMachine } from '../util/machine.js';
import { dispatchModule } from './admission/dispatch-module.js';
import { decodePath, nameParameterError } from './api/path.js';
import { type ApiRequest, type ApiResponse, apiResponse, bodyOf } from './api/request.js';
import { parseRoute } from './api/route.js';
import { badRequest, methodNotAllowed, StatusError, unexpectedError } from './api/status-error.js';
import { administrator, type User } from './api/user.js';
import { handleAside } from './aside/large-requests.js';
import { authenticateToken } from './authentication/service-account-token.js';
import { attributesOf } from './authorization/attributes.js';
import { authorize } from './authorization/authorize.js';
import { impersonate } from './authorization/impersonate.js';
import type { SimulatedClient } from './controllers/simulated/simulated-client.js';
import type { SimulatedControllers } from './controllers/simulated/simulated-controllers.js';
import { startControllers } from './controllers/start-controllers.js';
import type { DefinitionReview } from './custom/definition-review.js';
import { reviewByDefinition } from './custom/review-by-definition.js';
import { ruleModule } from './custom/rule-module.js';
import { describeServer } from './discovery/describe-server.js';
import { notServed } from './discovery/not-served.js';
import { mediaTypeOfError, negotiate, type Representation } from './http/negotiate.js';
import { projected } from './http/projection.js';
import type { ParamStore, PolicyDecision } from './policies/index.js';
import type { Backend, ObjectTarget, RequestTarget } from './registry/backend.js';
import { Catalog } from './registry/catalog.js';
import { isWatch } from './registry/list-options.js';
import { type Resource, storeName } from './registry/resource.js';
import type { ReviewedWrite } from './registry/reviewed-write.js';
import { newSigningKey, readSigningKey, type SigningKey } from './registry/signing-key.js';
import { addBootstrapObjects } from './resources/bootstrap-objects.js';
import { builtInResources } from './resources/built-in-resources.js';
import { crdResource, followUndoneDefinitions, postWriteHook } from './resources/crd-controller.js';
import { customResource } from './resources/custom-resource.js';
import { type ServerSnapshot, snapshotOf, stateOf } from './server-snapshot.js';
import type { Clock } from './storage/clock.js';
import { StaleRead, Store, type StoreContent, type StoreKey } from './storage/store.js';
import { bindingVerb } from './verbs/bindings.js';
import { checkRoute } from './verbs/check-route.js';
import { createVerb } from './verbs/create.js';
import { deleteCollection, deleteVerb } from './verbs/delete.js';
import { patchVerb } from './verbs/patch.js';
import { isPodAction, podActionVerb } from './verbs/pod-subresources.js';
import { isProxy, proxyVerb } from './verbs/proxy.js';
import { endpointOf, getVerb, listBody, listPage, listVerb } from './verbs/read.js';
import { findReview, reviewVerb } from './verbs/review.js';
import { scaleVerb } from './verbs/scale.js';
import { tokenRequestVerb } from './verbs/token-request.js';
import { updateVerb } from './verbs/update.js';
import { watchVerb } from './verbs/watch.js';
import { preparePolicies, prepareValidation } from './write/prepare-validation.js';
import { wouldBeNoop } from './write/would-be-noop.js';

export interface ApiServerOptions {
  /** @default the wall clock of the machine */
  readonly clock?: Clock;
  /**
   * The machine whose timer and random numbers the server uses. On another one than this, a large request is handled as any other: on the
   * same thread, and in one go.
   *
   * @default `thisMachine`
   */
  readonly machine?: Machine;
  /** The objects. @default those of the snapshot, or none */
  readonly store?: Store;
  /** The state of another server to start with. */
  readonly snapshot?: ServerSnapshot | undefined;
  /** Runs the namespace controller and the garbage collector, as a kube-controller-manager does. @default true */
  readonly controllers?: boolean;
  /** True if `simulate` is called. @default false */
  readonly simulated?: boolean;
  /** Has the objects that each cluster has from its start, such as the Namespace `default`. @default true */
  readonly bootstrapObjects?: boolean;
  /** Calls the configured webhooks. @default true */
  readonly webhooks?: boolean;
  /**
   * The value of a map or list after an apply removes its last member: `null`, as in Kubernetes 1.36.3, or an empty container,
   * `keep-empty`, as in 1.36.2.
   *
   * @default 'null'
   */
  readonly prunedContainers?: PrunedContainers;
  /** Signs the tokens of ServiceAccounts, as PEM. @default a new one */
  readonly signingKey?: string;
}

/** The state of a server at one moment. Its parts are never changed, so that servers share them. */
interface ServerState {
  readonly content: StoreContent;
  /** The served resources, those of CustomResourceDefinitions included. */
  readonly resources: readonly Resource[];
  readonly cache: OwnershipCache;
}

/** A request whose user is known. */
type AuthenticatedRequest = ApiRequest & { readonly user: User };

/** The number of new objects after which cached values are dropped. */
const creationsPerCache = 4_000;

/** The number of attempts to handle a request while others write the same object. */
const maxAttempts = 100;

/** The API server without a socket: it maps requests to responses. */
export class ApiServer {
  readonly #backend: Backend;
  readonly #runControllers: () => void;

  private constructor(backend: Backend, controllers: boolean) {
    this.#backend = backend;
    this.#runControllers = controllers ? startControllers(backend) : () => {};
  }

  static async create(options: ApiServerOptions = {}): Promise<ApiServer> {
    const { machine = thisMachine, clock = machine.wall, controllers = true, simulated = false } = options;
    const { prunedContainers = 'null', webhooks = true } = options;
    const state = options.snapshot && (stateOf(options.snapshot) as ServerState);
    const catalog = new Catalog(state?.resources ?? (await builtInResources()), customResource);
    const store = options.store ?? new Store(state?.content);
    const cached = ownershipCacheOf(store, state?.cache);
    const backend: Backend = {
      store,
      catalog,
      clock,
      machine,
      get cache() {
        return cached();
      },
      newUid: () => randomUuid(machine),
      prunedContainers,
      webhooks,
      simulated,
      signingKey: once(() => (options.signingKey === undefined ? newSigningKey() : readSigningKey(options.signingKey))),
    };
    if (state === undefined) {
      for (const crd of store.list(crdResource)) postWriteHook(backend, crdResource, crd);
      if (options.bootstrapObjects !== false) addBootstrapObjects(backend);
    }
    followUndoneDefinitions(backend);
    return new ApiServer(backend, controllers);
  }

  /**
   * Starts the simulated controllers of workloads.
   *
   * @param ca returns the certificate of the server as PEM; empty without one.
   */
  async simulate(podReadySeconds: number, ca: () => string): Promise<SimulatedControllers> {
    const { SimulatedControllers } = await import('./controllers/simulated/simulated-controllers.js');
    const { store, clock, machine } = this.#backend;
    const client: SimulatedClient = {
      send: ({ method, path, body, contentType = 'application/json', manager }) =>
        this.handle({
          ...{ method, path, query: new URLSearchParams({ fieldManager: manager }), headers: { 'content-type': contentType } },
          ...(body === undefined ? {} : { body: stringifyExactJson(body) }),
        }),
    };
    const simulated = new SimulatedControllers({ client, store, clock, machine, podReadySeconds, ca });
    await simulated.start();
    return simulated;
  }

  get store(): Store {
    return this.#backend.store;
  }

  /** Returns the state of the server, for other servers to start with. */
  snapshot(): ServerSnapshot {
    const { store, catalog, cache } = this.#backend;
    return snapshotOf({ content: store.content(), resources: catalog.all(), cache } satisfies ServerState);
  }

  /**
   * Stores an object as another server has it: with its uid, owners and status, unchecked. A CustomResourceDefinition makes its kind
   * served, or served as it now is.
   *
   * @returns false where no resource of this server stores objects of that apiVersion and kind.
   * @throws FieldwiseError `crd-invalid`
   */
  load(object: JsonObject): boolean {
    const { catalog, store } = this.#backend;
    const key = this.#keyOf(object);
    if (key === undefined) return false;
    store.put(key, object);
    if (key.resource === crdResource) catalog.define(object);
    return true;
  }

  /** Removes a loaded object without side effects; watchers receive no event. */
  unload(object: JsonObject): void {
    const key = this.#keyOf(object);
    if (key !== undefined) this.#backend.store.evict(key);
  }

  /**
   * Returns true where an apply without force would leave an object and its owners exactly as they are; the object need not be loaded.
   * False where anything would change, and where only the apply itself shows it.
   *
   * @param live the object as another server returns it, in the version of the intent.
   */
  wouldBeNoop(live: JsonObject, intent: JsonObject, manager: string): boolean {
    const key = this.#keyOf(intent);
    const resource = key && this.#backend.catalog.byName(key.resource);
    const version = resource && [...resource.versions.values()].find(({ apiVersion }) => apiVersion === intent.apiVersion);
    if (resource === undefined || version === undefined) return false;
    const { name = '', namespace } = metadataOf(live);
    const target: ObjectTarget = { resource, version, namespace, name, subresource: undefined, warnings: [] };
    return wouldBeNoop(this.#backend, target, live, intent, manager);
  }

  /** Returns a function with which the policies that are stored now decide on writes that nobody sends. */
  async policyReviewer(isComplete: ParamStore['isComplete']): Promise<(write: ReviewedWrite) => PolicyDecision> {
    await dispatchModule.load();
    return dispatchModule.get().policyReviewer(this.#backend, isComplete);
  }

  /** Returns a function that validates writes of custom resources that nobody sends by the stored definitions. */
  async definitionReviewer(): Promise<(write: ReviewedWrite) => DefinitionReview> {
    await ruleModule.load();
    return (write) => reviewByDefinition(this.#backend, write);
  }

  #keyOf(object: JsonObject): StoreKey | undefined {
    const { catalog } = this.#backend;
    const resource = catalog.all().find((candidate) => candidate.kind === object.kind && keeps(candidate, String(object.apiVersion)));
    const { name = '', namespace = '' } = metadataOf(object);
    return resource && { resource: storeName(resource), namespace, name };
  }

  /** Returns the ServiceAccount user a token belongs to, or undefined if the token is invalid. */
  authenticateToken(token: string): User | undefined {
    return authenticateToken(this.#backend, token);
  }

  /**
   * Handles one request. Errors that the client caused become responses and are never thrown. The response waits until every change that
   * it may show is stored.
   */
  async handle(request: ApiRequest): Promise<ApiResponse> {
    const { store } = this.#backend;
    const undoBefore = store.lastUndo;
    const response = await this.#respond(request);
    if (response.watch !== undefined) return response;
    if (!store.isCommitted) await store.committed().catch(() => {});
    const undo = store.lastUndo;
    if (undo === undefined || undo === undoBefore) return response;
    // The response may show a change that was undone.
    return request.method === 'GET' ? this.handle(request) : notStored(undo.error);
  }

  async #respond(request: ApiRequest): Promise<ApiResponse> {
    const warnings: string[] = [];
    try {
      const user = impersonate(this.#backend, request.user ?? administrator, request);
      const inOneGo = this.#backend.machine !== thisMachine;
      const response = await this.#retryStaleReads({ ...request, path: decodePath(request.path), user, inOneGo }, warnings);
      return response.watch ? response : { ...response, warnings: [...warnings, ...response.warnings] };
    } catch (error) {
      const mediaType = mediaTypeOfError(request);
      // Only a value that is nested too deeply exhausts the stack.
      const failure = error instanceof RangeError ? badRequest('exceeded max depth') : error;
      if (failure instanceof StatusError)
        return { ...apiResponse(failure.code, failure.status, warnings), mediaType, headers: failure.headers };
      if (error instanceof FieldwiseError)
        return { ...apiResponse(500, new StatusError(500, 'InternalError', error.message).status), mediaType };
      throw error;
    }
  }

  async #retryStaleReads(request: AuthenticatedRequest, warnings: string[]): Promise<ApiResponse> {
    for (let attempt = 1; ; attempt++) {
      try {
        const response = await this.#dispatch(request, warnings);
        this.#runControllers();
        return response;
      } catch (error) {
        if (!(error instanceof StaleRead)) throw error;
        warnings.length = 0;
        if (attempt === maxAttempts)
          throw new StatusError(409, 'Conflict', 'the object was modified repeatedly while it was being written', {});
      }
    }
  }

  async #dispatch(request: AuthenticatedRequest, warnings: string[]): Promise<ApiResponse> {
    const attributes = attributesOf(request);
    if (attributes === undefined) return undeterminedPath(request.path);
    authorize(this.#backend, request.user, attributes);
    const route = parseRoute(request.path);
    if (route?.plural === undefined) return describeServer(this.#backend, request, route);
    const review = findReview(route);
    if (review !== undefined) return represented(await reviewVerb(this.#backend, request.user, review, route, request), negotiate(request));
    if (route.group === '' && route.version === 'v1' && route.plural === 'bindings' && route.name === undefined)
      return represented(await bindingVerb(this.#backend, route.namespace, request), negotiate(request));
    const found = this.#backend.catalog.find(route.group, route.version, route.plural);
    if (found === undefined) return notServed(this.#backend, route.group);
    if (found.resource.unresolvable === true) throw unexpectedError('error resolving resource');
    const { deprecated } = found.version;
    if (deprecated !== undefined) warnings.push(deprecated);
    const target: RequestTarget = { ...found, namespace: route.namespace, name: route.name, subresource: route.subresource, warnings };
    const isOutside = found.resource.namespaced && route.namespace === undefined;
    const isWrongScope = isOutside ? route.name !== undefined : !found.resource.namespaced && route.namespace !== undefined;
    if (isWrongScope || (isOutside && found.resource.strategy.custom && request.method !== 'GET'))
      return notServed(this.#backend, route.group);
    if (isOutside && request.method !== 'GET') throw methodNotAllowed();
    if (!route.isWatch) checkRoute(target, request);
    if (request.method !== 'GET') await prepareValidation(this.#backend, target, request.body);
    else if (target.subresource !== undefined) await preparePolicies(this.#backend, target);
    const representation = negotiate(request, endpointOf(target, request));
    const { custom } = found.resource.strategy;
    const respond = async () => {
      if (route.isWatch) return this.#oldWatch(target, request);
      // A new custom resource has the name in its body, whatever the path says. Source: observed.
      if (target.name === undefined || (custom && request.method === 'POST'))
        return this.#collection({ ...target, name: undefined }, request);
      return this.#object(target as ObjectTarget, request);
    };
    if (representation.projection !== 'table') return represented(await respond(), representation, custom);
    const { tabulated } = await import('./tables/tabulated.js');
    const { apiVersion = '' } = representation;
    return represented(await tabulated(this.#backend, target, request, apiVersion, respond), representation);
  }

  async #collection(target: RequestTarget, request: ApiRequest): Promise<ApiResponse> {
    switch (request.method) {
      case 'GET':
        return isWatch(request.query) ? watchVerb(this.#backend, target, request) : listVerb(this.#backend, target, request);
      case 'POST':
        return handleAside(this.#backend, target, request) ?? createVerb(this.#backend, target, request);
      case 'DELETE': {
        const { objects, metadata } = await listPage(this.#backend, target, request.query);
        const targets = objects.map((object): ObjectTarget => {
          const { name = '', namespace } = metadataOf(object);
          return { ...target, name, namespace };
        });
        const deleted = await deleteCollection(this.#backend, targets, request);
        return apiResponse(200, listBody(target, 'whole', deleted, metadata));
      }
      default:
        throw methodNotAllowed();
    }
  }

  /** Handles a path below `watch/`, which watches a collection or one object. */
  #oldWatch(target: RequestTarget, request: ApiRequest): ApiResponse {
    if (request.method !== 'GET') throw methodNotAllowed();
    const query = new URLSearchParams(request.query);
    if (target.name !== undefined) query.set('fieldSelector', `metadata.name=${target.name.replaceAll(/[\\,=]/g, '\\$&')}`);
    return watchVerb(this.#backend, target, { ...request, query });
  }

  async #object(target: ObjectTarget, request: ApiRequest): Promise<ApiResponse> {
    const { subresource, version } = target;
    const wrongName = nameParameterError(target.name);
    if (wrongName !== undefined) throw badRequest(`Name parameter invalid: ${quote(target.name)}: ${wrongName}`);
    if (subresource === 'token' && storeName(target.resource) === '/serviceaccounts')
      return tokenRequestVerb(this.#backend, target, request);
    if (subresource === 'scale' && version.scale !== undefined) return scaleVerb(this.#backend, target, request);
    if (isProxy(target)) return proxyVerb(this.#backend, target, request);
    if (isPodAction(target)) return podActionVerb(this.#backend, target, request);
    switch (request.method) {
      case 'GET':
        return getVerb(this.#backend, target, request);
      case 'PUT':
        return handleAside(this.#backend, target, request) ?? updateVerb(this.#backend, target, request);
      case 'PATCH':
        return handleAside(this.#backend, target, request) ?? patchVerb(this.#backend, target, request);
      case 'DELETE':
        return deleteVerb(this.#backend, target, request);
      default:
        throw methodNotAllowed();
    }
  }
}

/** Returns a response in the form and serialization that the client accepts. */
function represented(response: ApiResponse, representation: Representation, isCustom = false): ApiResponse {
  const { mediaType, projection } = representation;
  // A whole body that is JSON is sent as it is.
  if (projection === 'whole' && mediaType === 'application/json') return { ...response, mediaType };
  const { json: _, ...others } = response;
  return { ...others, mediaType, body: projected(bodyOf(response), representation, isCustom) };
}

/** Returns the response to a path that ends at `watch` or `proxy`. */
function undeterminedPath(path: string): ApiResponse {
  const reason = `failed to create RequestInfo: unable to determine kind and namespace from url, ${path}`;
  return { ...apiResponse(500, `Internal Server Error: ${quote(path)}: ${reason}\n`), contentType: 'text/plain' };
}

function keeps(resource: Resource, apiVersion: string): boolean {
  return [...resource.versions.values()].some((version) => version.apiVersion === apiVersion);
}

/**
 * Returns the cache for the objects of a store. It is emptied after many creations: for an object that is not written again, it takes more
 * memory than the object.
 */
function ownershipCacheOf(store: Store, initial: OwnershipCache = createCache()): () => OwnershipCache {
  let cache = initial;
  let creations = 0;
  store.subscribe(({ type }) => {
    if (type !== 'ADDED') return;
    creations += 1;
    if (creations % creationsPerCache === 0) cache = createCache();
  });
  return () => cache;
}

function notStored(error: Error): ApiResponse {
  const text = error instanceof FieldwiseError ? error.describe() : error.message;
  return apiResponse(500, new StatusError(500, 'InternalError', `Internal error occurred: ${text}`).status);
}

function once(make: () => SigningKey): () => SigningKey {
  let made: SigningKey | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
