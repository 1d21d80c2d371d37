import { groupOf } from '../assembly/identity.js';
import { resourceIfServed } from '../engine/addresses/address.js';
import { crdFromOpenApi } from '../engine/addresses/fetch-crd.js';
import { withClientSideApply } from '../engine/client-side-apply/with-client-side-apply.js';
import type { DigestKeys } from '../engine/inventory/digest-keys.js';
import type { Simulation, StartSimulation } from '../engine/run/saved-plan.js';
import {
  ApiError,
  type ClusterClient,
  customResourceDefinitions,
  isForbidden,
  namespaces,
  type ObjectAddress,
  type Resource,
} from '../kubernetes/index.js';
import { withReadableEntries } from '../ownership/index.js';
import { FieldwiseError } from '../util/error.js';
import { inexactNumber } from '../util/exact-json.js';
import { isJsonObject, type JsonObject } from '../util/json.js';
import type { NeededObject } from './may-depend-on.js';

/** The planned and live state that a simulation needs to plan objects, fetched from the real server on demand. */
export class SimulatedState {
  readonly #server: ClusterClient;
  readonly #start: StartSimulation;
  readonly #keys: DigestKeys;
  #simulation: Promise<Simulation> | undefined;
  readonly #fetched = new Map<string, Promise<void>>();
  readonly #openApiOnly = new Set<string>();
  /** The last task of each object that has tasks in progress. */
  readonly #pending = new Map<string, Promise<unknown>>();

  /**
   * @param server the real server.
   * @param start called once, when the simulation is first needed.
   * @param keys the digest keys of the real server.
   */
  constructor(server: ClusterClient, start: StartSimulation, keys: DigestKeys) {
    this.#server = server;
    this.#start = start;
    this.#keys = keys;
  }

  get simulation(): Promise<Simulation> {
    this.#simulation ??= this.#server
      .version()
      .then(this.#start)
      .then((simulation) => ({ ...simulation, cluster: withClientSideApply(simulation.cluster, this.#keys) }));
    return this.#simulation;
  }

  /** Loads a planned object, for the objects that depend on it. */
  async plan(object: JsonObject): Promise<void> {
    (await this.simulation).load(object);
    const { name } = object.metadata as { readonly name: string };
    // Keeps a later fetch of the live object from replacing the planned one.
    this.#fetched.set(`${String(object.kind)} ${name}`, Promise.resolve());
  }

  /**
   * Loads an object that another one needs, as the server has it. One that may not be read is assumed to exist.
   *
   * @param isKnown false: nobody knows whether it exists, and it is assumed to.
   */
  async ensureNeeded({ apiVersion, kind, name, content }: NeededObject, isKnown: boolean): Promise<void> {
    const { load } = await this.simulation;
    await this.#once(`${kind} ${name}`, async () => {
      const assumed = { apiVersion, kind, metadata: { name }, ...content };
      if (!isKnown) return void load(assumed);
      const resource = await resourceIfServed(this.#server, apiVersion, kind);
      try {
        const live = resource && (await this.#server.tryGet({ resource, name }));
        if (live) load(live);
      } catch (error) {
        if (!isForbidden(error)) throw error;
        load(assumed);
      }
    });
  }

  /**
   * Runs a task on the simulation, which has the object's kind, its namespace and the live object loaded. The object is unloaded after the
   * task: other tasks of the plan may load another state of it, and ten thousand objects need not be kept. Namespaces and
   * CustomResourceDefinitions stay, because other objects depend on them.
   */
  async withObject<Result>(
    address: ObjectAddress,
    live: JsonObject | undefined,
    task: (cluster: ClusterClient) => Promise<Result>,
  ): Promise<Result> {
    const { cluster, load, unload } = await this.simulation;
    await this.#ensureKind(address.resource);
    if (address.namespace !== undefined) await this.#ensureNamespace(address.namespace);
    return this.#inTurn(address, async () => {
      if (live === undefined) return task(cluster);
      const runWith = async (object: JsonObject) => {
        if (!load(object)) throw schemaUnknownError(address.resource);
        return task(cluster);
      };
      try {
        return await runWith(live).catch((error: unknown) => {
          const readable = withReadableEntries(live); // Only after an error: objects of a real server have readable entries only.
          if (readable === live) throw error;
          return runWith(readable);
        });
      } finally {
        if (!isPrerequisite(address.resource)) unload(live);
      }
    });
  }

  /**
   * Returns true if the schema of the kind proves that an intent is already applied, so no dry run is needed. See
   * `Simulation.wouldBeNoop`.
   */
  async wouldBeNoop(address: ObjectAddress, live: JsonObject, intent: JsonObject, manager: string): Promise<boolean> {
    const { wouldBeNoop } = await this.simulation;
    await this.#ensureKind(address.resource);
    // A dry run sends the intent as text, with the digits that the parsed number has lost.
    return inexactNumber(intent) === undefined && wouldBeNoop(live, intent, manager);
  }

  /** Runs the tasks of one object one after the other. */
  async #inTurn<Result>({ resource, namespace = '', name }: ObjectAddress, task: () => Promise<Result>): Promise<Result> {
    const key = `${groupOf(resource.apiVersion)}/${resource.plural}/${namespace}/${name}`;
    const before = this.#pending.get(key) ?? Promise.resolve();
    const result = before.then(task, task);
    this.#pending.set(key, result);
    try {
      return await result;
    } finally {
      if (this.#pending.get(key) === result) this.#pending.delete(key);
    }
  }

  /** Returns true if the schema of a kind is the one that the server publishes, which lacks the defaults set by the server's code. */
  hasOpenApiOnly({ apiVersion, plural }: Resource): boolean {
    return this.#openApiOnly.has(`${plural}.${groupOf(apiVersion)}`);
  }

  #once(key: string, load: () => Promise<void>): Promise<void> {
    let fetched = this.#fetched.get(key);
    if (fetched === undefined) {
      fetched = load();
      this.#fetched.set(key, fetched);
    }
    return fetched;
  }

  async #ensureKind(resource: Resource): Promise<void> {
    const { cluster, load } = await this.simulation;
    const name = `${resource.plural}.${groupOf(resource.apiVersion)}`;
    await this.#once(`CustomResourceDefinition ${name}`, async () => {
      if (await serves(cluster, resource)) return;
      const live = await this.#readIfPermitted({ resource: customResourceDefinitions, name });
      if (live === undefined) this.#openApiOnly.add(name);
      const crd = live ?? (await this.#crdFromOpenApi(resource, name));
      if (crd !== undefined) load(crd);
    });
    if (!(await serves(cluster, resource))) throw schemaUnknownError(resource);
  }

  /** Makes a substitute for a CustomResourceDefinition that cannot be read, from the OpenAPI document that everybody may read. */
  async #crdFromOpenApi(resource: Resource, name: string): Promise<JsonObject | undefined> {
    try {
      return crdFromOpenApi(await this.#server.openApi(resource.apiVersion), resource, name);
    } catch (error) {
      if (error instanceof ApiError) return undefined;
      throw error;
    }
  }

  async #ensureNamespace(name: string): Promise<void> {
    const { cluster, load } = await this.simulation;
    await this.#once(`Namespace ${name}`, async () => {
      const address = { resource: namespaces, name };
      if ((await cluster.tryGet(address)) !== undefined) return;
      try {
        const live = await this.#server.tryGet(address);
        if (live !== undefined) load(live);
      } catch (error) {
        if (!isForbidden(error)) throw error;
        load({ apiVersion: 'v1', kind: 'Namespace', metadata: { name }, status: { phase: 'Active' } }); // Assumed to exist.
      }
    });
  }

  async #readIfPermitted(address: ObjectAddress): Promise<JsonObject | undefined> {
    try {
      return await this.#server.tryGet(address);
    } catch (error) {
      if (isForbidden(error)) return undefined;
      throw error;
    }
  }
}

/** Returns true for kinds whose objects the plans of other objects need. */
function isPrerequisite({ plural }: Resource): boolean {
  return plural === namespaces.plural || plural === customResourceDefinitions.plural;
}

async function serves(cluster: ClusterClient, { apiVersion, kind }: Resource): Promise<boolean> {
  return (await resourceIfServed(cluster, apiVersion, kind)) !== undefined;
}

function schemaUnknownError({ apiVersion, kind }: Resource): FieldwiseError {
  return new FieldwiseError('schema-unknown', 'resource', `The schema of kind ${kind} in apiVersion ${apiVersion} cannot be read`, {
    next: 'Plan with credentials that may read CustomResourceDefinitions or patch the object.',
  });
}

/** Returns the resource of a kind that a planned CustomResourceDefinition defines, or undefined if it defines another kind. */
export function plannedResource(crd: JsonObject, apiVersion: string, kind: string): Resource | undefined {
  const spec = isJsonObject(crd.spec) ? crd.spec : {};
  const names = isJsonObject(spec.names) ? spec.names : {};
  if (names.kind !== kind || spec.group !== groupOf(apiVersion)) return undefined;
  return { apiVersion, kind, plural: String(names.plural), namespaced: spec.scope !== 'Cluster' };
}
