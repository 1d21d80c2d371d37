import { randomBytes } from 'node:crypto';
import type { PrunedContainers } from '../merge/index.js';
import { asyncDispose } from '../util/async-dispose.js';
import { FieldwiseError } from '../util/error.js';
import type { ApiRequest, ApiResponse } from './api/request.js';
import { ApiServer } from './api-server.js';
import { selfSignedCertificate } from './http/certificate.js';
import { type HttpListener, listen } from './http/http-server.js';
import { kubeconfigText } from './http/kubeconfig.js';
import { openDataDirectory } from './storage/data-directory.js';

/** Options of `EmbeddedApiServer.start`. */
export interface EmbeddedApiServerOptions {
  /**
   * Returns the time of each request; tests set their own.
   *
   * @default the system clock
   */
  readonly now?: () => Date;
  /**
   * Directory that stores the objects between runs. A response says that a change is stored there.
   *
   * @default the objects are in memory only
   */
  readonly data?: string;
  /**
   * Waits until a change is on the disk before the response. `false`: it is written before the response, and the system brings it to the
   * disk later; it survives the end of the process, but not that of the machine.
   *
   * @default true
   */
  readonly fsync?: boolean;
  /**
   * Port on the loopback interface. `false`: no socket, only `handle` and `inProcessCluster`.
   *
   * @default any free port
   */
  readonly port?: number | false;
  /**
   * Serves TLS with a self-signed certificate, which the kubeconfig contains.
   *
   * @default true
   */
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
  /**
   * Calls the configured admission webhooks.
   *
   * @default true
   */
  readonly webhooks?: boolean;
  /**
   * Bearer token of the administrator.
   *
   * @default a random one
   */
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
   * Starts a server; it runs until `stop`.
   *
   * @throws FieldwiseError `cluster-data-locked` where another process writes the same directory, `cluster-data-damaged`,
   *   `cluster-data-unwritable`, `option-invalid`.
   */
  static async start(options: EmbeddedApiServerOptions = {}): Promise<EmbeddedApiServer> {
    const { now, controllers, data, fsync, prunedContainers, webhooks, port = 0, token = randomBytes(24).toString('base64url') } = options;
    if (port !== false && !(Number.isInteger(port) && port >= 0 && port <= 65_535)) throw invalidPortError(port);
    const certificate = port === false || options.tls === false ? undefined : selfSignedCertificate(new Date());
    const stored = data === undefined ? undefined : await openDataDirectory(data, fsync === undefined ? {} : { fsync });
    try {
      const api = await ApiServer.create({
        ...(now === undefined ? {} : { clock: () => now().getTime() }),
        ...(controllers === undefined ? {} : { controllers }),
        ...(prunedContainers === undefined ? {} : { prunedContainers }),
        ...(webhooks === undefined ? {} : { webhooks }),
        ...(stored === undefined ? {} : { store: stored.store }),
      });
      await api.store.committed();
      const listening = port === false ? undefined : await listen(api, { port, token, certificate });
      return new EmbeddedApiServer(api, listening, token, certificate?.cert, () => stored?.close());
    } catch (error) {
      stored?.close();
      throw error;
    }
  }

  /**
   * Address of the server, such as `https://127.0.0.1:40123`.
   *
   * @throws FieldwiseError `server-without-socket` where the server was started with `port: false`.
   */
  get url(): string {
    if (this.#listener === undefined) throw withoutSocketError();
    return `${this.ca === undefined ? 'http' : 'https'}://127.0.0.1:${this.#listener.port}`;
  }

  /**
   * Text of a kubeconfig for the server, with the administrator's token.
   *
   * @throws FieldwiseError `server-without-socket` where the server was started with `port: false`.
   */
  get kubeconfig(): string {
    return kubeconfigText({ url: this.url, token: this.token, ca: this.ca });
  }

  /** Handles a request without a socket, as HTTP would, but without a token: as the administrator, or as the `user` of the request. */
  handle(request: ApiRequest): Promise<ApiResponse> {
    return this.#api.handle(request);
  }

  /** Stops the server. What is not stored yet is, and the directory is free, when this returns, even if nobody awaits it. */
  stop(): Promise<void> {
    this.#closeData();
    return this.#listener?.close() ?? Promise.resolve();
  }

  /** Stops the server at the end of an `await using` block. */
  [asyncDispose](): Promise<void> {
    return this.stop();
  }
}

function withoutSocketError(): FieldwiseError {
  return new FieldwiseError('server-without-socket', 'usage', 'The embedded API server has no address: it was started without a socket', {
    next: 'Start it without `port: false`, or use `inProcessCluster` or `handle`.',
  });
}

function invalidPortError(port: unknown): FieldwiseError {
  return new FieldwiseError('option-invalid', 'usage', `The option \`port\` has the value ${String(port)}`, {
    next: 'Pass an integer from 0 to 65535, or false.',
  });
}
