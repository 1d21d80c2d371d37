import { type ApiResponse, EmbeddedApiServer, type InProcessRequest, type ServerSnapshot } from '../apiserver/index.js';
import { type ApplyInput, declaredObject } from '../controller/apply/resolve-intent.js';
import type { RunReport } from '../deploy/index.js';
import type { Plan } from '../entry/deploy.js';
import { inProcessCluster, inProcessTransport } from '../entry/in-process.js';
import type { DeployOptions, DestroyOptions, PlanOptions } from '../entry/verb-options.js';
import { metadataOf } from '../fields/object.js';
import type { Cluster } from '../kubernetes/cluster.js';
import { clientOf } from '../kubernetes/cluster.js';
import type { ObjectAddress, RequestSender } from '../kubernetes/index.js';
import { addressOf } from '../kubernetes/object-address.js';
import { objectPath } from '../kubernetes/object-path.js';
import { asyncDispose } from '../util/async-dispose.js';
import { stringifyExactJson } from '../util/exact-json.js';
import { isJsonObject, type JsonObject } from '../util/json.js';
import { ownCopy } from '../util/own-copy.js';
import { requireJsonObject } from '../util/require-json-object.js';
import { locateSources } from './input-objects.js';
import { type FieldManager, managerOf } from './matchers/field-manager.js';
import { preparedSnapshot } from './prepared-snapshot.js';
import { type Program, synthesizeProgram } from './program.js';
import { TestClock } from './test-clock.js';
import { checkTestClusterOptions, type TestClusterOptions } from './test-cluster-options.js';
import { wrongUse } from './wrong-use.js';

/** Options of `TestCluster.apply`. */
export interface TestApplyOptions {
  /**
   * Takes fields from other owners.
   *
   * @default false
   */
  readonly force?: boolean;
  /** A subresource, such as `status`. */
  readonly subresource?: string;
}

/** Options of `TestCluster.patch`. */
export interface TestPatchOptions {
  /** A subresource, such as `status` or `scale`. */
  readonly subresource?: string;
}

type ServerOptions = Pick<TestClusterOptions, 'controllers' | 'podReadySeconds' | 'webhooks' | 'prunedContainers'> & {
  readonly namespace: string;
};

/**
 * Starts an API server for one test, in this process, without a socket. The first server of a process loads modules and parses the CRDs;
 * each later one with the same content takes less than a millisecond. A server needs no `stop`, unless `kubeconfig` opened its socket or its
 * controllers are simulated.
 *
 * @example
 * ```ts
 * await using cluster = await testCluster({ crds: 'crds', namespaces: ['shop'] });
 * expect(await cluster.deploy(app)).toSucceed();
 * expect(await cluster.get('Deployment', 'web', 'shop')).toBeOwnedBy('.spec.replicas', stack);
 * ```
 *
 * @throws FieldwiseError `option-invalid`, also for an object that the server refuses; `input-missing`, `input-empty`, `yaml-invalid`,
 *   `object-file-invalid` for a file.
 */
export async function testCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  checkTestClusterOptions(options);
  const { crds = [], objects = [], namespaces = [], namespace = 'default', time, ...others } = options;
  const clock = new TestClock(time);
  const names = [...namespaces];
  const [crdSources, objectSources] = await Promise.all([locateSources(crds, 'crds'), locateSources(objects, 'objects')]);
  const snapshot = await preparedSnapshot({
    crds: crdSources,
    objects: objectSources,
    namespaces: names,
    namespace,
    time: clock.fixed,
    prunedContainers: others.prunedContainers,
  });
  return startCluster(snapshot, { ...others, namespace }, clock);
}

async function startCluster(snapshot: ServerSnapshot, options: ServerOptions, clock: TestClock): Promise<TestCluster> {
  const { namespace, ...others } = options;
  const server = await EmbeddedApiServer.start({ ...others, snapshot, port: false, now: clock.now });
  return new TestCluster(server, options, clock);
}

/** An API server for one test, with the verbs that tests need. `testCluster` starts one. */
export class TestCluster {
  readonly #server: EmbeddedApiServer;
  readonly #options: ServerOptions;
  readonly #clock: TestClock;
  readonly #transport: RequestSender;
  /** The connection to the server, for the functions of `fieldwise/deploy` and `fieldwise/controller`. */
  readonly connection: Cluster;

  /** @internal Call `testCluster`. */
  constructor(server: EmbeddedApiServer, options: ServerOptions, clock: TestClock) {
    this.#server = server;
    this.#options = options;
    this.#clock = clock;
    this.#transport = inProcessTransport(server);
    this.connection = inProcessCluster(server, { namespace: options.namespace });
  }

  /**
   * Deploys a program, without writing its assembly. As `deploy` of `fieldwise/deploy`, it reports failures and does not throw them: see
   * `toSucceed`. By default it waits neither for readiness, since nothing makes objects ready, nor for objects of others; with simulated
   * controllers it waits as `deploy` does.
   *
   * @param program an App, one Stack of it, a directory that `synth` wrote, or the result of `readAssembly`.
   * @throws FieldwiseError the errors of synth, and those of `deploy` before anything is changed.
   */
  async deploy(program: Program, options: DeployOptions = {}): Promise<RunReport> {
    const { assembly, ...selected } = await synthesizeProgram(program);
    const { deploy } = await import('../entry/deploy.js');
    const waits = options.wait === true || this.#isSimulated ? {} : { wait: false, waitSeconds: 0 };
    return deploy(assembly, this.connection, { ...waits, ...this.#deletionTimeout, ...selected, ...options });
  }

  /**
   * Predicts the effect of a deploy, and changes nothing; see `toPlan`.
   *
   * @param program as for `deploy`.
   * @throws FieldwiseError the errors of synth, and those of `plan`.
   */
  async plan(program: Program, options: PlanOptions = {}): Promise<Plan> {
    const { assembly, ...selected } = await synthesizeProgram(program);
    const { plan } = await import('../entry/deploy.js');
    return plan(assembly, this.connection, { ...selected, ...options });
  }

  /**
   * Destroys a program: deletes what its stacks own, releases what they share. Questions are answered with yes.
   *
   * @param program as for `deploy`.
   * @throws FieldwiseError the errors of synth, and those of `destroy` before anything is changed.
   */
  async destroy(program: Program, options: DestroyOptions = {}): Promise<RunReport> {
    const { assembly, ...selected } = await synthesizeProgram(program);
    const { destroy } = await import('../entry/deploy.js');
    return destroy(assembly, this.connection, { yes: true, ...this.#deletionTimeout, ...selected, ...options });
  }

  /**
   * Returns an object with its managedFields, which is the caller's own; undefined if it does not exist.
   *
   * @example
   * ```ts
   * const web = await cluster.get('Deployment', 'web', 'shop'); // or 'deployments.apps', 'deploy'
   * ```
   *
   * @param kind the kind, its plural or short name; with the API group where several groups have it.
   * @param namespace default: the namespace of the cluster.
   * @throws FieldwiseError `kind-unknown`, `kind-ambiguous`, `option-invalid`; ApiError.
   */
  async get<Kind extends object = JsonObject>(kind: string, name: string, namespace?: string): Promise<Kind | undefined> {
    return (await clientOf(this.connection).tryGet(await this.#addressOf(kind, name, namespace))) as Kind | undefined;
  }

  /**
   * Applies an intent by server-side apply, as another tool or stack would.
   *
   * @example
   * ```ts
   * await cluster.apply('kubectl', deployment('web', 'shop').withSpec({ replicas: 5 }), { force: true });
   * ```
   *
   * @param intent a builder or an object.
   * @returns the object after the apply.
   * @throws ApiError if the server rejects it, such as a conflict: see `toConflictWith`. FieldwiseError `option-invalid`, `intent-invalid`,
   *   `intent-without-kind`, `intent-without-name`, `kind-unknown`.
   */
  async apply(manager: FieldManager, intent: object, options: TestApplyOptions = {}): Promise<JsonObject> {
    const { object, address } = await this.#resolve(manager, 'intent', intent);
    const { force = false, subresource } = options;
    return (await clientOf(this.connection).apply(address, object, { manager: managerOf(manager), force, subresource })).object;
  }

  /**
   * Writes fields by a merge patch, as a controller does that does not apply, such as an autoscaler: its owner is an Update.
   *
   * @example
   * ```ts
   * await cluster.patch('hpa', { ...web, spec: { replicas: 5 } }, { subresource: 'scale' });
   * ```
   *
   * @param object a builder, or an object with apiVersion, kind and name, and the fields to write; null removes a field.
   * @returns the object, or the subresource, after the patch.
   * @throws ApiError if the server rejects it; FieldwiseError as `apply`.
   */
  async patch(manager: FieldManager, object: object, { subresource }: TestPatchOptions = {}): Promise<JsonObject> {
    const { object: fields, address } = await this.#resolve(manager, 'object', object);
    const { apiVersion: _, kind: __, metadata, ...content } = fields;
    const { name: ___, namespace: ____, ...others } = metadataOf({ metadata });
    const { body } = await this.#transport.send({
      method: 'PATCH',
      path: `${objectPath(address)}${subresource === undefined ? '' : `/${subresource}`}`,
      query: { fieldManager: managerOf(manager) },
      contentType: 'application/merge-patch+json',
      body: stringifyExactJson({ ...content, ...(Object.keys(others).length > 0 ? { metadata: others } : {}) }),
    });
    return body as JsonObject;
  }

  /**
   * Deletes an object, as somebody else would.
   *
   * @param kind as for `get`.
   * @throws ApiError 404 if the object does not exist; FieldwiseError as `get`.
   */
  async delete(kind: string, name: string, namespace?: string): Promise<void> {
    await this.#transport.send({ method: 'DELETE', path: objectPath(await this.#addressOf(kind, name, namespace)) });
  }

  /**
   * Sends any request to the server, without a socket; see `EmbeddedApiServer.handle`. A rejection by the server is a response, too.
   *
   * @throws FieldwiseError `option-invalid`.
   */
  handle(request: InProcessRequest): Promise<ApiResponse> {
    return this.#server.handle(request);
  }

  /**
   * Opens a socket on the loopback interface, at the first call, and returns a kubeconfig for clients that need one. Call `stop` after the
   * test.
   */
  async kubeconfig(): Promise<string> {
    await this.#server.listen();
    return this.#server.kubeconfig;
  }

  /** Returns another cluster with the objects and the time of this one; they are independent from then on. */
  fork(): Promise<TestCluster> {
    return startCluster(this.#server.snapshot(), this.#options, new TestClock(this.#clock.fixed));
  }

  /** The time of the server. */
  get time(): Date {
    return this.#clock.now();
  }

  /**
   * Sets the time of the server, which then stands still.
   *
   * @throws FieldwiseError `option-invalid`.
   */
  setTime(time: Date | string): void {
    this.#clock.set(time);
  }

  /**
   * Moves the time of the server, which then stands still.
   *
   * @throws FieldwiseError `option-invalid`.
   */
  advanceTime(seconds: number): void {
    this.#clock.advance(seconds);
  }

  /** Closes the socket and the connection. */
  async stop(): Promise<void> {
    this.connection.close();
    await this.#server.stop();
  }

  /** Stops the server at the end of an `await using` block. */
  [asyncDispose](): Promise<void> {
    return this.stop();
  }

  get #isSimulated(): boolean {
    return this.#options.controllers === 'simulated';
  }

  /** Only simulated controllers remove finalizers by themselves. */
  get #deletionTimeout(): Pick<DeployOptions, 'deletionTimeoutSeconds'> {
    return this.#isSimulated ? {} : { deletionTimeoutSeconds: 0 };
  }

  async #addressOf(kind: string, name: string, namespace: string | undefined): Promise<ObjectAddress> {
    if (typeof kind !== 'string' || kind === '') throw wrongUse('The argument `kind`', kind, "a kind, such as 'Deployment'");
    if (typeof name !== 'string' || name === '') throw wrongUse('The argument `name`', name, 'the name of an object');
    const client = clientOf(this.connection);
    const { objectNamed } = await import('../inspect/owners/select-objects.js');
    const found = objectNamed(client, await client.listResources(), kind, name);
    return addressOf(client, { ...found, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } });
  }

  async #resolve(manager: FieldManager, argument: string, input: object): Promise<{ object: JsonObject; address: ObjectAddress }> {
    managerOf(manager);
    if (!isJsonObject(input)) throw wrongUse(`The argument \`${argument}\``, input, 'a builder or an object');
    const declared = declaredObject(input as ApplyInput);
    requireJsonObject(`The argument \`${argument}\``, declared);
    // The caller may change the object while the kinds of the server are read.
    const object = ownCopy(declared);
    return { object, address: await addressOf(clientOf(this.connection), object) };
  }
}
