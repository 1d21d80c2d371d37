import { groupOf } from '../../assembly/identity.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { isCrd } from '../addresses/wait-for-established.js';
import type { InventoryEntry } from '../inventory/inventory-entry.js';
import type { StackIdentity } from '../inventory/inventory-store.js';

/** An object of a run that is not deleted yet. */
export interface PendingDeletion {
  readonly candidate: RemovalCandidate;
  /** The object as it was when its deletion began; absent where it was not deleted at all. */
  readonly live: JsonObject | undefined;
  /** Its removal was refused, so that its needs are unknown. */
  readonly refused: boolean;
}

/** Kinds that run programs, which may need anything of their stack: rights, settings, Services. */
const workloadKinds: ReadonlySet<string> = new Set([
  ...['/Pod', '/ReplicationController', 'apps/Deployment', 'apps/StatefulSet', 'apps/DaemonSet', 'apps/ReplicaSet'],
  ...['batch/Job', 'batch/CronJob'],
]);

/** Finalizers of Kubernetes itself: their controllers belong to no stack. Source: the API reference of the kinds that have them. */
const builtInFinalizers: ReadonlySet<string> = new Set([
  ...['foregroundDeletion', 'orphan', 'kubernetes'],
  ...['kubernetes.io/pvc-protection', 'kubernetes.io/pv-protection', 'kubernetes.io/pv-controller'],
  ...['batch.kubernetes.io/job-tracking', 'service.kubernetes.io/load-balancer-cleanup', 'resource.kubernetes.io/delete-protection'],
]);

/**
 * Returns true if an object that is not deleted yet may need another one of the run. It always needs its Namespace and the
 * CustomResourceDefinition of its kind. In its own stack, it also needs its declared dependencies and the objects that its content names;
 * and everything that was applied before it if a program may have to finish something: it is one, it depends on one, or nothing is known of
 * it.
 *
 * @param entries the known objects of the run, by stack and key.
 */
export function mayNeed({ candidate: pending, live, refused }: PendingDeletion, item: RemovalCandidate, entries: EntryIndex): boolean {
  if (containersOf(pending.entry).includes(asContainer(item.entry) ?? '')) return true;
  if (pending.stack.manager !== item.stack.manager) return false;
  const needed = transitiveDependencies(pending, entries);
  if (needed === undefined || refused) return true;
  if (needed.has(item.key)) return true;
  if (live !== undefined && finalizersOnlyOfKubernetes(live) && !runsProgram(pending)) return false;
  const chain = [pending, ...[...needed].flatMap((key) => entries.get(entryKey(pending.stack.manager, key)) ?? [])];
  if (chain.some(runsProgram)) return true;
  return live !== undefined && isNamed(item, pending, live);
}

/** Splits items into contents and containers: a Namespace or a CustomResourceDefinition stays as long as any of its contents does. */
export function containersLast<Item extends { readonly entry: InventoryEntry }>(items: readonly Item[]): readonly (readonly Item[])[] {
  const isContainer = ({ entry }: Item) => asContainer(entry) !== undefined;
  return [items.filter((item) => !isContainer(item)), items.filter(isContainer)];
}

/** The objects of a run by `entryKey`. */
export type EntryIndex = ReadonlyMap<string, RemovalCandidate>;

/** Indexes removal candidates by stack and key. */
export function indexOf(items: readonly RemovalCandidate[]): EntryIndex {
  return new Map(items.map((item) => [entryKey(item.stack.manager, item.key), item]));
}

/** Returns the containers of an object; of its kind's definition only the group is known. */
export function containersOf({ apiVersion, namespace }: RemovalCandidate['entry']): readonly string[] {
  return [...(namespace === undefined ? [] : [`Namespace ${namespace}`]), `group ${groupOf(apiVersion)}`];
}

/** Returns an object's text as a container, in the form of `containersOf`; undefined for other kinds. */
export function asContainer(entry: RemovalCandidate['entry']): string | undefined {
  if (entry.kind === 'Namespace' && entry.apiVersion === 'v1') return `Namespace ${entry.name}`;
  return isCrd(entry) ? `group ${entry.name.slice(entry.name.indexOf('.') + 1)}` : undefined;
}

/** Returns the keys of all direct and indirect declared dependencies; undefined where an inventory does not record them. */
function transitiveDependencies(pending: RemovalCandidate, entries: EntryIndex): ReadonlySet<string> | undefined {
  const found = new Set<string>();
  const open = [pending];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { dependencies } = next.entry;
    if (dependencies === undefined) return undefined;
    for (const key of dependencies) {
      if (found.has(key)) continue;
      found.add(key);
      const entry = entries.get(entryKey(pending.stack.manager, key));
      if (entry) open.push(entry);
    }
  }
  return found;
}

function runsProgram({ entry }: RemovalCandidate): boolean {
  return workloadKinds.has(`${groupOf(entry.apiVersion)}/${entry.kind}`);
}

function finalizersOnlyOfKubernetes({ metadata }: JsonObject): boolean {
  const finalizers = isJsonObject(metadata) && Array.isArray(metadata.finalizers) ? metadata.finalizers : [];
  return finalizers.length > 0 && finalizers.every((name) => builtInFinalizers.has(String(name)));
}

/** Returns true if the content of an object has the name of another as a value, so that the one may refer to the other. */
function isNamed({ entry }: RemovalCandidate, pending: RemovalCandidate, live: JsonObject): boolean {
  if (entry.namespace !== undefined && entry.namespace !== pending.entry.namespace) return false;
  const { metadata: _, apiVersion: __, kind: ___, status: ____, ...content } = live;
  return hasText(content, entry.name);
}

function hasText(value: Json, text: string): boolean {
  if (typeof value === 'string') return value === text;
  if (Array.isArray(value)) return (value as readonly Json[]).some((item) => hasText(item, text));
  return isJsonObject(value) && Object.values(value).some((member) => member !== undefined && hasText(member, text));
}

function entryKey(manager: string, key: string): string {
  return `${manager} ${key}`;
}

/** An object of an inventory that is to be removed. */
export interface RemovalCandidate {
  readonly stack: StackIdentity;
  readonly key: string;
  readonly entry: InventoryEntry;
}
