import { objectText } from '../assembly/identity.js';
import type { Manifest } from '../assembly/types.js';
import type { Cluster } from '../cluster/index.js';
import { FieldwiseError } from '../util/error.js';
import type { EventHost, RunSummary } from './events.js';
import type { InventoryEntry } from './inventory/entry.js';
import { type Inventory, InventoryStore } from './inventory/store.js';
import { defaultConcurrency, defaultInventoryNamespace, type RunOptions } from './options.js';
import { askAll } from './prune.js';
import { deletionOptions, inOrder, retire, uidsOf } from './retire.js';
import { Run } from './run.js';

/**
 * Undoes stacks by their inventories: releases what they share, deletes what they own (only these very objects, and only where nobody
 * else applies fields to them), forgets them. Without names, the stacks that the program declares; with names, also stacks of this app
 * and instance that it no longer declares.
 *
 * @throws FieldwiseError of kind `usage`, before anything is changed: unknown stack, `confirmation-needed`.
 */
export async function destroy(manifest: Manifest, cluster: Cluster, options: RunOptions, host: EventHost): Promise<RunSummary> {
  const { app, instance } = manifest;
  const store = new InventoryStore(cluster, options.inventoryNamespace ?? defaultInventoryNamespace);
  const concurrency = options.concurrency ?? defaultConcurrency;
  const run = new Run('destroy', host, options.signal);
  const targets = await readTargets().catch((error: unknown) => {
    if (error instanceof FieldwiseError && error.kind === 'usage') throw error;
    run.fail(error);
    return undefined;
  });
  if (!targets) return run.finish();

  const work = targets.flatMap((inventory) => [...inventory.entries].map(([key, entry]) => ({ inventory, key, entry })));
  if (work.length > 0) await askAll([question()], options);
  host({
    event: 'started',
    verb: 'destroy',
    app,
    instance,
    stacks: targets.map(({ stack }) => stack.stack),
    server: cluster.server,
    objects: work.length,
  });

  const ours = uidsOf(targets.map((inventory) => inventory.entries));
  const left = new Map(targets.map((inventory) => [inventory, new Map(inventory.entries)]));
  await end((entry) => entry.lifecycle === 'share'); // shares first, so that no share of this run keeps an owned object
  await end((entry) => entry.lifecycle === 'own');
  for (const [inventory, entries] of left) {
    try {
      if (entries.size === 0) await store.remove(inventory);
      else await store.write(inventory, entries);
    } catch (error) {
      run.fail(error);
    }
  }
  return run.finish();

  async function readTargets(): Promise<readonly Inventory[]> {
    const known = (await store.read()).filter(({ stack }) => stack.app === app && stack.instance === instance);
    const unknown = options.stacks?.find(
      (name) => !known.some(({ stack }) => stack.stack === name) && !manifest.stacks.some((stack) => stack.name === name),
    );
    if (unknown !== undefined) {
      throw new FieldwiseError(
        'stack-unknown',
        'usage',
        `There is no stack ${unknown} of ${app} (${instance}), neither in the program nor in the cluster`,
        {
          place: { server: cluster.server },
          next: `In the cluster are: ${known.map(({ stack }) => stack.stack).join(', ') || 'none'}.`,
        },
      );
    }
    const names = options.stacks && options.stacks.length > 0 ? options.stacks : manifest.stacks.map((stack) => stack.name);
    return known.filter(({ stack }) => names.includes(stack.stack));
  }

  function question() {
    const names = targets?.map(({ stack }) => stack.stack) ?? [];
    return {
      text: `destroy stack${names.length > 1 ? 's' : ''} ${names.join(', ')} of ${app} (${instance})`,
      objects: work.map(({ entry }) => `${entry.lifecycle === 'own' && entry.deletable ? 'delete' : 'release'} ${objectText(entry)}`),
      answeredByPruneSetting: false,
    };
  }

  async function end(chosen: (entry: InventoryEntry) => boolean): Promise<void> {
    const items = work.filter(({ entry }) => chosen(entry)).map((item) => [item, item.entry] as const);
    await inOrder(items, concurrency, async ([{ inventory, key }, entry]) => {
      const forget = await retire(cluster, run, inventory.stack, entry, {
        ...deletionOptions(options, ours),
        declaredElsewhere: false,
      });
      if (forget) left.get(inventory)?.delete(key);
    });
  }
}
