import { groupOf } from '../../assembly/identity.js';
import type { Cluster, Resource } from '../../cluster/index.js';
import { holdsIntent } from '../../ownership/index.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { InventoryEntry } from '../inventory/entry.js';
import { isCrd } from '../order/established.js';
import type { Step } from '../order/waves.js';
import { inPool } from '../pool.js';
import { formerOwnersOf } from '../rename.js';
import type { SchemaStamps } from './schema-stamp.js';

/** An intent and what the inventory remembers of its object. */
export interface Candidate {
  readonly step: Step;
  readonly known: InventoryEntry | undefined;
}

/**
 * Finds the intents of which a LIST proves that their PATCH would change nothing (`reconcile: changed`), with the resourceVersion that
 * proves it. One LIST per kind and namespace, only where it is cheaper than the PATCHes: its first page, which is mostly the whole
 * answer, tells how many objects it would read. What cannot be listed, or not be proved, is left to its PATCH. Secrets are never listed.
 *
 * A proof needs that this stack applied the very object before under the schema that the kind has now; see `holdsIntent` for the rest.
 */
export async function findUnchanged(
  cluster: Cluster,
  candidates: readonly Candidate[],
  options: { readonly stamps: SchemaStamps; readonly concurrency: number },
): Promise<ReadonlyMap<Step, string>> {
  const unchanged = new Map<Step, string>();
  const collections = await collectionsOf(cluster, candidates, options.stamps);
  await inPool(collections, options.concurrency, async ({ resource, namespace, wanted }) => {
    const scope = namespace === undefined ? {} : { namespace };
    const first = wanted.size * 2 + someMore;
    let read = 0;
    try {
      for await (const { items, remaining } of cluster.pages(resource, { ...scope, first })) {
        read += items.length;
        for (const live of items) {
          const metadata = live.metadata as JsonObject;
          for (const { step, known } of wanted.get(String(metadata.name)) ?? []) {
            if (known?.uid !== metadata.uid || !holdsIntent(live, step.object, step.stack.manager)) continue;
            if (formerOwnersOf(live, step.stack).length > 0) continue; // a rename that is half done
            unchanged.set(step, metadata.resourceVersion as string);
          }
        }
        if (read + remaining > wanted.size * listedPerPatch) return;
      }
    } catch {
      // Whoever may not list may still patch; other troubles show there, too, object by object.
    }
  });
  return unchanged;
}

interface Collection {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  /** By the name of the object: several stacks may declare one. */
  readonly wanted: Map<string, Candidate[]>;
}

/** What is to be listed: that with more than two objects of ours. */
async function collectionsOf(cluster: Cluster, candidates: readonly Candidate[], stamps: SchemaStamps): Promise<readonly Collection[]> {
  const redefined = new Set(candidates.flatMap(({ step }) => kindDefinedBy(step) ?? []));
  const able = candidates.filter(({ step, known }) => known && mayBeSkipped(step, known) && !redefined.has(kindOf(step)));
  const kinds = new Map(able.map(({ step: { intent } }) => [`${intent.apiVersion} ${intent.kind}`, intent] as const));
  const served = new Map<string, { readonly resource: Resource; readonly stamp: string | undefined }>();
  await Promise.all(
    [...kinds].map(async ([key, { apiVersion, kind }]) => {
      const resource = await cluster.resourceOf(apiVersion, kind).catch(() => undefined);
      if (resource) served.set(key, { resource, stamp: await stamps.stampOf(resource) });
    }),
  );
  const collections = new Map<string, Collection>();
  for (const candidate of able) {
    const { intent } = candidate.step;
    const { resource, stamp } = served.get(`${intent.apiVersion} ${intent.kind}`) ?? {};
    if (resource === undefined || stamp !== candidate.known?.schema) continue;
    const namespace = resource.namespaced ? (intent.namespace ?? cluster.defaultNamespace) : undefined;
    const key = `${intent.apiVersion} ${intent.kind} ${namespace ?? ''}`;
    const collection = collections.get(key) ?? { resource, namespace, wanted: new Map<string, Candidate[]>() };
    collections.set(key, collection);
    const same = collection.wanted.get(intent.name);
    if (same) same.push(candidate);
    else collection.wanted.set(intent.name, [candidate]);
  }
  return [...collections.values()].filter(({ wanted }) => wanted.size > 2);
}

/** The kind whose schema this very run may change. */
function kindDefinedBy({ intent, object }: Step): string | undefined {
  if (!isCrd(intent) || !isJsonObject(object.spec) || !isJsonObject(object.spec.names)) return undefined;
  return `${String(object.spec.group)}/${String(object.spec.names.kind)}`;
}

function kindOf({ intent }: Step): string {
  return `${groupOf(intent.apiVersion)}/${intent.kind}`;
}

function mayBeSkipped({ intent }: Step, known: InventoryEntry): boolean {
  if (intent.policy.strategy === 'dynamic' || known.strategy === 'dynamic') return false; // merged on this side, from a read of its own
  if (known.uid === undefined || known.schema === undefined || known.lifecycle !== intent.lifecycle) return false;
  if (intent.policy.adopt && !known.deletable) return false;
  const isSecret = intent.apiVersion === 'v1' && intent.kind === 'Secret';
  return !isSecret && !isCrd(intent);
}

/** An object read in a LIST costs the server about a fortieth of a PATCH, and its bytes cost us more than that. */
const listedPerPatch = 10;

/** Objects of others that are not worth a second page. */
const someMore = 10;
