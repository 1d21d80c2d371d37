import { randomBytes } from 'node:crypto';
import type { PrunedContainers } from '../merge/index.js';
import type { JsonObject } from '../util/json.js';
import type { ApiRequest, ApiResponse } from './api/request.js';
import { ApiServer } from './api-server.js';
import { selfSignedCertificate } from './http/certificate.js';
import { type HttpListener, listen } from './http/http-server.js';
import { kubeconfigText } from './http/kubeconfig.js';
import type { Clock } from './storage/clock.js';
import { openDataDirectory } from './storage/data-directory.js';

/** Options of `EmbeddedApiServer.start`. */
export interface EmbeddedApiServerOptions {
  /** Returns the current time in milliseconds since 1970. @default the system clock */
  readonly clock?: Clock;
  /** Directory that stores the objects between runs. @default none: objects are kept in memory */
  readonly data?: string;
  /** Port on the loopback interface; 0 selects a free one, `false` opens no socket, so that only `handle` can be used. @default 0 */
  readonly port?: number | false;
  /** Serves TLS with a self-signed certificate, which the kubeconfig contains. @default true */
  readonly tls?: boolean;
  /**
   * The value of a map or list after an apply removes its last member: `null`, as in Kubernetes 1.36.3, or an empty container,
   * `keep-empty`, as in 1.36.2.
   *
   * @default 'null'
   */
  readonly prunedContainers?: PrunedContainers;
  /**
   * Runs the namespace controller and the garbage collector, as a kube-controller-manager does; `false` behaves like a kube-apiserver
   * alone.
   *
   * @default true
   */
  readonly controllers?: boolean;
  /** Calls the configured admission webhooks. @default true */
  readonly webhooks?: boolean;
  /** Bearer token of the administrator. @default a random token */
  readonly token?: string;
}

/**
 * An API server for tests and first runs: the Kubernetes REST API with server-side apply, in this process.
 *
 * @example
 * ```ts
 * const server = await EmbeddedApiServer.start();
 * writeFileSync('kubeconfig', server.kubeconfig);
 * await server.stop();
 * ```
 */
export class EmbeddedApiServer {
  readonly #api: ApiServer;
  readonly #listener: HttpListener | undefined;
  readonly #closeData: () => void;
  /** Bearer token of the administrator. */
  readonly token: string;
  /** Certificate of the server as PEM; undefined without TLS. */
  readonly ca: string | undefined;

  private constructor(api: ApiServer, listening: HttpListener | undefined, token: string, ca: string | undefined, release: () => void) {
    this.#api = api;
    this.#listener = listening;
    this.token = token;
    this.ca = ca;
    this.#closeData = release;
  }

  /**
   * Starts a server.
   *
   * @throws FieldwiseError `cluster-data-locked` if another process uses the data directory, `cluster-data-damaged` if its data cannot be
   * read
   */
  static async start(options: EmbeddedApiServerOptions = {}): Promise<EmbeddedApiServer> {
    const { clock, controllers, data, prunedContainers, webhooks, port = 0, token = randomBytes(24).toString('base64url') } = options;
    const certificate = port === false || options.tls === false ? undefined : selfSignedCertificate(new Date());
    const stored = data === undefined ? undefined : openDataDirectory(data);
    try {
      const api = await ApiServer.create({
        ...(clock === undefined ? {} : { clock }),
        ...(controllers === undefined ? {} : { controllers }),
        ...(prunedContainers === undefined ? {} : { prunedContainers }),
        ...(webhooks === undefined ? {} : { webhooks }),
        ...(stored?.content === undefined ? {} : { content: stored.content }),
      });
      const unsubscribe = stored === undefined ? undefined : api.store.subscribe(() => stored.scheduleWrite(() => api.store.content()));
      const listening = port === false ? undefined : await listen(api, { port, token, certificate });
      return new EmbeddedApiServer(api, listening, token, certificate?.cert, () => {
        unsubscribe?.();
        stored?.close(api.store.content());
      });
    } catch (error) {
      stored?.close(undefined);
      throw error;
    }
  }

  /** URL of the server, such as `https://127.0.0.1:40123`. @throws Error if the server was started without a socket */
  get url(): string {
    if (this.#listener === undefined) throw new Error('The embedded API server was started without a socket.');
    return `${this.ca === undefined ? 'http' : 'https'}://127.0.0.1:${this.#listener.port}`;
  }

  /** Text of a kubeconfig for this server. @throws Error if the server was started without a socket */
  get kubeconfig(): string {
    return kubeconfigText({ url: this.url, token: this.token, ca: this.ca });
  }

  /** Handles a request without a socket: the response is as over HTTP, but no token is required. */
  handle(request: ApiRequest): Promise<ApiResponse> {
    return this.#api.handle(request);
  }

  /**
   * Stores an object of another server as it is, with its uid, owners and status and without validation. A CustomResourceDefinition
   * takes effect at once.
   *
   * @returns false if this server has no resource for the apiVersion and kind
   * @throws FieldwiseError `crd-invalid`
   */
  load(object: JsonObject): boolean {
    return this.#api.load(object);
  }

  /** Removes a loaded object without side effects; watchers receive no event. */
  unload(object: JsonObject): void {
    this.#api.unload(object);
  }

  /**
   * Returns true if an apply without force would change neither an object nor its owners; the object need not be loaded. Returns false if
   * anything would change, or if only the apply itself can decide.
   *
   * @param live the object as another server returns it, in the version of the intent
   */
  wouldBeNoop(live: JsonObject, intent: JsonObject, manager: string): boolean {
    return this.#api.wouldBeNoop(live, intent, manager);
  }

  /** Writes the objects to the data directory, if there is one, and stops the server. */
  stop(): Promise<void> {
    // The data is written before this function returns, even if the caller does not await it.
    this.#closeData();
    return this.#listener?.close() ?? Promise.resolve();
  }
}
