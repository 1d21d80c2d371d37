import { groupOf, identityKey, managersOf, type ObjectIdentity } from '../assembly/identity.js';
import type { Assembly, PartialObject } from '../assembly/types.js';
import { crdFromOpenApi } from '../engine/addresses/fetch-crd.js';
import { addressInAnyVersion } from '../engine/addresses/removed-versions.js';
import { type ClusterIdentity, clusterIdentityReader, isUnknown } from '../engine/inventory/cluster-identity.js';
import { type Inventory, InventoryStore } from '../engine/inventory/inventory-store.js';
import { defaultInventoryNamespace } from '../engine/inventory/namespace.js';
import { LiveObjects } from '../engine/live/live-objects.js';
import { prepareResolvedRun, readInventories } from '../engine/prepare/prepare-run.js';
import { resolveScopes } from '../engine/prepare/scope.js';
import { selectStacks } from '../engine/prepare/select-stacks.js';
import type { PlanEvent, PlanSummary } from '../engine/report/plan-types.js';
import { forEachConcurrent } from '../engine/run/for-each-concurrent.js';
import { defaultConcurrency, type RunOptions } from '../engine/run/options.js';
import type { StartSimulation } from '../engine/run/saved-plan.js';
import { maskedPlan } from '../engine/secrets/masked-plan.js';
import { readReferences } from '../engine/secrets/references.js';
import { SecretMasker } from '../engine/secrets/secret-masker.js';
import { withoutValues } from '../engine/secrets/without-values.js';
import { isSecret } from '../fields/object.js';
import { type ClusterClient, customResourceDefinitions, isForbidden, namespaces, type Resource } from '../kubernetes/index.js';
import { managedFieldsOf } from '../ownership/index.js';
import { FieldwiseError } from '../util/error.js';
import { parseExactJson } from '../util/exact-json.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../util/json.js';
import { type PlannerOptions, plan } from './plan.js';
import { isSnapshotPolicies, readPolicies, type SnapshotPolicies } from './snapshot-policies.js';

/**
 * The state of a cluster that a plan needs, for planning without the cluster (docs/diff.md). It contains no value of a Secret, no
 * annotation of one and no digest of either: whatever can be compared with a value can be guessed.
 */
export interface Snapshot {
  readonly fieldwise: 2;
  readonly kind: 'snapshot';
  readonly app: string;
  readonly instance: string;
  /** The URL of the server that the snapshot was taken from. */
  readonly server: string;
  /** The uids of the cluster; absent in a snapshot of an older version, and if none could be read. */
  readonly cluster?: ClusterIdentity;
  /** The version of that server, such as `v1.33.2`. */
  readonly version: string;
  readonly defaultNamespace: string;
  readonly inventoryNamespace: string;
  /** The identity keys of the objects that were read or found absent; the existence of other objects is unknown. */
  readonly known: readonly string[];
  /** CustomResourceDefinitions first. */
  readonly objects: readonly JsonObject[];
  /** Absent in a snapshot of an older version. */
  readonly policies?: SnapshotPolicies;
}

/**
 * Reads the state that a plan of the selected stacks needs.
 *
 * @throws FieldwiseError as `plan` does.
 */
export async function takeSnapshot(assembly: Assembly, cluster: ClusterClient, options: RunOptions): Promise<Snapshot> {
  const { app, instance } = assembly.manifest;
  const inventoryNamespace = options.inventoryNamespace ?? defaultInventoryNamespace;
  const store = new InventoryStore(cluster, inventoryNamespace);
  const { readIdentity = clusterIdentityReader(cluster, inventoryNamespace) } = options;
  const identity = readIdentity();
  const run = prepareResolvedRun(assembly, cluster, options); // A snapshot does not need the values of Secrets, so references stay.
  const steps = await resolveScopes(cluster, run.declared);
  const inventories = await readInventories(run, store);
  const wanted = new Map<string, ObjectIdentity>([
    ...inventories.flatMap(({ whole }) => [...whole.entries].map(([key, entry]) => [key, entry] as const)),
    ...steps.map(({ key, intent }) => [key, intent] as const),
  ]);
  const { assembly: read } = readReferences(assembly, run.stacks, options.references);
  const collector = new SnapshotCollector(cluster, new SecretMasker(read.objects.flat().filter(isSecret)));
  await collector.read([...wanted.values()], options.concurrency ?? defaultConcurrency);
  const own = inventories.flatMap(({ current, former }) => [current, ...former]);
  const rivals = await inventoriesOfRivals(store, assembly, own, collector.managers);
  const shards = [...own, ...rivals].flatMap((inventory) => inventory.shards);
  // Items of a list carry no apiVersion and no kind.
  for (const { object } of shards) collector.addInventory({ ...object, apiVersion: 'v1', kind: 'ConfigMap' });
  const isOpen = (object: JsonObject) => collector.repeatsNoSecret(object);
  const policies = await readPolicies(cluster, collector.namespaces, options.concurrency ?? defaultConcurrency, isOpen);
  const { server, defaultNamespace } = cluster;
  return {
    fieldwise: 2,
    kind: 'snapshot',
    app,
    instance,
    server,
    ...(isUnknown(await identity) ? {} : { cluster: await identity }),
    version: await cluster.version(),
    defaultNamespace,
    inventoryNamespace,
    known: [...wanted.keys()],
    objects: collector.objects,
    policies,
  };
}

/** Reads the inventories of the other stacks that apply the objects: a plan compares their policies with those of the program. */
async function inventoriesOfRivals(
  store: InventoryStore,
  { manifest }: Assembly,
  known: readonly Inventory[],
  managers: ReadonlySet<string>,
): Promise<readonly Inventory[]> {
  const own = new Set<string>([...manifest.stacks.flatMap(managersOf), ...known.map(({ stack }) => stack.manager)]);
  const rivals = [...managers].filter((manager) => manager.startsWith('fieldwise/') && !own.has(manager));
  return (await Promise.all(rivals.map((manager) => store.read({ manager })))).flat();
}

/** Collects objects, their CustomResourceDefinitions and their namespaces, each once. */
class SnapshotCollector {
  readonly #cluster: ClusterClient;
  readonly #objects = new Map<string, JsonObject>();
  readonly #inventories: JsonObject[] = [];
  readonly #secrets: SecretMasker;
  readonly #namespaces = new Set<string>();

  /** @param secrets knows the values that the program declares; those of live Secrets are added. */
  constructor(cluster: ClusterClient, secrets: SecretMasker) {
    this.#cluster = cluster;
    this.#secrets = secrets;
  }

  get objects(): readonly JsonObject[] {
    const all = [...[...this.#objects.values()].map((object) => withoutCopies(object, this.#secrets)), ...this.#inventories];
    return [
      ...all.filter(({ kind }) => kind === customResourceDefinitions.kind),
      ...all.filter(({ kind }) => kind !== customResourceDefinitions.kind),
    ];
  }

  /** The managers of the objects. */
  get managers(): ReadonlySet<string> {
    return new Set([...this.#objects.values()].flatMap((object) => managedFieldsOf(object).map(({ manager }) => manager)));
  }

  /** The namespaces of the objects that were read or found absent. */
  get namespaces(): ReadonlySet<string> {
    return this.#namespaces;
  }

  /** Returns false for an object that contains a value of a Secret that was read. */
  repeatsNoSecret(object: JsonObject): boolean {
    return jsonEqual(this.#secrets.maskJson(object), object);
  }

  add(object: JsonObject): void {
    const { apiVersion, kind } = object as PartialObject;
    const { namespace, name } = object.metadata as unknown as ObjectIdentity;
    this.#secrets.add(object);
    this.#objects.set(identityKey({ apiVersion, kind, name, namespace }), withoutValues(object));
  }

  /** Adds a part of an inventory, as it is: it contains names only. */
  addInventory(object: JsonObject): void {
    this.#inventories.push(object);
  }

  async read(wanted: readonly ObjectIdentity[], concurrency: number): Promise<void> {
    const found = await Promise.all(wanted.map((identity) => addressInAnyVersion(this.#cluster, identity)));
    const addresses = found.filter((address) => address !== undefined);
    const live = new LiveObjects(this.#cluster, addresses);
    const kinds = new Map(addresses.map(({ resource }) => [`${resource.apiVersion} ${resource.kind}`, resource]));
    for (const { namespace } of addresses) if (namespace !== undefined) this.#namespaces.add(namespace);
    await forEachConcurrent([...kinds.values()], concurrency, (resource) => this.#addCrd(resource));
    await forEachConcurrent([...this.#namespaces], concurrency, (name) => this.#addNamespace(name));
    await forEachConcurrent(addresses, concurrency, async (address) => {
      const object = await live.find(address);
      if (object) this.add(object);
    });
  }

  /** Adds the CustomResourceDefinition of a custom kind, or a substitute made from the OpenAPI document of the server. */
  async #addCrd(resource: Resource): Promise<void> {
    if (!groupOf(resource.apiVersion).includes('.') || /(^|\.)k8s\.io$/.test(groupOf(resource.apiVersion))) return;
    const name = `${resource.plural}.${groupOf(resource.apiVersion)}`;
    const crd =
      (await this.#readIfPermitted(customResourceDefinitions, name)) ??
      crdFromOpenApi(await this.#cluster.openApi(resource.apiVersion), resource, name);
    if (crd) this.add(crd);
  }

  async #addNamespace(name: string): Promise<void> {
    const live = await this.#readIfPermitted(namespaces, name);
    if (live) this.add(live);
    else if (live === undefined) this.add({ apiVersion: 'v1', kind: 'Namespace', metadata: { name }, status: { phase: 'Active' } });
  }

  /** Returns null if the object does not exist, and undefined if these credentials may not read it. */
  async #readIfPermitted(resource: Resource, name: string): Promise<JsonObject | null | undefined> {
    try {
      return (await this.#cluster.tryGet({ resource, name })) ?? null;
    } catch (error) {
      if (isForbidden(error)) return undefined;
      throw error;
    }
  }
}

/**
 * Plans without a cluster, on the state and by the schemas of a snapshot.
 *
 * @param start starts the simulation, which plans by the schema.
 * @throws FieldwiseError `snapshot-invalid` if the snapshot was taken for another app or instance, and the errors of `plan`.
 */
export async function planOffline(
  assembly: Assembly,
  snapshot: Snapshot,
  start: StartSimulation,
  options: Omit<PlannerOptions, 'simulate' | 'readOnly' | 'known' | 'save'>,
  host: (event: PlanEvent) => void,
): Promise<PlanSummary> {
  const { app, instance } = assembly.manifest;
  if (snapshot.app !== app || snapshot.instance !== instance)
    throw snapshotInvalidError(`it was taken for ${snapshot.app} (${snapshot.instance})`);
  const { assembly: read } = readReferences(assembly, selectStacks(assembly, options.stacks), options.references);
  const secrets = new SecretMasker(read.objects.flat());
  const masked = { ...assembly, objects: assembly.objects.map((objects) => objects.map((object) => withoutCopies(object, secrets))) };
  const simulation = await start(snapshot.version);
  for (const object of snapshot.objects) simulation.load(object);
  const { inventoryNamespace } = snapshot;
  const offline = { readOnly: true, known: new Set(snapshot.known), simulate: () => start(snapshot.version), inventoryNamespace };
  return plan(masked, simulation.cluster, { ...options, ...offline }, (event) => host(maskedEvent(event, secrets)));
}

/** Hides known values of Secrets in an event of a plan: the plan itself compares none, so it knows none. */
function maskedEvent(event: PlanEvent, secrets: SecretMasker): PlanEvent {
  if (event.event === 'warning') return secrets.maskWarning(event);
  return event.event === 'plan' ? maskedPlan(event, secrets) : event;
}

/** Hides known values of Secrets where other objects mostly repeat them: in annotations, and in the data of a ConfigMap. */
function withoutCopies<T extends JsonObject>(object: T, secrets: SecretMasker): T {
  const { apiVersion, kind, metadata, data } = object as JsonObject;
  if (isSecret({ apiVersion, kind })) return object;
  const annotations = isJsonObject(metadata) ? metadata.annotations : undefined;
  return {
    ...object,
    ...(annotations === undefined ? {} : { metadata: { ...(metadata as JsonObject), annotations: secrets.maskJson(annotations) } }),
    ...(kind === 'ConfigMap' && data !== undefined ? { data: secrets.maskJson(data) } : {}),
  };
}

/**
 * Reads a snapshot.
 *
 * @throws FieldwiseError `snapshot-invalid` (usage).
 */
export function parseSnapshot(text: string, file: string): Snapshot {
  let issue = 'it is not a snapshot of this version of Fieldwise';
  try {
    const value: unknown = parseExactJson(text);
    if (isSnapshot(value)) return value;
    if (isJsonObject(value as Json) && (value as JsonObject).fieldwise === 1)
      issue = 'it is of an older version of Fieldwise, and contains digests of values of Secrets, which can be guessed: delete it';
  } catch (error) {
    issue = (error as Error).message;
  }
  throw snapshotInvalidError(issue, file);
}

function snapshotInvalidError(issue: string, file?: string): FieldwiseError {
  return new FieldwiseError('snapshot-invalid', 'usage', `The snapshot cannot be used: ${issue}`, {
    location: file === undefined ? {} : { file },
    next: 'Take one with `fieldwise snapshot`.',
  });
}

function isSnapshot(value: unknown): value is Snapshot {
  if (!isJsonObject(value) || value.fieldwise !== 2 || value.kind !== 'snapshot') return false;
  const texts = ['app', 'instance', 'server', 'version', 'defaultNamespace', 'inventoryNamespace'];
  const named = (object: Json) => isJsonObject(object) && isJsonObject(object.metadata) && typeof object.metadata.name === 'string';
  return (
    texts.every((name) => typeof value[name] === 'string') &&
    Array.isArray(value.known) &&
    Array.isArray(value.objects) &&
    (value.objects as readonly Json[]).every(named) &&
    (value.cluster === undefined || isIdentity(value.cluster)) &&
    (value.policies === undefined || isSnapshotPolicies(value.policies))
  );
}

function isIdentity(value: Json): boolean {
  return isJsonObject(value) && [value.uid, value.inventoryUid].every((uid) => uid === undefined || typeof uid === 'string');
}
