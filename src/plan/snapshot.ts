import { createHmac, randomBytes } from 'node:crypto';
import { groupOf, identityKey, type ObjectIdentity } from '../assembly/identity.js';
import type { Assembly, PartialObject } from '../assembly/types.js';
import { InventoryStore } from '../engine/inventory/inventory-store.js';
import { defaultInventoryNamespace } from '../engine/inventory/namespace.js';
import { LiveObjects } from '../engine/live/live-objects.js';
import type { PlanEvent, PlanSummary } from '../engine/report/plan-types.js';
import type { StartSimulation } from '../engine/report/saved-plan.js';
import { forEachConcurrent } from '../engine/run/for-each-concurrent.js';
import { defaultConcurrency, type RunOptions } from '../engine/run/options.js';
import { prepareResolvedRun, readInventories } from '../engine/run/prepare-run.js';
import { resolveReferences } from '../engine/secrets/references.js';
import { isSecret } from '../engine/secrets/secret-masker.js';
import { crdFromOpenApi } from '../engine/target/fetch-crd.js';
import { addressInAnyVersion } from '../engine/target/removed-versions.js';
import { resolveScopes } from '../engine/target/scope.js';
import { selectStacks } from '../engine/target/select-stacks.js';
import { type ClusterClient, customResourceDefinitions, isForbidden, namespaces, type Resource } from '../kubernetes/index.js';
import { FieldwiseError } from '../util/error.js';
import { parseExactJson } from '../util/exact-json.js';
import { isJsonObject, type Json, type JsonObject } from '../util/json.js';
import { type PlannerOptions, plan } from './plan.js';

/**
 * What a plan needs of a cluster, to plan without it (docs/diff.md). Values of Secrets are HMACs under a salt of its own, in base64, so
 * that equal values stay equal and no value can be read.
 */
export interface Snapshot {
  readonly fieldwise: 1;
  readonly kind: 'snapshot';
  readonly app: string;
  readonly instance: string;
  /** The server that it was taken of, and its version. */
  readonly server: string;
  readonly version: string;
  readonly defaultNamespace: string;
  readonly inventoryNamespace: string;
  /** In base64. */
  readonly salt: string;
  /** Identities that were looked for: of others it is not known whether they exist. */
  readonly known: readonly string[];
  /** CustomResourceDefinitions first. */
  readonly objects: readonly JsonObject[];
}

/** Reads what a plan of the chosen stacks needs. @throws FieldwiseError as `plan` does. */
export async function takeSnapshot(assembly: Assembly, cluster: ClusterClient, options: RunOptions): Promise<Snapshot> {
  const { app, instance } = assembly.manifest;
  const inventoryNamespace = options.inventoryNamespace ?? defaultInventoryNamespace;
  const store = new InventoryStore(cluster, inventoryNamespace);
  const run = prepareResolvedRun(assembly, cluster, options); // values of Secrets are not needed
  const steps = await resolveScopes(cluster, run.declared);
  const inventories = await readInventories(run, store);
  const wanted = new Map<string, ObjectIdentity>([
    ...inventories.flatMap(({ whole }) => [...whole.entries].map(([key, entry]) => [key, entry] as const)),
    ...steps.map(({ key, intent }) => [key, intent] as const),
  ]);
  const salt = randomBytes(24);
  const collector = new SnapshotCollector(cluster, salt);
  await collector.read([...wanted.values()], options.concurrency ?? defaultConcurrency);
  const shards = inventories.flatMap(({ current, former }) => [current, ...former]).flatMap((inventory) => inventory.shards);
  // Items of a list do not say what they are.
  for (const { object } of shards) collector.add({ ...object, apiVersion: 'v1', kind: 'ConfigMap' });
  const { server, defaultNamespace } = cluster;
  return {
    fieldwise: 1,
    kind: 'snapshot',
    app,
    instance,
    server,
    version: await cluster.version(),
    defaultNamespace,
    inventoryNamespace,
    salt: salt.toString('base64'),
    known: [...wanted.keys()],
    objects: collector.objects,
  };
}

/** Gathers objects, their definitions and their namespaces, each once. */
class SnapshotCollector {
  readonly #cluster: ClusterClient;
  readonly #salt: Buffer;
  readonly #objects = new Map<string, JsonObject>();

  constructor(cluster: ClusterClient, salt: Buffer) {
    this.#cluster = cluster;
    this.#salt = salt;
  }

  get objects(): readonly JsonObject[] {
    const all = [...this.#objects.values()];
    return [
      ...all.filter(({ kind }) => kind === customResourceDefinitions.kind),
      ...all.filter(({ kind }) => kind !== customResourceDefinitions.kind),
    ];
  }

  add(object: JsonObject): void {
    const { apiVersion, kind } = object as PartialObject;
    const { namespace, name } = object.metadata as unknown as ObjectIdentity;
    this.#objects.set(identityKey({ apiVersion, kind, name, namespace }), withoutSecrets(object, this.#salt));
  }

  async read(wanted: readonly ObjectIdentity[], concurrency: number): Promise<void> {
    const found = await Promise.all(wanted.map((identity) => addressInAnyVersion(this.#cluster, identity)));
    const addresses = found.filter((address) => address !== undefined);
    const live = new LiveObjects(this.#cluster, addresses);
    const kinds = new Map(addresses.map(({ resource }) => [`${resource.apiVersion} ${resource.kind}`, resource]));
    const namespaceNames = new Set(addresses.flatMap(({ namespace }) => namespace ?? []));
    await forEachConcurrent([...kinds.values()], concurrency, (resource) => this.#addCrd(resource));
    await forEachConcurrent([...namespaceNames], concurrency, (name) => this.#addNamespace(name));
    await forEachConcurrent(addresses, concurrency, async (address) => {
      const object = await live.find(address);
      if (object) this.add(object);
    });
  }

  /** The definition of a custom kind, or what the server publishes in its place. */
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

  /** Null where it does not exist, undefined where these credentials may not read it. */
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
 * Plans without a cluster, on the state of a snapshot and by the schemas in it.
 *
 * @param start starts the engine that judges by the schema.
 * @throws FieldwiseError `snapshot-invalid` where it was taken of another app or instance, and those of `plan`.
 */
export async function planOffline(
  written: Assembly,
  snapshot: Snapshot,
  start: StartSimulation,
  options: Omit<PlannerOptions, 'simulate' | 'readOnly' | 'known' | 'save'>,
  host: (event: PlanEvent) => void,
): Promise<PlanSummary> {
  const { app, instance } = written.manifest;
  if (snapshot.app !== app || snapshot.instance !== instance)
    throw snapshotInvalidError(`it was taken for ${snapshot.app} (${snapshot.instance})`);
  const resolved = resolveReferences(written, selectStacks(written, options.stacks), options.references);
  const key = Buffer.from(snapshot.salt, 'base64');
  const assembly = { ...resolved, objects: resolved.objects.map((objects) => objects.map((object) => withoutSecrets(object, key))) };
  const saved = await start(snapshot.version);
  for (const object of snapshot.objects) saved.load(object);
  const { inventoryNamespace } = snapshot;
  const offline = { readOnly: true, known: new Set(snapshot.known), simulate: () => start(snapshot.version), inventoryNamespace };
  return plan(assembly, saved.cluster, { ...options, ...offline }, host);
}

function withoutSecrets<T extends JsonObject>(object: T, salt: Buffer): T {
  if (!isSecret(object)) return object;
  const seal = (bytes: Buffer) => createHmac('sha256', salt).update(bytes).digest('base64');
  const sealed = (members: Json | undefined, read: (text: string) => Buffer) =>
    isJsonObject(members) ? Object.fromEntries(Object.entries(members).map(([name, value]) => [name, seal(read(String(value)))])) : members;
  const { data, stringData, metadata, ...rest } = object as JsonObject;
  return {
    ...rest,
    metadata: withoutLastApplied(metadata),
    ...(data === undefined ? {} : { data: sealed(data, (text) => Buffer.from(text, 'base64')) }),
    ...(stringData === undefined ? {} : { stringData: sealed(stringData, (text) => Buffer.from(text, 'utf8')) }),
  } as unknown as T;
}

/** kubectl writes the whole Secret into an annotation. */
function withoutLastApplied(metadata: Json | undefined): Json | undefined {
  const name = 'kubectl.kubernetes.io/last-applied-configuration';
  if (!isJsonObject(metadata) || !isJsonObject(metadata.annotations) || metadata.annotations[name] === undefined) return metadata;
  return { ...metadata, annotations: { ...metadata.annotations, [name]: '' } };
}

/**
 * Reads a snapshot.
 *
 * @throws FieldwiseError `snapshot-invalid` (usage).
 */
export function parseSnapshot(text: string, file: string): Snapshot {
  let issue = 'it is no snapshot of this version of Fieldwise';
  try {
    const value: unknown = parseExactJson(text);
    if (isSnapshot(value)) return value;
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
  if (!isJsonObject(value) || value.fieldwise !== 1 || value.kind !== 'snapshot') return false;
  const texts = ['app', 'instance', 'server', 'version', 'defaultNamespace', 'inventoryNamespace', 'salt'];
  const named = (object: Json) => isJsonObject(object) && isJsonObject(object.metadata) && typeof object.metadata.name === 'string';
  return (
    texts.every((name) => typeof value[name] === 'string') &&
    Array.isArray(value.known) &&
    Array.isArray(value.objects) &&
    (value.objects as readonly Json[]).every(named)
  );
}
