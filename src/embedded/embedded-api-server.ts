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

export interface EmbeddedApiServerOptions {
  /** Milliseconds since 1970; tests set their own. */
  readonly clock?: Clock;
  /** Directory that keeps the objects between runs; without it they live in memory. */
  readonly data?: string;
  /** Port on the loopback interface; default: any free one. `false`: no socket, only `handle`. */
  readonly port?: number | false;
  /** TLS with a certificate of its own, which the kubeconfig names. Default: true. */
  readonly tls?: boolean;
  /**
   * What becomes of a map or list whose last member an apply takes away: `null`, as in Kubernetes 1.36.3, or it stays, `empty`, as in
   * 1.36.2. Default: `null`.
   */
  readonly prunedContainers?: PrunedContainers;
  /**
   * Whether namespaces and owners take along what belongs to them, as where a kube-controller-manager runs; `false`: as a kube-apiserver
   * alone. Default: true.
   */
  readonly controllers?: boolean;
  /** Whether webhooks that are configured are called. Default: true. */
  readonly webhooks?: boolean;
  /** Default: a random one. */
  readonly token?: string;
}

/**
 * An API server for tests and first runs: the Kubernetes REST API with server-side apply, in this process.
 *
 * ```ts
 * const cluster = await EmbeddedApiServer.start();
 * writeFileSync('kubeconfig', cluster.kubeconfig);
 * await cluster.stop();
 * ```
 */
export class EmbeddedApiServer {
  readonly #api: ApiServer;
  readonly #listener: HttpListener | undefined;
  readonly #closeData: () => void;
  readonly token: string;
  /** Certificate of the server as PEM, where it speaks TLS. */
  readonly ca: string | undefined;

  private constructor(api: ApiServer, listening: HttpListener | undefined, token: string, ca: string | undefined, release: () => void) {
    this.#api = api;
    this.#listener = listening;
    this.token = token;
    this.ca = ca;
    this.#closeData = release;
  }

  /** @throws FieldwiseError `cluster-data-locked` where another process writes the same directory, `cluster-data-damaged`. */
  static async start(options: EmbeddedApiServerOptions = {}): Promise<EmbeddedApiServer> {
    const { clock, controllers, data, prunedContainers, webhooks, port = 0, token = randomBytes(24).toString('base64url') } = options;
    const certificate = port === false || options.tls === false ? undefined : selfSignedCertificate(new Date());
    const stored = data === undefined ? undefined : openDataDirectory(data);
    try {
      const api = await ApiServer.create({
        ...(clock === undefined ? {} : { clock }),
        ...(controllers === undefined ? {} : { controllers }),
        ...(prunedContainers === undefined ? {} : { prunedContainers: prunedContainers }),
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

  /** Address of the server, such as `https://127.0.0.1:40123`. */
  get url(): string {
    if (this.#listener === undefined) throw new Error('This cluster was started without a socket.');
    return `${this.ca === undefined ? 'http' : 'https'}://127.0.0.1:${this.#listener.port}`;
  }

  /** Text of a kubeconfig for it. */
  get kubeconfig(): string {
    return kubeconfigText({ url: this.url, token: this.token, ca: this.ca });
  }

  /** Answers a request without a socket: what HTTP would answer, but nobody is asked for a token. */
  handle(request: ApiRequest): Promise<ApiResponse> {
    return this.#api.handle(request);
  }

  /**
   * Makes an object known as another server has it: with its uid, owners and status, unchecked. A CustomResourceDefinition makes its
   * kind served, or served as it now is.
   *
   * @returns false where no resource of this server keeps objects of that apiVersion and kind.
   * @throws FieldwiseError `crd-invalid`
   */
  load(object: JsonObject): boolean {
    return this.#api.load(object);
  }

  /** Lets go of a loaded object as if it had never been there: nothing else changes by it, and nobody who watches is told. */
  unload(object: JsonObject): void {
    this.#api.unload(object);
  }

  /**
   * Whether an apply that is not forced would leave an object and its owners exactly as they are, told without loading the object. False
   * where anything would change, and where only the apply itself could tell.
   *
   * @param live the object as another server shows it, in the version of the intent
   */
  wouldBeNoop(live: JsonObject, intent: JsonObject, manager: string): boolean {
    return this.#api.wouldBeNoop(live, intent, manager);
  }

  /** Stops serving, and writes what there is to write. */
  stop(): Promise<void> {
    // First what must not be lost: it is done when this returns, whether or not anybody waits for the socket.
    this.#closeData();
    return this.#listener?.close() ?? Promise.resolve();
  }
}
