import { randomUUID } from 'node:crypto';
import { createCache } from '../ownership/index.js';
import { FieldwiseError } from '../util/error.js';
import type { JsonObject } from '../util/json.js';
import { Failure, methodNotAllowed, noSuchPath } from './api/failure.js';
import { type ApiRequest, type ApiResponse, answer } from './api/request.js';
import { parseRoute, type Route } from './api/route.js';
import { aggregated, allGroups, apiVersions, group, groupList, resourceList } from './discovery/discovery.js';
import { builtInResources } from './resources/built-in.js';
import { Catalog } from './resources/catalog.js';
import { type Clock, systemClock, timestamp } from './store/clock.js';
import { Store, type StoreContent } from './store/store.js';
import { firstNamespaces } from './verbs/admission.js';
import type { Backend, NamedTarget, Target } from './verbs/backend.js';
import { createVerb } from './verbs/create.js';
import { deleteEach, deleteVerb } from './verbs/delete.js';
import { patchVerb } from './verbs/patch.js';
import { projected, projectionOf } from './verbs/projection.js';
import { getVerb, listOf, listVerb, matcherOf, selected } from './verbs/read.js';
import { scaleVerb } from './verbs/scale.js';
import { updateVerb } from './verbs/update.js';
import { watchVerb } from './verbs/watch.js';

export interface ApiServerOptions {
  readonly clock?: Clock;
  /** What the server starts with. */
  readonly content?: StoreContent;
}

/** The API server without a socket: requests in, answers out. */
export class ApiServer {
  readonly #backend: Backend;

  private constructor(backend: Backend) {
    this.#backend = backend;
  }

  static async create({ clock = systemClock, content }: ApiServerOptions = {}): Promise<ApiServer> {
    const catalog = new Catalog(await builtInResources());
    const store = new Store(content);
    const backend = { store, catalog, clock, cache: createCache(), newUid: randomUUID };
    for (const crd of store.list('apiextensions.k8s.io/customresourcedefinitions')) catalog.define(crd);
    for (const name of firstNamespaces) {
      if (store.get({ resource: '/namespaces', namespace: '', name }) === undefined)
        store.put({ resource: '/namespaces', namespace: '', name }, firstNamespace(backend, name));
    }
    return new ApiServer(backend);
  }

  get store(): Store {
    return this.#backend.store;
  }

  /** Answers one request, as the server over HTTP would. Never throws for what a client did. */
  async handle(request: ApiRequest): Promise<ApiResponse> {
    try {
      const response = await this.#answer(request);
      return response.watch ? response : { ...response, body: projected(response.body, projectionOf(request)) };
    } catch (error) {
      if (error instanceof Failure) return answer(error.code, error.status);
      if (error instanceof FieldwiseError) return answer(500, new Failure(500, 'InternalError', error.message).status);
      throw error;
    }
  }

  async #answer(request: ApiRequest): Promise<ApiResponse> {
    const route = parseRoute(request.path);
    if (route?.plural === undefined) return this.#describe(request, route);
    const found = this.#backend.catalog.find(route.group, route.version, route.plural);
    if (found === undefined) throw noSuchPath();
    const target: Target = { ...found, namespace: route.namespace, name: route.name, subresource: route.subresource };
    if (!found.resource.namespaced && route.namespace !== undefined) throw noSuchPath();
    if (found.resource.namespaced && route.namespace === undefined && (route.name !== undefined || request.method !== 'GET'))
      throw noSuchPath();
    const answered = await (target.name === undefined ? this.#collection(target, request) : this.#object(target as NamedTarget, request));
    const { deprecated } = found.version;
    return deprecated === undefined ? answered : { ...answered, warnings: [deprecated, ...answered.warnings] };
  }

  async #collection(target: Target, request: ApiRequest): Promise<ApiResponse> {
    const isWatch = ['true', '1'].includes(request.query.get('watch') ?? '');
    switch (request.method) {
      case 'GET':
        return isWatch ? watchVerb(this.#backend, target, request) : listVerb(this.#backend, target, request);
      case 'POST':
        return createVerb(this.#backend, target, request);
      case 'DELETE': {
        const objects = selected(this.#backend, target, matcherOf(request.query));
        const targets = objects.map((object): NamedTarget => {
          const { name, namespace } = object.metadata as { name: string; namespace?: string };
          return { ...target, name, namespace };
        });
        const gone = deleteEach(this.#backend, targets, request);
        return answer(200, listOf(target, 'whole', gone, { resourceVersion: String(this.#backend.store.revision) }));
      }
      default:
        throw methodNotAllowed();
    }
  }

  async #object(target: NamedTarget, request: ApiRequest): Promise<ApiResponse> {
    const { subresource, version } = target;
    if (subresource === 'scale' && version.scale !== undefined) return scaleVerb(this.#backend, target, request);
    if (subresource !== undefined && !(subresource === 'status' && version.status)) throw noSuchPath();
    switch (request.method) {
      case 'GET':
        return getVerb(this.#backend, target);
      case 'PUT':
        return updateVerb(this.#backend, target, request);
      case 'PATCH':
        return patchVerb(this.#backend, target, request);
      case 'DELETE':
        if (subresource !== undefined) throw methodNotAllowed();
        return deleteVerb(this.#backend, target, request);
      default:
        throw methodNotAllowed();
    }
  }

  /** Discovery, versions, health. */
  async #describe(request: ApiRequest, route: Route | undefined): Promise<ApiResponse> {
    const resources = this.#backend.catalog.all();
    const path = request.path.replace(/\/+$/, '');
    const wantsAll = /as=APIGroupDiscoveryList/.test(request.headers.accept ?? '');
    const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    if (path === '/api')
      return wantsAll
        ? { ...answer(200, aggregated(resources, [''])), contentType: aggregatedType }
        : answer(200, apiVersions('127.0.0.1'));
    if (path === '/apis') {
      return wantsAll
        ? { ...answer(200, aggregated(resources, allGroups(resources))), contentType: aggregatedType }
        : answer(200, groupList(resources));
    }
    if (path === '/version') return answer(200, kubernetesVersion);
    if (path === '/healthz' || path === '/livez' || path === '/readyz') return { ...answer(200, 'ok'), contentType: 'text/plain' };
    if (path === '/openapi/v3' || path.startsWith('/openapi/v3/')) {
      const { openApi } = await import('./discovery/open-api.js');
      const document = openApi(resources, path.slice('/openapi/v3'.length).replace(/^\//, ''));
      if (document !== undefined) return answer(200, document);
    }
    const name = /^\/apis\/([^/]+)$/.exec(path)?.[1];
    const body = name === undefined ? route && resourceList(resources, route.group, route.version) : group(resources, name);
    if (body === undefined) throw noSuchPath();
    return answer(200, body);
  }
}

const kubernetesVersion: JsonObject = {
  major: '1',
  minor: '36',
  gitVersion: 'v1.36.0-fieldwise',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '',
  goVersion: '',
  compiler: '',
  platform: '',
};

function firstNamespace({ clock, newUid }: Backend, name: string): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, uid: newUid(), creationTimestamp: timestamp(clock), labels: { 'kubernetes.io/metadata.name': name } },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  };
}
