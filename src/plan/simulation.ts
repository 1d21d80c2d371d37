import { groupOf } from '../assembly/identity.js';
import type { DigestKeys } from '../engine/client-side-apply/digest-keys.js';
import { withClientSideApply } from '../engine/client-side-apply/with-client-side-apply.js';
import type { Simulation, StartSimulation } from '../engine/report/saved-plan.js';
import { crdFromOpenApi } from '../engine/target/fetch-crd.js';
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

/** The part of the planned or live state that a simulation needs to judge objects, fetched from the real server as it is needed. */
export class SimulatedState {
  readonly #server: ClusterClient;
  readonly #start: StartSimulation;
  readonly #keys: DigestKeys;
  #simulation: Promise<Simulation> | undefined;
  readonly #fetched = new Map<string, Promise<void>>();
  readonly #openApiOnly = new Set<string>();
  /** The last question about each object that is being asked about. */
  readonly #pending = new Map<string, Promise<unknown>>();

  /** @param server the real one; `start` is called once, when the first object is to be judged; keys are those of the real one. */
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

  /** An object as a deploy leaves it, for those that build on it. */
  async plan(object: JsonObject): Promise<void> {
    (await this.simulation).load(object);
    const { name } = object.metadata as { readonly name: string };
    // What is planned is not to be replaced by what is.
    this.#fetched.set(`${String(object.kind)} ${name}`, Promise.resolve());
  }

  /**
   * Puts a question to whoever answers dry runs of an object; its kind and namespace and the live object itself are known there. The
   * object is there for this question alone: others of the plan may ask about it as another live or planned one, and ten thousand objects
   * need not be kept. What other objects stand on stays.
   */
  async withObject<Answer>(
    address: ObjectAddress,
    live: JsonObject | undefined,
    question: (cluster: ClusterClient) => Promise<Answer>,
  ): Promise<Answer> {
    const { cluster, load, unload } = await this.simulation;
    await this.#ensureKind(address.resource);
    if (address.namespace !== undefined) await this.#ensureNamespace(address.namespace);
    return this.#inTurn(address, async () => {
      if (live === undefined) return question(cluster);
      const askedOf = async (object: JsonObject) => {
        if (!load(object)) throw schemaUnknownError(address.resource);
        return question(cluster);
      };
      try {
        return await askedOf(live).catch((error: unknown) => {
          const readable = withReadableEntries(live); // not looked for before: of the objects of a true server it finds none
          if (readable === live) throw error;
          return askedOf(readable);
        });
      } finally {
        if (!isPrerequisite(address.resource)) unload(live);
      }
    });
  }

  /** Whether an intent is there already, by the schema of its kind; then its dry run need not be asked. See `Simulation.changesNothing`. */
  async wouldBeNoop(address: ObjectAddress, live: JsonObject, intent: JsonObject, manager: string): Promise<boolean> {
    const { wouldBeNoop } = await this.simulation;
    await this.#ensureKind(address.resource);
    // The dry run would get the intent as text, with the digits that a number here has lost.
    return inexactNumber(intent) === undefined && wouldBeNoop(live, intent, manager);
  }

  /** One question about an object after another. */
  async #inTurn<Answer>({ resource, namespace = '', name }: ObjectAddress, question: () => Promise<Answer>): Promise<Answer> {
    const key = `${groupOf(resource.apiVersion)}/${resource.plural}/${namespace}/${name}`;
    const before = this.#pending.get(key) ?? Promise.resolve();
    const result = before.then(question, question);
    this.#pending.set(key, result);
    try {
      return await result;
    } finally {
      if (this.#pending.get(key) === result) this.#pending.delete(key);
    }
  }

  /** Whether the schema of a kind is only what the server publishes, without the defaults that its own code fills in. */
  hasOpenApiOnly({ apiVersion, plural }: Resource): boolean {
    return this.#openApiOnly.has(`${plural}.${groupOf(apiVersion)}`);
  }

  #once(key: string, fetch: () => Promise<void>): Promise<void> {
    let fetched = this.#fetched.get(key);
    if (fetched === undefined) {
      fetched = fetch();
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

  /** A stand-in for a CustomResourceDefinition that cannot be read, made from what the server publishes to everybody. */
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
        load({ apiVersion: 'v1', kind: 'Namespace', metadata: { name }, status: { phase: 'Active' } }); // taken to be there
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

/** Objects by which others are judged. */
function isPrerequisite({ plural }: Resource): boolean {
  return plural === namespaces.plural || plural === customResourceDefinitions.plural;
}

async function serves(cluster: ClusterClient, { apiVersion, kind }: Resource): Promise<boolean> {
  try {
    await cluster.resourceOf(apiVersion, kind);
    return true;
  } catch (error) {
    if (error instanceof FieldwiseError && error.code === 'kind-unknown') return false;
    throw error;
  }
}

function schemaUnknownError({ apiVersion, kind }: Resource): FieldwiseError {
  return new FieldwiseError('schema-unknown', 'resource', `No schema of kind ${kind} in apiVersion ${apiVersion} can be read`, {
    next: 'Plan with credentials that may read CustomResourceDefinitions or patch the object.',
  });
}

/** The resource that a CustomResourceDefinition is going to serve, or undefined where it does not define that kind. */
export function plannedResource(crd: JsonObject, apiVersion: string, kind: string): Resource | undefined {
  const spec = isJsonObject(crd.spec) ? crd.spec : {};
  const names = isJsonObject(spec.names) ? spec.names : {};
  if (names.kind !== kind || spec.group !== groupOf(apiVersion)) return undefined;
  return { apiVersion, kind, plural: String(names.plural), namespaced: spec.scope !== 'Cluster' };
}
