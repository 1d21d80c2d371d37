import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, inject } from 'vitest';
import { ApiClient, type ResponseBody } from './api-client.js';
import { removeAtOnce, removeCrd, removeNamespace } from './cleanup.js';
import { type ObjectRef, ref, TestCluster } from './cluster.js';
import { InterceptionProxy, type ProxiedRequest } from './interception-proxy.js';
import { writeKubeconfig } from './kubeconfig.js';
import { poll } from './poll.js';
import { type Declared, programOf } from './program-text.js';
import { Project, type ProjectOptions } from './project.js';

/** What one test file stands on: a namespace and an app name that nobody else has, gone when the file ends. */
export class TestEnvironment {
  readonly cluster: TestCluster;
  readonly kubectl: string | undefined;
  /** The fresh namespace; inventories live in it, too. */
  readonly namespace: string;
  /** Unique, so that field managers are. */
  readonly app: string;
  readonly directory = mkdtempSync(join(tmpdir(), 'fieldwise-test-'));
  readonly #hasControllers: boolean;
  #projects = 0;
  #proxies = 0;
  readonly #cleanups: (() => Promise<unknown> | unknown)[] = [];

  private constructor(name: string) {
    const server = inject('server');
    const suffix = randomBytes(3).toString('hex');
    this.cluster = new TestCluster(server.kubeconfig);
    this.kubectl = server.kubectl;
    this.namespace = `${name}-${suffix}`;
    this.app = `${name}-${suffix}`;
    this.#hasControllers = server.hasControllers;
  }

  /** Call at the top of a test file. */
  static async create(name: string): Promise<TestEnvironment> {
    const testEnvironment = new TestEnvironment(name);
    afterAll(() => testEnvironment.#cleanUp());
    await testEnvironment.cluster.create('test', ref('v1', 'Namespace', testEnvironment.namespace));
    return testEnvironment;
  }

  get kubeconfig(): string {
    return this.cluster.kubeconfig;
  }

  /** Done at the end of the file, last come first. */
  onCleanup(cleanup: () => Promise<unknown> | unknown): void {
    this.#cleanups.push(cleanup);
  }

  /** A project of a user; each has an app name of its own unless one is given. */
  project(files: Readonly<Record<string, string>>, options: ProjectOptions = {}): Project {
    this.#projects += 1;
    const project = new Project(files, {
      kubeconfig: this.kubeconfig,
      ...options,
      environment: {
        FIELDWISE_APP_NAME: `${this.app}-${this.#projects}`,
        FIELDWISE_NAMESPACE: this.namespace,
        FIELDWISE_INVENTORY_NAMESPACE: this.namespace,
        FIELDWISE_POLICY: '{"wait":false}', // the server runs no controllers; tests about waiting ask for it
        ...options.environment,
      },
    });
    this.onCleanup(() => rmSync(project.directory, { recursive: true, force: true }));
    return project;
  }

  /** A project with one program, made from data. */
  program(stacks: Readonly<Record<string, readonly Declared[]>>, options: ProjectOptions = {}): Project {
    return this.project({ 'fieldwise.yaml': 'app: main.ts\n', 'main.ts': programOf(stacks) }, options);
  }

  /** The text of such a program, to replace one. */
  text(stacks: Readonly<Record<string, readonly Declared[]>>): string {
    return programOf(stacks);
  }

  /** A copy of a directory of `examples/`, in which `change` may rewrite the texts. */
  example(name: string, change: (text: string) => string = (text) => text): Project {
    const from = fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
    const paths = readdirSync(from, { recursive: true, encoding: 'utf8' }).filter(
      (path) => /\.(ts|yaml)$/.test(path) && !/(^|\/)dist\//.test(path),
    );
    return this.project(Object.fromEntries(paths.map((path) => [path, change(readFileSync(join(from, path), 'utf8'))])));
  }

  /** A reference to an object of the fresh namespace. */
  ref(apiVersion: string, kind: string, name: string): ObjectRef {
    return ref(apiVersion, kind, name, this.namespace);
  }

  /** Installs a CustomResourceDefinition and waits until it serves. */
  async crd(definition: ResponseBody): Promise<void> {
    const { name } = definition.metadata;
    const { group, names, versions } = definition.spec;
    const served = versions.filter((version: ResponseBody) => version.served);
    this.removeCrdLater(name);
    await this.cluster.apply('test', definition, { force: true });
    await poll(`CustomResourceDefinition ${name} is established and served`, async () => {
      const { status } = await this.cluster.get(definition);
      const established = status?.conditions?.some(({ type, status: value }: ResponseBody) => type === 'Established' && value === 'True');
      const found = await Promise.all(served.map((version: ResponseBody) => this.cluster.serves(`${group}/${version.name}`, names.kind)));
      return established === true && found.every(Boolean);
    });
  }

  /** Removes an object outside the namespace at the end. */
  removeLater(object: ObjectRef): void {
    this.onCleanup(() => removeAtOnce(this.cluster, object));
  }

  removeCrdLater(name: string): void {
    this.onCleanup(() => removeCrd(this.cluster, name));
  }

  /** Removes a namespace that a program under test makes. */
  removeNamespaceLater(name: string): void {
    this.onCleanup(() => removeNamespace(this.cluster, name, this.#hasControllers));
  }

  /** A user who may do only what `rules` of a Role in the fresh namespace allow; returns a kubeconfig with a token. */
  async account(name: string, rules: readonly ResponseBody[]): Promise<string> {
    const { cluster, namespace } = this;
    await cluster.create('test', this.ref('v1', 'ServiceAccount', name));
    await cluster.create('test', { ...this.ref('rbac.authorization.k8s.io/v1', 'Role', name), rules });
    await cluster.create('test', {
      ...this.ref('rbac.authorization.k8s.io/v1', 'RoleBinding', name),
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    });
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } };
    const { status } = await cluster.client.call('POST', `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`, {
      body: request,
    });
    return this.kubeconfigOf(name, { token: status.token });
  }

  /** A kubeconfig for the same server with another token, or for another server. */
  kubeconfigOf(name: string, change: { readonly token?: string; readonly server?: string }): string {
    const path = join(this.directory, `${name}.kubeconfig`);
    const { server, ca, token } = this.cluster.client.connection;
    writeKubeconfig(path, { server: change.server ?? server, ca, token: change.token ?? token ?? 'none' });
    return path;
  }

  /** A proxy in front of the API server; its kubeconfig is `proxy.kubeconfig`. */
  async proxy(): Promise<InterceptionProxy> {
    this.#proxies += 1;
    const proxy = await InterceptionProxy.start(this.cluster.client, join(this.directory, `proxy-${this.#proxies}.kubeconfig`));
    this.onCleanup(() => proxy.stop());
    return proxy;
  }

  /**
   * Kills a run with SIGKILL at the first exchange that `at` picks, after the server has done it, and frees its locks; to wait until they expire
   * takes fifteen seconds, and is tested in lock.test.ts.
   *
   * @returns false where the run came to its end before.
   */
  async killRun(
    run: (options: { readonly kubeconfig: string; readonly signal: AbortSignal }) => Promise<{ readonly exitCode: number }>,
    at: (request: ProxiedRequest) => boolean | Promise<boolean>,
  ): Promise<boolean> {
    const proxy = await this.proxy();
    const kill = new AbortController();
    proxy.onResponse = async (request) => {
      if (await at(request)) kill.abort();
      return undefined;
    };
    const { exitCode } = await run({ kubeconfig: proxy.kubeconfig, signal: kill.signal });
    await this.freeLeases();
    return exitCode === -1;
  }

  /**
   * Frees the locks of runs that have ended without it, as they themselves would have done. Who deletes them instead lets the next run wait: it
   * takes them for those of a run that goes on.
   */
  async freeLeases(): Promise<void> {
    for (const { metadata } of await this.cluster.list('coordination.k8s.io/v1', 'Lease', this.namespace))
      await this.cluster.patch('test', this.ref('coordination.k8s.io/v1', 'Lease', metadata.name), { spec: { holderIdentity: '' } });
  }

  async #cleanUp(): Promise<void> {
    const problems: unknown[] = [];
    const attempt = async (cleanup: () => unknown) => {
      try {
        await cleanup();
      } catch (error) {
        problems.push(error);
      }
    };
    for (const cleanup of this.#cleanups.reverse()) await attempt(cleanup);
    await attempt(() => removeNamespace(this.cluster, this.namespace, this.#hasControllers));
    rmSync(this.directory, { recursive: true, force: true });
    this.cluster.client.close();
    if (problems.length > 0) throw new AggregateError(problems, `cleaning up after ${this.app} failed: ${problems.join('; ')}`);
  }
}

/** Picks the n-th write of a run, locks aside; a review of rights writes nothing. */
export function nthWrite(n: number): (request: ProxiedRequest) => boolean {
  let writes = 0;
  return ({ method, path }) => method !== 'GET' && !/\/(leases|selfsubjectaccessreviews)/.test(path) && ++writes === n;
}

/**
 * Waits until the clock of the server has another second. Times of managedFields are whole seconds: a deploy within the same one cannot prove
 * that it was what wrote.
 */
export async function waitForNextSecond(): Promise<void> {
  const client = new ApiClient(inject('server').kubeconfig);
  const version = new URL('/version', client.connection.server);
  const second = async () => (await client.raw('GET', version, {}, undefined)).headers.date;
  const now = await second();
  await poll('the clock of the server has another second', async () => (await second()) !== now);
  client.close();
}
