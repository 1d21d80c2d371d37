import type { DeletePropagation, Lifecycle } from '../../assembly/policy-vocabulary.js';
import type { IntentPolicy } from '../../assembly/types.js';
import { FieldwiseError } from '../../util/error.js';
import { isJsonObject, type Json, jsonEqual } from '../../util/json.js';
import { type Contention, readContention } from '../report/contention.js';
import { type PendingForce, readPendingForces } from './pending-force.js';
import type { PendingWindow } from './pending-window.js';

/** The record of one object that a stack has applied, or is about to apply. */
export interface InventoryEntry {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly lifecycle: Lifecycle;
  /** Absent while pending: written before the first apply, whose response has the uid. */
  readonly uid?: string;
  /** `own` only: this stack created or adopted the object; otherwise it is released, never deleted. */
  readonly deletable: boolean;
  readonly deletePropagation: DeletePropagation;
  /** `own` only: when the intent is dropped, the object stays as it is and is forgotten. */
  readonly retain?: true;
  /** The policy of its last intent for releases that change values; absent: they are only reported. */
  readonly releases?: 'ask' | 'fail';
  /** resourceVersion after our last apply: an equal one later proves that nothing was written since. */
  readonly resourceVersion?: string;
  /** `time` of our managedFields entry after our last apply; another one later proves that our apply changed something. */
  readonly appliedAt?: string;
  /** `time` of the entry of `before-first-apply` that our first apply found: its fields existed before, and nobody wiped their owners. */
  readonly initialEntryTime?: string;
  /** The schema that the kind had at our last apply, where `reconcile: changed` asked; see `SchemaFingerprints`. */
  readonly schema?: string;
  /** Proves that applying the intent again changes nothing, as long as it is equal; see `noopFingerprintOf`. */
  readonly noopFingerprint?: string;
  /** The digest of the intent that was applied last, or was about to be. */
  readonly intent?: string;
  /**
   * While pending: digests of the intent that its object shows; see `pendingMark`. Also as long as the creation of a run before, which was cut off, may
   * still arrive.
   */
  readonly pendingMark?: string;
  /** While pending: the uid of an object that was there before the stack applied to it: its run was about to take fields of it by force. */
  readonly foundUid?: string;
  /** While pending only, and never written: when the run that wrote it can have created its object. */
  readonly window?: PendingWindow;
  /** Never written: the program of a destroy declares the object with `deleteShared: true`. */
  readonly deleteShared?: true;
  /** Never written: until when earlier runs may have applied the intent, recorded or not. By the clock of the server, in milliseconds since 1970. */
  readonly earlierUntil?: number;
  /** Never written: until when the server may carry out what runs before have sent that were cut off, by the monotonic clock of this machine. */
  readonly lateUntil?: number;
  /**
   * List items and map entries that it owns, and lists and maps of a custom resource that it owns as one value, as path texts; absent where
   * that is unknown, or where the next run is to read the object first.
   */
  readonly items?: readonly string[];
  /** Without `items` only: the recorded intent was applied nevertheless. Else its apply was not answered, or never sent. */
  readonly applied?: true;
  /**
   * The undeclared fields that it owned when the pending intent was recorded; absent where no policy looks at releases, and once the intent
   * has been applied. Any other undeclared field that it owns was claimed for the intent; see `applyWithUnionClaims`.
   */
  readonly pendingReleases?: readonly string[];
  /** The passes that were about to take fields by force; absent once a run has reported what became of them. */
  readonly pendingForces?: readonly PendingForce[];
  /** `metadata.generation` after our last apply. */
  readonly generation?: number;
  /** Fields taken by force at our last apply, with how often in a row. */
  readonly contention?: readonly Contention[];
  /** The policy for conflicts, where it does not force every field. */
  readonly conflicts?: ConflictPolicies;
  /** The object has, or may have, the recorded intent of the strategy `dynamic`. */
  readonly strategy?: 'dynamic';
  /** The wave of the whole program in which it was applied, or was about to be; removals go in reverse order. */
  readonly wave?: number;
  /** Keys of the objects of its stack that it was declared to depend on; absent where unknown. */
  readonly dependencies?: readonly string[];
}

/** Returns true if two entries would be written alike, without writing them. */
export function isSameEntry(left: InventoryEntry, right: InventoryEntry): boolean {
  return jsonEqual(left as unknown as Json, right as unknown as Json);
}

/**
 * Writes one line of an inventory: the same text for the same entry, wherever it comes from, so that an unchanged inventory is not written.
 */
export function writeEntry(entry: InventoryEntry): string {
  const line: Record<keyof InventoryEntry, unknown> = {
    apiVersion: entry.apiVersion,
    kind: entry.kind,
    namespace: entry.namespace,
    name: entry.name,
    lifecycle: entry.lifecycle,
    uid: entry.uid,
    deletable: entry.deletable,
    deletePropagation: entry.deletePropagation,
    retain: entry.retain,
    releases: entry.releases,
    intent: entry.intent,
    pendingMark: entry.uid === undefined || entry.lateUntil !== undefined ? entry.pendingMark : undefined,
    foundUid: entry.uid === undefined ? entry.foundUid : undefined,
    window: undefined,
    deleteShared: undefined,
    earlierUntil: undefined,
    lateUntil: undefined,
    items: entry.items && writeItems(entry.items),
    applied: entry.applied,
    pendingReleases: entry.pendingReleases && writeItems(entry.pendingReleases),
    pendingForces: entry.pendingForces,
    resourceVersion: entry.resourceVersion,
    appliedAt: entry.appliedAt,
    initialEntryTime: entry.initialEntryTime,
    schema: entry.schema,
    noopFingerprint: entry.noopFingerprint,
    generation: entry.generation,
    contention: entry.contention,
    conflicts: entry.conflicts,
    strategy: entry.strategy,
    wave: entry.wave,
    dependencies: entry.dependencies,
  };
  return JSON.stringify(line);
}

/** Returns an entry without its list items, which keeps whether its intent was applied. */
export function withoutItems({ items, ...entry }: InventoryEntry): InventoryEntry {
  return items === undefined || entry.uid === undefined ? entry : { ...entry, applied: true };
}

/** Reads one line of an inventory. */
// Longer than 60 lines because most of them assign one member each.
export function readEntry(line: string, where: string): InventoryEntry {
  let value: Json;
  try {
    value = JSON.parse(line) as Json;
  } catch (cause) {
    throw damaged(where, cause);
  }
  if (!isJsonObject(value)) throw damaged(where);
  const { apiVersion, kind, namespace, name, lifecycle, uid, deletable, deletePropagation, pendingForces, applied, wave } = value;
  const {
    resourceVersion,
    appliedAt,
    initialEntryTime,
    schema,
    noopFingerprint,
    generation,
    retain,
    releases,
    intent,
    pendingMark,
    foundUid,
    items,
    pendingReleases,
    contention,
    conflicts,
    strategy,
    dependencies,
  } = value;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof name !== 'string') throw damaged(where);
  if (lifecycle !== 'own' && lifecycle !== 'share') throw damaged(where);
  if (!isPathSegment(name) || (typeof namespace === 'string' && !isPathSegment(namespace))) throw damaged(where, undefined, noSuchName);
  const entry: { -readonly [Key in keyof InventoryEntry]: InventoryEntry[Key] } = {
    apiVersion,
    kind,
    name,
    lifecycle,
    deletable: deletable === true,
    deletePropagation: deletePropagation === 'Foreground' || deletePropagation === 'Orphan' ? deletePropagation : 'Background',
  };
  // Assigned one by one: thousands of entries are read at the start of every run.
  if (typeof namespace === 'string') entry.namespace = namespace;
  if (retain === true) entry.retain = retain;
  if (releases === 'ask' || releases === 'fail') entry.releases = releases;
  if (typeof uid === 'string') entry.uid = uid;
  if (typeof resourceVersion === 'string') entry.resourceVersion = resourceVersion;
  if (typeof appliedAt === 'string') entry.appliedAt = appliedAt;
  if (typeof initialEntryTime === 'string') entry.initialEntryTime = initialEntryTime;
  if (typeof schema === 'string') entry.schema = schema;
  if (typeof noopFingerprint === 'string') entry.noopFingerprint = noopFingerprint;
  if (typeof generation === 'number') entry.generation = generation;
  if (typeof intent === 'string') entry.intent = intent;
  if (typeof pendingMark === 'string') entry.pendingMark = pendingMark;
  if (typeof foundUid === 'string') entry.foundUid = foundUid;
  if (contention !== undefined) entry.contention = readContention(contention);
  if (isJsonObject(conflicts) && isJsonObject(conflicts.fields)) entry.conflicts = conflicts as unknown as ConflictPolicies;
  if (strategy === 'dynamic') entry.strategy = strategy;
  if (typeof wave === 'number') entry.wave = wave;
  if (applied === true) entry.applied = applied;
  if (Array.isArray(items)) entry.items = readItems(items as readonly Json[]);
  if (Array.isArray(pendingReleases)) entry.pendingReleases = readItems(pendingReleases as readonly Json[]);
  if (pendingForces !== undefined) entry.pendingForces = readPendingForces(pendingForces);
  if (Array.isArray(dependencies)) entry.dependencies = dependencies.map(String);
  return entry;
}

/**
 * Writes each path as the number of characters that it shares with the one before it, and the rest. Forty environment variables of a
 * container take a sixth of their plain size.
 */
function writeItems(items: readonly string[]): readonly Json[] {
  return items.map((item, index) => {
    const before = items[index - 1] ?? '';
    let shared = 0;
    while (shared < before.length && before[shared] === item[shared]) shared += 1;
    return shared > 8 ? [shared, item.slice(shared)] : item;
  });
}

/** Reads paths. Inventories of earlier versions contain whole paths. */
function readItems(written: readonly Json[]): readonly string[] {
  let before = '';
  return written.map((item) => {
    const [shared, rest] = Array.isArray(item) ? (item as readonly Json[]) : [0, item];
    before = before.slice(0, Number(shared)) + String(rest);
    return before;
  });
}

/** Returns the error for a ConfigMap of an inventory that cannot be read. */
export function damaged(
  where: string,
  cause?: unknown,
  what = 'an unreadable entry',
  next = 'Repair the entry or restore the ConfigMap from a backup.',
): FieldwiseError {
  return new FieldwiseError('inventory-damaged', 'resource', `The inventory in ${where} has ${what}`, {
    location: { object: where },
    next: `Nothing was changed. ${next}`,
    cause,
  });
}

/** Returns true for a name that an object can have: a server refuses others in its paths. Source: observed. */
function isPathSegment(name: string): boolean {
  return name !== '.' && name !== '..' && !/[/%]/.test(name);
}

const noSuchName = 'an entry with a name that no object can have';

/** The part of an intent's policy that is about conflicts. */
export type ConflictPolicies = Pick<IntentPolicy, 'conflicts' | 'fields'>;
