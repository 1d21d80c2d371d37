import type { PrunedContainers } from '../merge/index.js';
import { asyncDispose } from '../util/async-dispose.js';
import { boolean, callback, checkOptionsBy, integer, nonEmptyText, type OptionRules, oneOf, seconds } from '../util/check-options.js';
import { FieldwiseError } from '../util/error.js';
import { invalidArgument } from '../util/invalid-argument.js';
import type { Json } from '../util/json.js';
import { type Machine, thisMachine } from '../util/machine.js';
import type { ApiResponse } from './api/request.js';
import { ApiServer } from './api-server.js';
import type { SimulatedControllers } from './controllers/simulated/simulated-controllers.js';
import { type Certificate, selfSignedCertificate } from './http/certificate.js';
import { type HttpListener, listen } from './http/http-server.js';
import { kubeconfigText } from './http/kubeconfig.js';
import { serverIdentity } from './identity.js';
import { completeRequest, type InProcessRequest } from './in-process-request.js';
import { inProcessResponse } from './in-process-response.js';
import { isServerSnapshot, type ServerSnapshot } from './server-snapshot.js';
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
   * The state of another server to start with, from `server.snapshot()`. Not together with `data`.
   *
   * @default an empty server
   */
  readonly snapshot?: ServerSnapshot;
  /**
   * Port on the loopback interface. `false`: no socket, only `handle` and `inProcessCluster`, until `listen` is called.
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
   * Runs the namespace controller, the garbage collector and the protection of storage in use, as a kube-controller-manager does; `false`
   * behaves like a kube-apiserver alone; `'simulated'` also runs workloads: controllers make their Pods, which become ready or fail as told. The
   * server then has timers, and needs a `stop`.
   *
   * @default true
   */
  readonly controllers?: boolean | 'simulated';
  /**
   * Seconds until a container of a simulated Pod has started, and unit of the other pauses of the simulation. Only with `controllers: 'simulated'`.
   *
   * @default 0.2
   */
  readonly podReadySeconds?: number;
  /**
   * Calls the configured webhooks, of admission and conversion. `false`: a request that needs a conversion fails.
   *
   * @default true
   */
  readonly webhooks?: boolean;
  /**
   * Bearer token of the administrator.
   *
   * @default a random one, which a data directory keeps
   */
  readonly token?: string;
}

/** The address of a socket. */
export interface ListenOptions {
  /**
   * Port on the loopback interface.
   *
   * @default any free port
   */
  readonly port?: number;
  /**
   * Serves TLS with a self-signed certificate, which the kubeconfig contains.
   *
   * @default true
   */
  readonly tls?: boolean;
}

const maxPort = 65_535;
export const defaultPodReadySeconds = 0.2;

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
  readonly #closeData: () => void;
  #listening: Promise<void> | undefined;
  #listener: HttpListener | undefined;
  #ca: string | undefined;
  #simulated: SimulatedControllers | undefined;
  /** Ends each watch in this process that is open. */
  readonly #watches = new Set<() => void>();
  /** The certificate of its data directory. */
  readonly #certificate: Certificate | undefined;
  /** Bearer token of the administrator. */
  readonly token: string;

  private constructor(api: ApiServer, token: string, certificate: Certificate | undefined, closeData: () => void) {
    this.#api = api;
    this.token = token;
    this.#certificate = certificate;
    this.#closeData = closeData;
  }

  /**
   * Starts a server; it runs until `stop`.
   *
   * @throws FieldwiseError `cluster-data-locked` where another process writes the same directory, `cluster-data-damaged`,
   *   `cluster-data-unwritable`, `option-invalid`, `port-unavailable`.
   */
  static start(options: EmbeddedApiServerOptions = {}): Promise<EmbeddedApiServer> {
    return EmbeddedApiServer.startOn(thisMachine, options);
  }

  /** @internal Starts a server whose clock, timers and random values are those of a machine. */
  static async startOn(machine: Machine, options: EmbeddedApiServerOptions): Promise<EmbeddedApiServer> {
    const {
      now,
      controllers,
      podReadySeconds = defaultPodReadySeconds,
      data,
      fsync,
      prunedContainers,
      snapshot,
      webhooks,
      port = 0,
      tls,
    } = options;
    checkOptionsBy(optionRules, options, 'docs/embedded.md');
    if (snapshot !== undefined && data !== undefined)
      throw invalidArgument('The option `data`', data, 'no `data` together with `snapshot`');
    if (options.podReadySeconds !== undefined && controllers !== 'simulated')
      throw invalidArgument('The option `podReadySeconds`', podReadySeconds, "it only together with `controllers: 'simulated'`");
    const stored = data === undefined ? undefined : await openDataDirectory(data, fsync === undefined ? {} : { fsync });
    try {
      const newToken = () => Buffer.from(machine.randomBytes(24)).toString('base64url');
      const identity = data === undefined ? undefined : serverIdentity(data, newToken, new Date(machine.wall()));
      const api = await ApiServer.create({
        machine,
        ...(now === undefined ? {} : { clock: () => now().getTime() }),
        ...(controllers === undefined ? {} : { controllers: controllers !== false, simulated: controllers === 'simulated' }),
        ...(prunedContainers === undefined ? {} : { prunedContainers }),
        ...(webhooks === undefined ? {} : { webhooks }),
        ...(stored === undefined ? {} : { store: stored.store }),
        ...(identity === undefined ? {} : { signingKey: identity.signingKey }),
        snapshot,
      });
      await api.store.committed();
      const token = options.token ?? identity?.token ?? newToken();
      const server = new EmbeddedApiServer(api, token, identity?.certificate, () => stored?.close());
      if (port !== false) await server.listen({ port, ...(tls === undefined ? {} : { tls }) });
      if (controllers === 'simulated') server.#simulated = await api.simulate(podReadySeconds, () => server.ca ?? '');
      return server;
    } catch (error) {
      stored?.close();
      throw error;
    }
  }

  /**
   * Opens the socket of a server that was started with `port: false`. A server has one socket; a later call changes nothing.
   *
   * @throws FieldwiseError `option-invalid`, `port-unavailable`.
   */
  async listen(options: ListenOptions = {}): Promise<void> {
    const { port = 0, tls = true } = options;
    checkOptionsBy(listenRules, options, 'docs/embedded.md');
    this.#listening ??= this.#open(port, tls);
    await this.#listening;
  }

  async #open(port: number, tls: boolean): Promise<void> {
    const certificate = tls ? (this.#certificate ?? selfSignedCertificate(new Date())) : undefined;
    try {
      this.#listener = await listen(this.#api, { port, token: this.token, certificate });
      this.#ca = certificate?.cert;
      this.#simulated?.restoreNamespaceObjects();
    } catch (error) {
      this.#listening = undefined;
      throw portUnavailable(port, error);
    }
  }

  /** Certificate of the server as PEM; undefined without TLS, and without a socket. */
  get ca(): string | undefined {
    return this.#ca;
  }

  /**
   * Address of the server, such as `https://127.0.0.1:40123`.
   *
   * @throws FieldwiseError `server-without-socket` where the server was started with `port: false`, until `listen` is called.
   */
  get url(): string {
    if (this.#listener === undefined) throw withoutSocketError();
    return `${this.ca === undefined ? 'http' : 'https'}://127.0.0.1:${this.#listener.port}`;
  }

  /**
   * Text of a kubeconfig for the server, with the administrator's token.
   *
   * @throws FieldwiseError `server-without-socket` where the server was started with `port: false`, until `listen` is called.
   */
  get kubeconfig(): string {
    return kubeconfigText({ url: this.url, token: this.token, ca: this.ca });
  }

  /**
   * Handles a request without a socket, as HTTP would, but without a token: as the administrator, or as the `user` of the request. A
   * rejection by the server is a response, too. The response is the caller's own, and so is the request after the call.
   *
   * @example
   * ```ts
   * const { code, body } = await server.handle({ method: 'GET', path: '/api/v1/namespaces' });
   * ```
   *
   * @throws FieldwiseError `option-invalid` if the request has an unknown member, or one of another type.
   */
  async handle(request: InProcessRequest): Promise<ApiResponse> {
    const response = inProcessResponse(await this.#api.handle(completeRequest(request)));
    const { watch } = response;
    return watch === undefined ? response : { ...response, watch: (send, end) => this.#openWatch(watch, send, end) };
  }

  /**
   * Returns the state of the server, with which other servers start in less than a millisecond: `EmbeddedApiServer.start({ snapshot })`. The
   * servers are independent from then on.
   */
  snapshot(): ServerSnapshot {
    return this.#api.snapshot();
  }

  #openWatch(watch: NonNullable<ApiResponse['watch']>, send: (event: Json) => void, end: () => void): () => void {
    let stop = () => {};
    const close = () => {
      this.#watches.delete(endNow);
      stop();
    };
    const endNow = () => {
      close();
      end();
    };
    this.#watches.add(endNow);
    stop = watch(send, endNow);
    // The watch may have ended before this function could stop it.
    if (!this.#watches.has(endNow)) stop();
    return close;
  }

  /**
   * Stops the server, which ends its watches. When this returns, even if nobody awaits it, all changes are stored and the directory is free.
   */
  async stop(): Promise<void> {
    this.#simulated?.stop();
    for (const end of this.#watches) end();
    this.#closeData();
    await this.#listening?.catch(() => {});
    await this.#listener?.close();
  }

  /** Stops the server at the end of an `await using` block. */
  [asyncDispose](): Promise<void> {
    return this.stop();
  }
}

function withoutSocketError(): FieldwiseError {
  return new FieldwiseError('server-without-socket', 'usage', 'The embedded API server has no address: it was started without a socket', {
    next: 'Start it without `port: false`, call `listen`, or use `inProcessCluster` or `handle`.',
  });
}

const listenRules: OptionRules<ListenOptions> = { port: integer(0, maxPort), tls: boolean };

const optionRules: OptionRules<EmbeddedApiServerOptions> = {
  now: callback,
  data: nonEmptyText('the path of a directory'),
  fsync: boolean,
  snapshot: { expected: 'what `server.snapshot()` returns', isValid: isServerSnapshot },
  port: { expected: `an integer from 0 to ${maxPort}, or false`, isValid: (value) => value === false || listenRules.port.isValid(value) },
  tls: boolean,
  prunedContainers: oneOf('null', 'keep-empty'),
  controllers: { expected: "true, false or 'simulated'", isValid: (value) => typeof value === 'boolean' || value === 'simulated' },
  podReadySeconds: seconds,
  webhooks: boolean,
  token: nonEmptyText('a text that is not empty'),
};

/** Returns the error for a port that cannot be opened. */
function portUnavailable(port: number, cause: unknown): unknown {
  const { code, syscall } = cause as NodeJS.ErrnoException;
  if (syscall !== 'listen') return cause;
  return new FieldwiseError('port-unavailable', 'usage', `Port ${port} of the loopback interface cannot be opened (${code})`, {
    next: 'Choose another port, or 0 for any free one.',
    cause,
  });
}
