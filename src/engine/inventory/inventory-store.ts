import { identityKey } from '../../assembly/identity.js';
import { inputKey, type ProgramInput, parseInputKey } from '../../assembly/program-input.js';
import { metadataOf, nameOf, preconditionsOf } from '../../fields/object.js';
import { ApiError, admissionDenialOf, type ClusterClient, isNotFound, type ObjectAddress, type Resource } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { quote } from '../../util/quote.js';
import { explain } from '../report/explain.js';
import { lacksRight } from '../report/forbidden.js';
import type { RunDiagnostic } from '../report/run-diagnostic.js';
import { removeDigestKey } from './digest-key.js';
import { type HistoryVouch, readVouch, writeVouch } from './history-vouch.js';
import { damaged, type InventoryEntry, readEntry } from './inventory-entry.js';
import { defaultInventoryNamespace, inNamespace } from './namespace.js';
import { lastWriteOf } from './pending-proof.js';
import { inKnownScope } from './pending-scope.js';
import type { EarlierRuns, LastRun } from './pending-window.js';
import { formatError, formatText } from './record-format.js';
import { missingRecordRights, missingRightsText } from './record-rights.js';
import { hasShardData, isEditedShard, readShardLines, type ShardData, shardDataOf, shardDigest } from './shard-data.js';
import { splitIntoShards } from './split-into-shards.js';
import {
  instanceLabel,
  inventoryLabel,
  labelOf,
  labelOfInstance,
  programAnnotation,
  type StackIdentity,
  type StackQuery,
  shardIndex,
  shardName,
  stackAnnotation,
  stackByName,
  stackOfShard,
} from './stack-identity.js';

export { type StackIdentity, shardName } from './stack-identity.js';

/** The content of the first ConfigMap of an inventory beside the entries. */
export interface InventoryNotes {
  /** The inputs that the program of the last deploy had read, without values; absent if there were none, or an earlier version wrote it. */
  readonly inputs?: readonly ProgramInput[] | undefined;
  /** The history of the stack; absent if there is none, or an earlier version wrote the inventory. */
  readonly history?: HistoryVouch | undefined;
  /** The id of the program that deploys the stack; absent if it has none, or an earlier version wrote the inventory. */
  readonly id?: string | undefined;
}

/** The inventory of one stack as it is stored in the cluster. */
export interface Inventory extends InventoryNotes {
  readonly stack: StackIdentity;
  /** By identity key. */
  readonly entries: ReadonlyMap<string, InventoryEntry>;
  readonly shards: readonly Shard[];
  /** The reason why a part of it could not be read, if so; see `requireWhole`. */
  readonly readError?: FieldwiseError;
}

/** One ConfigMap of an inventory; an entry stays in its first shard unless that grows too large. */
export interface Shard {
  readonly name: string;
  readonly object: JsonObject;
  readonly keys: ReadonlySet<string>;
}

const inventoryManager = 'fieldwise-inventory';
export const configMaps: Resource = { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true };
/** A shard may be almost a MiB large. */
const shardsPerPage = 24;

/** The content of a ConfigMap of an inventory. */
interface ShardContent {
  readonly data: ShardData;
  readonly texts: NoteTexts;
  readonly id: string | undefined;
  /** The inventory has entries, be it in another shard. */
  readonly hasEntries: boolean;
}

const unknownRuns: EarlierRuns = { lastRunOf: () => undefined, outwait: async () => false };

/** The inventories of stacks: ConfigMaps of one namespace, written with optimistic locking. */
export class InventoryStore {
  readonly #cluster: ClusterClient;
  readonly #namespace: string;
  readonly #onWarning: (warning: RunDiagnostic) => void;
  readonly #earlierRuns: EarlierRuns;
  /** The managers of stacks whose inventories could not be written. */
  readonly #behind = new Set<string>();
  /** By manager: whether the stack has an inventory, as this store last read or wrote it. */
  readonly #recorded = new Map<string, boolean>();
  #hasReadAll = false;

  /**
   * @param onWarning receives a warning for each ConfigMap that has the label of an inventory but is not one.
   */
  constructor(
    cluster: ClusterClient,
    namespace = defaultInventoryNamespace,
    onWarning: (warning: RunDiagnostic) => void = () => {},
    earlierRuns: EarlierRuns = unknownRuns,
  ) {
    this.#cluster = cluster;
    this.#namespace = namespace;
    this.#onWarning = onWarning;
    this.#earlierRuns = earlierRuns;
  }

  /**
   * Reads all inventories of the cluster, or that of one stack. A ConfigMap that has the label of an inventory but is not one is left out,
   * with a warning.
   *
   * @param expected stacks whose inventories are damaged, not left out, where only their data names another stack.
   */
  async read(
    query?: StackQuery,
    expected: readonly StackIdentity[] = query && 'stack' in query ? [query] : [],
  ): Promise<readonly Inventory[]> {
    const labelSelector = query === undefined ? inventoryLabel : `${inventoryLabel}=${labelOf(query.manager)}`;
    const scope = { namespace: this.#namespace, labelSelector, pageSize: shardsPerPage };
    const objects = await this.#guard('list', () => this.#cluster.list(configMaps, scope));
    const byManager = new Map<string, { readonly stack: StackIdentity; readonly objects: JsonObject[] }>();
    const foreign: JsonObject[] = [];
    for (const object of objects) {
      const stack = stackOfShard(object, query) ?? stackByName(object, expected);
      if (stack === undefined) {
        foreign.push(object);
        continue;
      }
      const found = byManager.get(stack.manager) ?? { stack, objects: [] };
      byManager.set(stack.manager, found);
      found.objects.push(object);
    }
    const unseen = [...byManager.values()].flatMap(({ stack }) => (this.#recorded.get(stack.manager) === true ? [] : [stack]));
    if (await this.#earlierRuns.outwait(unseen)) return this.read(query, expected);
    for (const object of foreign) this.#onWarning(foreignWarning(`${this.#namespace}/${nameOf(object)}`));
    const inventories = await Promise.all(
      [...byManager.values()].map(async (found) => {
        const inventory = this.#inventoryOf(found.stack, found.objects);
        return { ...inventory, entries: await inKnownScope(this.#cluster, inventory.entries) };
      }),
    );
    if (query === undefined) this.#hasReadAll = true;
    else this.#recorded.set(query.manager, false);
    for (const manager of byManager.keys()) this.#recorded.set(manager, true);
    return inventories.sort((left, right) => (left.stack.manager < right.stack.manager ? -1 : 1));
  }

  /** Returns true if a stack has an inventory, as this store last read or wrote it; undefined if it has done neither. */
  hasInventory({ manager }: StackIdentity): boolean | undefined {
    return this.#recorded.get(manager) ?? (this.#hasReadAll ? false : undefined);
  }

  /** Returns true if an inventory could not be written: it does not have all that was applied. */
  isBehind({ manager }: StackIdentity): boolean {
    return this.#behind.has(manager);
  }

  /**
   * Reads the inventory of one stack; empty where it has none yet.
   *
   * @throws FieldwiseError `inventory-damaged`
   */
  async readStack(stack: StackIdentity): Promise<Inventory> {
    const [inventory] = await this.read(stack);
    return inventory === undefined ? { stack, entries: new Map(), shards: [] } : requireWhole(inventory);
  }

  /** Reads the shards in their order: if an entry is in two of them, the later one has the newer version. */
  #inventoryOf(stack: StackIdentity, objects: readonly JsonObject[]): Inventory {
    const entries = new Map<string, InventoryEntry>();
    const shards: Shard[] = [];
    let damage: FieldwiseError | undefined;
    const lastRun = this.#earlierRuns.lastRunOf(stack);
    const indexOf = (object: JsonObject) => shardIndex(stack, nameOf(object)) as number;
    for (const object of [...objects].sort((left, right) => indexOf(left) - indexOf(right))) {
      const keys = new Set<string>();
      try {
        if (stackOfShard(object, stack) === undefined) throw this.#misnamed(stack, object);
        const since = lastWriteOf(object);
        for (const [key, entry] of this.#readEntries(object)) {
          const isPending = entry.uid === undefined && since !== undefined;
          entries.set(key, lastRun === undefined && !isPending ? entry : { ...entry, ...timesOf(lastRun, isPending ? since : undefined) });
          keys.add(key);
        }
      } catch (error) {
        if (!(error instanceof FieldwiseError)) throw error;
        damage ??= error;
      }
      shards.push({ name: nameOf(object), object, keys });
    }
    const unknown = shards[0] && formatError(storedTexts(shards[0].object).format, stack, this.#textOf(shards[0].object));
    const readError = unknown ?? damage;
    return { stack, entries, shards, ...notesIn(shards[0]), ...(readError ? { readError } : {}) };
  }

  /**
   * Replaces the entries of a stack; creates the namespace first where it is missing. Writes nothing if nothing differs. A stack that has
   * nothing in the cluster and no history has no inventory either.
   *
   * @param notes what it has beside the entries; absent: as before.
   * @throws FieldwiseError `inventory-contended` where another run wrote meanwhile, `inventory-forbidden` without permission.
   */
  async write(
    inventory: Inventory,
    entries: ReadonlyMap<string, InventoryEntry>,
    { inputs, history, id }: InventoryNotes = inventory,
  ): Promise<Inventory> {
    const { stack } = inventory;
    if (entries.size === 0 && history === undefined) {
      await this.remove(inventory);
      return { stack, entries, shards: [] };
    }
    this.#recorded.set(stack.manager, true);
    if (entries === inventory.entries && inventory.shards.length > 0) return this.#writeNotes(inventory, { inputs, history, id });
    const stored = inventory.shards.map(({ name, keys }) => ({ index: shardIndex(stack, name) as number, keys }));
    const shards: Shard[] = [];
    // Later shards first: an entry that moves is written to its new shard before it is removed from its old one.
    for (const { index, keys, stored: data } of [...splitIntoShards(stored, entries)].reverse()) {
      const name = shardName(stack, index);
      const before = inventory.shards.find((shard) => shard.name === name);
      if (before !== undefined && keys.size === 0 && index > 0) {
        await this.#removeShard(stack, before);
        continue;
      }
      const texts = index > 0 ? {} : textsOf({ inputs, history });
      const isSame = before !== undefined && hasShardData(before.object, data) && jsonEqual(storedTexts(before.object), texts);
      const unchanged = isSame && programOf(before.object) === id && !isEditedShard(before.object);
      const object = unchanged
        ? before.object
        : await this.#writeShard(stack, name, { data, texts, id, hasEntries: entries.size > 0 }, before?.object);
      shards.unshift({ name, object, keys });
    }
    return { stack, entries, shards, ...presentNotes({ inputs, history, id }) };
  }

  /** Writes what an inventory has beside its entries, which are as they were: nothing is packed again. */
  async #writeNotes(inventory: Inventory, notes: InventoryNotes): Promise<Inventory> {
    const { stack, entries } = inventory;
    const shards: Shard[] = [];
    for (const shard of inventory.shards) {
      const texts = shardIndex(stack, shard.name) === 0 ? textsOf(notes) : {};
      const isSame = jsonEqual(storedTexts(shard.object), texts) && programOf(shard.object) === notes.id && !isEditedShard(shard.object);
      const content = { data: shardDataOf(shard.object), texts, id: notes.id, hasEntries: entries.size > 0 };
      shards.push(isSame ? shard : { ...shard, object: await this.#writeShard(stack, shard.name, content, shard.object) });
    }
    return { stack, entries, shards, ...presentNotes(notes) };
  }

  /** Deletes a stack's inventory, after its digest key, which no object needs any more; the namespace stays. */
  async remove(inventory: Inventory): Promise<void> {
    if (inventory.shards.length === 0) return;
    await removeDigestKey(this.#cluster, this.#namespace, inventory.stack.manager, this.#onWarning);
    for (const shard of inventory.shards) await this.#removeShard(inventory.stack, shard);
    this.#recorded.set(inventory.stack.manager, false);
  }

  async #removeShard(stack: StackIdentity, { name, object }: Pick<Shard, 'name' | 'object'>): Promise<void> {
    const { uid, resourceVersion } = preconditionsOf(object);
    try {
      const remove = () => this.#cluster.delete(this.#address(name), { uid, resourceVersion, propagationPolicy: 'Background' });
      await this.#guard('delete', remove, name);
    } catch (error) {
      if (isNotFound(error)) return;
      const late = error instanceof ApiError && error.code === 409 ? await this.#cluster.tryGet(this.#address(name)) : undefined;
      if (late === undefined || !this.#isOfRunBefore(stack, late)) throw error;
      await this.#removeShard(stack, { name, object: late });
    }
  }

  /**
   * Returns true if a record is that of a run which was cut off, and which the server has carried out late. Whoever has the lock now has looked
   * at all that it names: a run records an object before it creates it, and sends nothing after a record without an answer.
   */
  #isOfRunBefore(stack: StackIdentity, record: JsonObject): boolean {
    const { late } = this.#earlierRuns.lastRunOf(stack) ?? {};
    const writtenAt = lastWriteOf(record);
    return stackOfShard(record, stack) !== undefined && late !== undefined && writtenAt !== undefined && writtenAt <= late.untilOnServer;
  }

  #readEntries(object: JsonObject): readonly (readonly [key: string, entry: InventoryEntry])[] {
    const where = this.#textOf(object);
    return linesOf(object, where).map((line) => {
      const entry = readEntry(line, where);
      return [identityKey(entry), entry] as const;
    });
  }

  async #writeShard(
    stack: StackIdentity,
    name: string,
    { data: stored, texts, id, hasEntries }: ShardContent,
    before: JsonObject | undefined,
  ): Promise<JsonObject> {
    const body: JsonObject = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name,
        namespace: this.#namespace,
        labels: {
          [inventoryLabel]: labelOf(stack.manager),
          // A stack without objects is not left behind by anybody.
          ...(hasEntries ? { [instanceLabel]: labelOfInstance(stack.app, stack.instance) } : {}),
          'app.kubernetes.io/managed-by': 'fieldwise',
        },
        annotations: { [stackAnnotation]: stack.stack, ...(id === undefined ? {} : { [programAnnotation]: id }) },
        ...(before ? preconditionsOf(before) : {}),
      },
      ...stored,
      data: {
        ...namesOf(stack),
        ...texts,
        ...('data' in stored ? stored.data : {}),
        digest: shardDigest(stored),
      },
    };
    const wasBehind = this.#behind.has(stack.manager);
    try {
      const create = () => this.#cluster.createByName(this.#address(name), body, inventoryManager);
      const write = () =>
        before
          ? this.#cluster.replace(this.#address(name), body, inventoryManager)
          : inNamespace(this.#cluster, this.#namespace, inventoryManager, create);
      return await this.#guard('write', write, name);
    } catch (error) {
      this.#behind.add(stack.manager);
      if (isTooLarge(error))
        throw inventoryTooLargeError(stack, `${this.#namespace}/${name}`, Buffer.byteLength(JSON.stringify(body)), error);
      if (!(error instanceof ApiError) || (error.code !== 409 && !(before && error.code === 404))) throw error;
      const live = await this.#cluster.tryGet(this.#address(name));
      if (live && hasSameData(live, body)) {
        if (!wasBehind) this.#behind.delete(stack.manager);
        return live; // our own write, whose response was lost
      }
      if (live && this.#isOfRunBefore(stack, live)) {
        if (!wasBehind) this.#behind.delete(stack.manager);
        return this.#writeShard(stack, name, { data: stored, texts, id, hasEntries }, live);
      }
      throw new FieldwiseError('inventory-contended', 'resource', `Another run changed the inventory of stack ${stack.stack} meanwhile`, {
        location: { object: `ConfigMap ${this.#namespace}/${name}`, manager: stack.manager },
        next: 'Run again when the other run has ended: completed work is detected and skipped.',
        cause: error,
      });
    }
  }

  async #guard<T>(verb: 'list' | 'write' | 'delete', call: () => Promise<T>, name?: string): Promise<T> {
    try {
      return await call();
    } catch (error) {
      const denial = admissionDenialOf(error);
      if (denial !== undefined)
        throw new FieldwiseError('admission-denied', 'resource', explain(error).message, {
          location: { object: `Namespace ${this.#namespace}` },
          next: `It is an inventory of Fieldwise. Have the ${denial.by} ${denial.name} pass the ConfigMaps of namespace ${this.#namespace} with the label ${inventoryLabel} (docs/policies.md), or name another namespace with --inventory-namespace (library: \`inventoryNamespace\`).`,
          cause: error,
        });
      if (!(error instanceof ApiError) || !lacksRight(error)) throw error;
      const namespace = this.#namespace;
      // Whoever lists reads, and needs no other right.
      const missing = verb === 'list' ? '' : missingRightsText(await missingRecordRights(this.#cluster, namespace, name), namespace);
      throw new FieldwiseError(
        'inventory-forbidden',
        'resource',
        `These credentials may not ${verb} inventories: ${error.message}${missing}`,
        {
          location: { object: `Namespace ${this.#namespace}` },
          next: `\`fieldwise rbac\` prints the permissions: list of ConfigMaps in namespace ${this.#namespace}${verb === 'list' ? '' : ', and get, create, patch, update and delete by name'}. Or name another namespace with --inventory-namespace (library: \`inventoryNamespace\`).`,
          cause: error,
        },
      );
    }
  }

  /** Returns the error for a ConfigMap whose data names another stack than its name and its label. */
  #misnamed(stack: StackIdentity, object: JsonObject): FieldwiseError {
    const data = isJsonObject(object.data) ? object.data : {};
    const right = Object.fromEntries((['app', 'instance', 'stack', 'manager'] as const).map((key) => [key, stack[key]]));
    const wrong = Object.entries(right).filter(([key, value]) => data[key] !== value);
    const named = wrong.map(([key]) => `data.${key} is ${data[key] === undefined ? 'missing' : quote(String(data[key]))}`).join(', ');
    const patch = JSON.stringify({ data: Object.fromEntries(wrong) }).replaceAll("'", "'\\''");
    return damaged(
      this.#textOf(object),
      undefined,
      `another stack in its data than in its name: ${named}`,
      `If it is that of ${stack.manager}, write the stack into it: \`kubectl patch configmap ${nameOf(object)} -n ${this.#namespace} --type=merge -p '${patch}'\`. Else restore the ConfigMap from a backup.`,
    );
  }

  #textOf(object: JsonObject): string {
    return `ConfigMap ${this.#namespace}/${nameOf(object)}`;
  }

  #address(name: string): ObjectAddress {
    return { resource: configMaps, namespace: this.#namespace, name };
  }
}

/**
 * Refuses an inventory with an unreadable part: its entries would be forgotten.
 *
 * @throws FieldwiseError `inventory-damaged`
 */
export function requireWhole(inventory: Inventory): Inventory {
  if (inventory.readError !== undefined) throw inventory.readError;
  return inventory;
}

function namesOf({ app, instance, stack, manager }: StackIdentity): JsonObject {
  return { app, instance, stack, manager };
}

function foreignWarning(name: string): RunDiagnostic {
  return {
    event: 'warning',
    code: 'inventory-foreign',
    message: `ConfigMap ${name} has the label of an inventory and is ignored: its name, its label and the stack in its data do not match`,
    next: 'Find out who created it. If its name is that of a stack, `fieldwise status` in its program says how to repair it; else delete it. Write access to this namespace gives control over what stacks have applied: see docs/rbac.md.',
  };
}

function linesOf(object: JsonObject, where: string): readonly string[] {
  try {
    return readShardLines(object);
  } catch (cause) {
    throw damaged(where, cause, `entries that cannot be read: ${(cause as Error).message}`);
  }
}

function isTooLarge(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false;
  return error.code === 413 || /Too long: may not be more than|request is too large|Request entity too large/i.test(error.message);
}

function inventoryTooLargeError(stack: StackIdentity, name: string, bytes: number, cause: ApiError): FieldwiseError {
  return new FieldwiseError(
    'inventory-too-large',
    'resource',
    `The server does not accept an inventory of ${bytes} bytes for stack ${stack.stack}: ${cause.message}`,
    {
      location: { object: `ConfigMap ${name}`, manager: stack.manager },
      next: 'Raise the limit of the server or of the proxy in front of it, or split the stack; then run again: completed work is detected and skipped.',
      cause,
    },
  );
}

/** Returns true if a shard has the data that was to be written, whichever request wrote it. */
function hasSameData(live: JsonObject, body: JsonObject): boolean {
  return jsonEqual(live.data, body.data) && jsonEqual(live.binaryData, body.binaryData);
}

/** The notes of an inventory, as its first ConfigMap contains them. */
type NoteTexts = { readonly [Name in 'inputs' | 'history' | 'format']?: string };

function textsOf({ inputs, history }: InventoryNotes): NoteTexts {
  return {
    format: formatText,
    ...(inputs ? { inputs: JSON.stringify(inputs.map(inputKey)) } : {}),
    ...(history ? { history: writeVouch(history) } : {}),
  };
}

function storedTexts({ data }: JsonObject): NoteTexts {
  const { inputs, history, format } = isJsonObject(data) ? data : {};
  return {
    ...(typeof format === 'string' ? { format } : {}),
    ...(typeof inputs === 'string' ? { inputs } : {}),
    ...(typeof history === 'string' ? { history } : {}),
  };
}

/** Returns the notes of an inventory; without those that are not as this version writes them. */
function notesIn(shard: Shard | undefined): InventoryNotes {
  const texts = shard ? storedTexts(shard.object) : {};
  const keys = texts.inputs === undefined ? undefined : parsedList(texts.inputs);
  const inputs = keys?.flatMap((key) => parseInputKey(String(key)) ?? []);
  return presentNotes({ inputs, history: readVouch(texts.history), id: shard && programOf(shard.object) });
}

function presentNotes({ inputs, history, id }: InventoryNotes): InventoryNotes {
  return { ...(inputs ? { inputs } : {}), ...(history ? { history } : {}), ...(id === undefined ? {} : { id }) };
}

/** Returns the id of the program that wrote a ConfigMap of an inventory; undefined if it has none. */
export function programOf(object: JsonObject): string | undefined {
  const { annotations } = metadataOf(object);
  const id = isJsonObject(annotations) ? annotations[programAnnotation] : undefined;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

function parsedList(text: string): readonly Json[] | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return Array.isArray(value) ? (value as readonly Json[]) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns what a run before can have done to an object, or may still do.
 *
 * @param since when the entry was written, if it is pending.
 */
function timesOf(
  { until, wroteUntil, late }: Partial<LastRun> = {},
  since?: number,
): Pick<InventoryEntry, 'window' | 'earlierUntil' | 'lateUntil'> {
  return {
    ...(since === undefined ? {} : { window: { since, ...(until === undefined ? {} : { until }) } }),
    ...(wroteUntil === undefined ? {} : { earlierUntil: wroteUntil }),
    ...(late === undefined ? {} : { lateUntil: late.until }),
  };
}
