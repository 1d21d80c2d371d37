import { createHash } from 'node:crypto';
import { identityKey } from '../../assembly/identity.js';
import { ApiError, type Cluster, isNotFound, type ObjectAddress, type Resource } from '../../cluster/index.js';
import { FieldwiseError } from '../../util/error.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { defaultInventoryNamespace } from '../options.js';
import { type InventoryEntry, readEntry, writeEntry } from './entry.js';
import { inNamespace } from './namespace.js';

/** The stack that an inventory belongs to. */
export interface StackIdentity {
  readonly app: string;
  readonly instance: string;
  readonly stack: string;
  readonly manager: string;
}

/** What one stack has in the cluster, as its inventory says. */
export interface Inventory {
  readonly stack: StackIdentity;
  /** By identity key. */
  readonly entries: ReadonlyMap<string, InventoryEntry>;
  readonly shards: readonly Shard[];
}

/** One ConfigMap of an inventory; an entry stays in the shard where it first was. */
export interface Shard {
  readonly name: string;
  readonly object: JsonObject;
  readonly keys: ReadonlySet<string>;
}

const inventoryManager = 'fieldwise-inventory';
const inventoryLabel = 'fieldwise.dev/inventory';
export const entriesPerShard = 1_500; // about 450 KB of a ConfigMap's 1 MiB
const configMaps: Resource = { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true };

/** The inventories of stacks: ConfigMaps of one namespace, written with optimistic locking. */
export class InventoryStore {
  readonly #cluster: Cluster;
  readonly #namespace: string;

  constructor(cluster: Cluster, namespace = defaultInventoryNamespace) {
    this.#cluster = cluster;
    this.#namespace = namespace;
  }

  /** All inventories of the cluster, or those with one field manager. */
  async read(manager?: string): Promise<readonly Inventory[]> {
    const labelSelector = manager === undefined ? inventoryLabel : `${inventoryLabel}=${labelOf(manager)}`;
    const objects = await this.#guard('list', () => this.#cluster.list(configMaps, { namespace: this.#namespace, labelSelector }));
    const byManager = new Map<string, { stack: StackIdentity; entries: Map<string, InventoryEntry>; shards: Shard[] }>();
    for (const object of objects) {
      const { stack, entries } = this.#readShard(object);
      const inventory = byManager.get(stack.manager) ?? { stack, entries: new Map<string, InventoryEntry>(), shards: [] as Shard[] };
      byManager.set(stack.manager, inventory);
      for (const [key, entry] of entries) inventory.entries.set(key, entry);
      inventory.shards.push({ name: nameOf(object), object, keys: new Set(entries.keys()) });
    }
    return [...byManager.values()].sort((left, right) => (left.stack.manager < right.stack.manager ? -1 : 1));
  }

  /** The inventory of one stack; empty where it has none yet. */
  async readStack(stack: StackIdentity): Promise<Inventory> {
    const [inventory] = await this.read(stack.manager);
    return inventory ?? { stack, entries: new Map(), shards: [] };
  }

  /**
   * Replaces the entries of a stack; makes the namespace first where it is missing. Writes nothing where nothing differs.
   *
   * @throws FieldwiseError `inventory-contended` where another run wrote meanwhile, `inventory-forbidden` without permission.
   */
  async write(inventory: Inventory, entries: ReadonlyMap<string, InventoryEntry>): Promise<Inventory> {
    const contents = assignShards(inventory, entries);
    const shards: Shard[] = [];
    for (const [name, content] of contents) {
      const before = inventory.shards.find((shard) => shard.name === name);
      const text = [...content.values()].map(writeEntry).join('\n');
      const unchanged = before !== undefined && (before.object.data as JsonObject | undefined)?.entries === text;
      const object = unchanged ? before.object : await this.#writeShard(inventory.stack, name, text, before?.object);
      shards.push({ name, object, keys: new Set(content.keys()) });
    }
    return { stack: inventory.stack, entries, shards };
  }

  /** Removes a stack's inventory; the namespace stays. */
  async remove(inventory: Inventory): Promise<void> {
    for (const { name, object } of inventory.shards) {
      try {
        await this.#guard('delete', () =>
          this.#cluster.delete(this.#address(name), {
            uid: metadataOf(object).uid as string,
            resourceVersion: metadataOf(object).resourceVersion as string,
            propagationPolicy: 'Background',
          }),
        );
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
  }

  #readShard(object: JsonObject): { stack: StackIdentity; entries: Map<string, InventoryEntry> } {
    const where = `ConfigMap ${this.#namespace}/${nameOf(object)}`;
    const data = isJsonObject(object.data) ? object.data : {};
    const entries = new Map<string, InventoryEntry>();
    for (const line of String(data.entries ?? '').split('\n')) {
      if (line === '') continue;
      const entry = readEntry(line, where);
      entries.set(identityKey(entry), entry);
    }
    const stack = { app: data.app, instance: data.instance, stack: data.stack, manager: data.manager };
    if (
      Object.values(stack).some((value) => typeof value !== 'string') ||
      labelOf(stack.manager as string) !== labelsOf(object)[inventoryLabel]
    ) {
      throw new FieldwiseError('inventory-damaged', 'resource', 'An inventory does not name its stack', {
        place: { object: where },
        next: 'Nothing was changed. Restore the ConfigMap from a backup.',
      });
    }
    return { stack: stack as unknown as StackIdentity, entries };
  }

  async #writeShard(stack: StackIdentity, name: string, entries: string, before: JsonObject | undefined): Promise<JsonObject> {
    const body: JsonObject = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name,
        namespace: this.#namespace,
        labels: { [inventoryLabel]: labelOf(stack.manager), 'app.kubernetes.io/managed-by': 'fieldwise' },
        ...(before ? { uid: metadataOf(before).uid, resourceVersion: metadataOf(before).resourceVersion } : {}),
      },
      data: { app: stack.app, instance: stack.instance, stack: stack.stack, manager: stack.manager, entries },
    };
    try {
      return await this.#guard('write', () =>
        before
          ? this.#cluster.replace(this.#address(name), body, inventoryManager)
          : inNamespace(this.#cluster, this.#namespace, inventoryManager, () =>
              this.#cluster.create(configMaps, this.#namespace, body, inventoryManager),
            ),
      );
    } catch (error) {
      if (!(error instanceof ApiError) || (error.code !== 409 && !(before && error.code === 404))) throw error;
      const live = await this.#cluster.find(this.#address(name));
      if (live && holdsSame(live, body)) return live; // our own write, whose answer was lost
      throw new FieldwiseError('inventory-contended', 'resource', `Another run changed the inventory of stack ${stack.stack} meanwhile`, {
        place: { object: `ConfigMap ${this.#namespace}/${name}`, manager: stack.manager },
        next: 'Run again when the other run has ended: what is done already is found unchanged.',
        cause: error,
      });
    }
  }

  async #guard<T>(verb: 'list' | 'write' | 'delete', call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 403) throw error;
      throw new FieldwiseError('inventory-forbidden', 'resource', `These credentials may not ${verb} inventories: ${error.message}`, {
        place: { object: `Namespace ${this.#namespace}` },
        next: `Grant get, list, create, update and delete of ConfigMaps in namespace ${this.#namespace}, or name another with --inventory-namespace.`,
        cause: error,
      });
    }
  }

  #address(name: string): ObjectAddress {
    return { resource: configMaps, namespace: this.#namespace, name };
  }
}

/** Entries by shard name: known entries stay where they are, new ones fill up the last shard. */
function assignShards(inventory: Inventory, entries: ReadonlyMap<string, InventoryEntry>): Map<string, Map<string, InventoryEntry>> {
  const contents = new Map<string, Map<string, InventoryEntry>>(inventory.shards.map((shard) => [shard.name, new Map()]));
  const shardOf = new Map(inventory.shards.flatMap((shard) => [...shard.keys].map((key) => [key, shard.name] as const)));
  const added: [string, InventoryEntry][] = [];
  for (const [key, entry] of entries) {
    const shard = shardOf.get(key);
    if (shard === undefined) added.push([key, entry]);
    else contents.get(shard)?.set(key, entry);
  }
  for (const [key, entry] of added) {
    let room = [...contents.values()].find((content) => content.size < entriesPerShard);
    if (!room) {
      room = new Map();
      contents.set(shardName(inventory.stack, contents.size), room);
    }
    room.set(key, entry);
  }
  return contents;
}

/** A readable, valid and unique name for a ConfigMap of an inventory; that of the first is also the name of the stack's Lease. */
export function shardName(stack: StackIdentity, index: number): string {
  const readable = [stack.app, stack.instance, stack.stack]
    .join('.')
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/[-.]+/g, (run) => (run.includes('.') ? '.' : run))
    .replace(/^[-.]+|(?<![-.])[-.]+$/g, '')
    .slice(0, 150)
    .replace(/(?<![-.])[-.]+$/, '');
  return [readable || 'stack', labelOf(stack.manager).slice(0, 10), ...(index > 0 ? [String(index)] : [])].join('.');
}

/** Whether a shard holds what was to be written, of whichever answer that was. */
function holdsSame(live: JsonObject, body: JsonObject): boolean {
  const [is, wanted] = [live.data, body.data].map((data) => (isJsonObject(data) ? data : {})) as [JsonObject, JsonObject];
  return Object.keys(is).length === Object.keys(wanted).length && Object.entries(wanted).every(([key, value]) => is[key] === value);
}

/** A label value that stands for a field manager. */
function labelOf(manager: string): string {
  return createHash('sha256').update(manager).digest('hex').slice(0, 40);
}

function metadataOf(object: JsonObject): JsonObject {
  return isJsonObject(object.metadata) ? object.metadata : {};
}

function labelsOf(object: JsonObject): JsonObject {
  const labels: Json | undefined = metadataOf(object).labels;
  return isJsonObject(labels) ? labels : {};
}

function nameOf(object: JsonObject): string {
  return String(metadataOf(object).name);
}
