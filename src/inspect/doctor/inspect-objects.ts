import { identityKey, objectText } from '../../assembly/identity.js';
import { addressInAnyVersion, RemovedVersions } from '../../engine/addresses/removed-versions.js';
import { type Inventory, InventoryStore } from '../../engine/inventory/inventory-store.js';
import { forEachConcurrent } from '../../engine/run/for-each-concurrent.js';
import { defaultConcurrency } from '../../engine/run/options.js';
import { ApiError, type ClusterClient, type ObjectAddress } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import { type StackScope, stackNamed, stacksInScope } from '../owners/select-objects.js';
import { type Deployed, type OwnerDiagnostic, ownerDiagnostics } from './owner-diagnostics.js';

/** A diagnostic about the recorded owners of an object that a stack has deployed. */
export interface ObjectDiagnostic extends OwnerDiagnostic {
  readonly event: 'diagnostic';
  /** `Kind namespace/name`. */
  readonly object: string;
  /** The stacks that deployed it. */
  readonly stacks: readonly string[];
}

export interface ObjectInspection {
  readonly event: 'inspection';
  /** The number of inspected objects; absent ones are not counted. */
  readonly objects: number;
  readonly diagnostics: number;
  readonly errors: number;
  /** Kinds that could not be read, with the reason. */
  readonly unread: readonly { readonly kind: string; readonly reason: string }[];
}

export interface InspectObjectsOptions extends StackScope {
  /** A stack by name, or `app/instance/name`. @default all stacks of the app and instance, or of the cluster */
  readonly stack?: string | undefined;
  readonly inventoryNamespace?: string | undefined;
}

interface InspectedEntry extends Deployed {
  readonly stack: string;
}

/** Objects of one kind and namespace. */
interface Group {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly wanted: Map<string, InspectedEntry[]>;
}

/**
 * Inspects the metadata of all objects that stacks have deployed, page by page, for unexpected effects of server-side apply. Only reads;
 * reports each diagnostic as soon as it is found.
 *
 * @throws FieldwiseError `stack-not-in-cluster`, `stack-ambiguous`, and the errors of inventories and of the connection.
 */
export async function inspectObjects(
  cluster: ClusterClient,
  { stack, inventoryNamespace, ...from }: InspectObjectsOptions,
  onDiagnostic: (diagnostic: ObjectDiagnostic) => void,
): Promise<ObjectInspection> {
  const inventories = await new InventoryStore(cluster, inventoryNamespace).read();
  const chosen = stack === undefined ? stacksInScope(inventories, from) : [stackNamed(stack, inventories, from)];
  const removed = new RemovedVersions(cluster);
  const counts = { objects: 0, diagnostics: 0, errors: 0 };
  const unread: { kind: string; reason: string }[] = [];
  await forEachConcurrent([...groupsOf(chosen).values()], defaultConcurrency, async (group) => {
    try {
      for await (const { object, wanted, address } of objectsOf(cluster, group)) {
        counts.objects++;
        for (const diagnostic of ownerDiagnostics(object, wanted, await removed.removedFrom(object, address))) {
          counts.diagnostics++;
          if (diagnostic.isError) counts.errors++;
          const { entry } = wanted[0] as InspectedEntry;
          onDiagnostic({
            event: 'diagnostic',
            object: objectText(entry),
            stacks: [...new Set(wanted.map((one) => one.stack))],
            ...diagnostic,
          });
        }
      }
    } catch (error) {
      const isUnserved = error instanceof FieldwiseError && error.code === 'kind-unknown';
      if (!isUnserved && !(error instanceof ApiError)) throw error;
      unread.push({ kind: `${group.kind} of ${group.apiVersion}`, reason: error.message });
    }
  });
  return { event: 'inspection', ...counts, unread };
}

function groupsOf(inventories: readonly Inventory[]): ReadonlyMap<string, Group> {
  const groups = new Map<string, Group>();
  for (const { stack, entries } of inventories) {
    for (const [key, entry] of entries) {
      const { apiVersion, kind, namespace } = entry;
      const name = `${apiVersion} ${kind} ${namespace ?? ''}`;
      const group = groups.get(name) ?? { apiVersion, kind, namespace, wanted: new Map() };
      groups.set(name, group);
      const wanted = group.wanted.get(key) ?? [];
      group.wanted.set(key, [...wanted, { stack: stack.stack, manager: stack.manager, entry }]);
    }
  }
  return groups;
}

const maxSingleReads = 3;

/** Reads a few objects by one GET each, and more by a LIST of metadata, one page at a time in memory. */
async function* objectsOf(cluster: ClusterClient, { apiVersion, kind, namespace, wanted }: Group) {
  const [any] = [...wanted.values()].flat() as [InspectedEntry];
  const resource = (await addressInAnyVersion(cluster, any.entry))?.resource ?? (await cluster.resourceOf(apiVersion, kind));
  const scope = resource.namespaced ? { namespace: namespace ?? cluster.defaultNamespace } : {};
  const addressOf = (name: string): ObjectAddress => ({ resource, ...scope, name });
  if (wanted.size <= maxSingleReads) {
    for (const found of wanted.values()) {
      const address = addressOf((found[0] as InspectedEntry).entry.name);
      const object = await cluster.tryGet(address);
      if (object !== undefined) yield { object, wanted: found, address };
    }
    return;
  }
  for await (const { items } of cluster.pages(resource, { ...scope, metadataOnly: true })) {
    for (const object of items) {
      const { name, namespace: inside } = object.metadata as JsonObject & { readonly name: string; readonly namespace?: string };
      const found = wanted.get(identityKey({ apiVersion, kind, ...(inside === undefined ? {} : { namespace: inside }), name }));
      if (found !== undefined) yield { object, wanted: found, address: addressOf(name) };
    }
  }
}
