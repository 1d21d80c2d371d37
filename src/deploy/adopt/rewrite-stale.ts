import { objectText } from '../../assembly/identity.js';
import type { Assembly } from '../../assembly/types.js';
import { addressInAnyVersion, RemovedVersions } from '../../engine/addresses/removed-versions.js';
import type { InventoryEntry } from '../../engine/inventory/inventory-entry.js';
import { type Inventory, InventoryStore } from '../../engine/inventory/inventory-store.js';
import { entryText, rewriteRemovedVersions } from '../../engine/object/rewrite-removed-versions.js';
import type { EventHost } from '../../engine/report/events.js';
import { explain } from '../../engine/report/explain.js';
import type { ReportedError } from '../../engine/report/run-diagnostic.js';
import { forEachConcurrent } from '../../engine/run/for-each-concurrent.js';
import { defaultConcurrency } from '../../engine/run/options.js';
import { beginSession } from '../../engine/run/session.js';
import type { ClusterClient, ObjectAddress } from '../../kubernetes/index.js';
import { entriesOfVersions } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import type { AdoptOptions } from './adopt.js';

/** Entries of removed versions in the managedFields of one object. */
export interface StaleObject {
  readonly object: string;
  readonly stack: string;
  /** The owner and version of each entry. */
  readonly entries: readonly string[];
  /** The version to which they are rewritten. */
  readonly to: string;
  /** Fields that were dropped from the entries, because the object no longer has them. */
  readonly dropped?: readonly string[];
  /** Absent in a preview. */
  readonly result?: 'rewritten' | 'failed';
  readonly error?: ReportedError;
}

interface StaleMatch {
  readonly preview: StaleObject;
  readonly address: ObjectAddress;
  readonly uid: string;
  readonly manager: string;
}

/**
 * Rewrites the entries of managedFields whose version the kind no longer has, in the objects that the selected stacks have deployed; by
 * default, in those of all stacks of the app and instance, declared or not. Until then, the server rejects every apply to such an object.
 * Every owner keeps its fields, and no value changes.
 *
 * @throws FieldwiseError `confirmation-needed`, `stack-unknown`, and the errors of locks and inventories.
 */
export async function rewriteStale(
  assembly: Assembly,
  cluster: ClusterClient,
  options: Omit<AdoptOptions, 'from' | 'confirm' | 'record'> & { readonly confirm: (found: readonly StaleObject[]) => Promise<boolean> },
  host: EventHost,
): Promise<readonly StaleObject[]> {
  const known = await new InventoryStore(cluster, options.inventoryNamespace).read();
  const chosen = chosenInventories(assembly, known, options.stacks);
  const session = await beginSession(
    cluster,
    chosen.map(({ stack }) => stack),
    options,
    host,
  );
  const concurrency = options.concurrency ?? defaultConcurrency;
  try {
    const removed = new RemovedVersions(session.cluster);
    const locked = new Set(chosen.map(({ stack }) => stack.manager));
    const entries = (await session.inventories.read())
      .filter(({ stack }) => locked.has(stack.manager))
      .flatMap(({ stack, entries }) => [...entries.values()].map((entry) => ({ stack: stack.stack, manager: stack.manager, entry })));
    const found: StaleMatch[] = [];
    await forEachConcurrent(entries, concurrency, async (one) => void found.push(...(await findStale(session.cluster, removed, one))));
    found.sort((left, right) => (left.preview.object < right.preview.object ? -1 : 1));
    if (found.length === 0) return [];
    if (!(await options.confirm(found.map(({ preview }) => preview)))) {
      throw new FieldwiseError(
        'confirmation-needed',
        'usage',
        'The rewriting of these entries was not confirmed, and nothing was changed',
        {
          next: 'Read the preview, then run again with --yes.',
        },
      );
    }
    const results = new Map<StaleMatch, StaleObject>();
    await forEachConcurrent(found, concurrency, async (one) => void results.set(one, await rewrite(session.cluster, removed, one)));
    return found.map((one) => results.get(one) as StaleObject);
  } finally {
    await session.end();
  }
}

/**
 * Returns the inventories of the named stacks, or of all stacks of the app and instance. Includes undeclared stacks, because their objects
 * have to be released.
 *
 * @throws FieldwiseError `stack-unknown`
 */
function chosenInventories({ manifest }: Assembly, all: readonly Inventory[], names: readonly string[] = []): readonly Inventory[] {
  const { app, instance, stacks } = manifest;
  const known = all.filter(({ stack }) => stack.app === app && stack.instance === instance);
  if (names.length === 0) return known;
  const wanted = names.flatMap((name) => {
    const declared = stacks.find((stack) => stack.name === name);
    const former = declared?.formerIdentities?.map(({ manager }) => manager) ?? [];
    const found = known.filter(({ stack }) => stack.stack === name || former.includes(stack.manager));
    if (found.length === 0 && declared === undefined) {
      throw new FieldwiseError(
        'stack-unknown',
        'usage',
        `There is no stack ${name} of ${app} (${instance}), neither in the program nor in the cluster`,
        {
          next: `Stacks in the cluster: ${known.map(({ stack }) => stack.stack).join(', ') || 'none'}.`,
        },
      );
    }
    return found;
  });
  return [...new Set(wanted)];
}

interface Deployed {
  readonly stack: string;
  readonly manager: string;
  readonly entry: InventoryEntry;
}

async function findStale(
  cluster: ClusterClient,
  removed: RemovedVersions,
  { stack, manager, entry }: Deployed,
): Promise<readonly StaleMatch[]> {
  const address = await addressInAnyVersion(cluster, entry);
  const live = address && (await cluster.tryGet(address));
  if (!address || !live || (live.metadata as JsonObject).uid !== entry.uid) return [];
  const entries = entriesOfVersions(live, await removed.removedFrom(live, address)).map(entryText);
  if (entries.length === 0) return [];
  return [
    { preview: { object: objectText(entry), stack, entries, to: address.resource.apiVersion }, address, uid: entry.uid as string, manager },
  ];
}

async function rewrite(
  cluster: ClusterClient,
  removed: RemovedVersions,
  { preview, address, uid, manager }: StaleMatch,
): Promise<StaleObject> {
  try {
    const dropped = await rewriteRemovedVersions(cluster, address, removed, { uid, manager });
    return { ...preview, ...(dropped.length > 0 ? { dropped } : {}), result: 'rewritten' };
  } catch (error) {
    return { ...preview, result: 'failed', error: explain(error) };
  }
}
