import { identityKey, type ObjectIdentity, objectText } from '../../assembly/identity.js';
import { applyingDynamically } from '../../engine/client-side-apply/cluster.js';
import { DigestKeys } from '../../engine/client-side-apply/digest-keys.js';
import { StackNames } from '../../engine/inventory/owner-names.js';
import { type Inventory, InventoryStore } from '../../engine/inventory/store.js';
import { explain } from '../../engine/run/explain.js';
import { defaultConcurrency } from '../../engine/run/options.js';
import type { FieldOwner, PlannedObject } from '../../engine/run/plan-types.js';
import { inPool } from '../../engine/run/pool.js';
import type { ReportedError, RunWarning } from '../../engine/run/run-warning.js';
import type { StartSimulation } from '../../engine/run/saved-plan.js';
import { maskedPlan } from '../../engine/secrets/masked.js';
import { isSecret, maskSecret, SecretTexts } from '../../engine/secrets/secrets.js';
import { placeOf } from '../../engine/target/place.js';
import type { Cluster } from '../../kubernetes/index.js';
import { applyEntryOf, type ManagedFieldsEntry, ownedFields } from '../../ownership/index.js';
import { planRelease } from '../../plan/retirement.js';
import { SimulatedState } from '../../plan/simulation.js';
import { exitCodeOf, FieldwiseError } from '../../util/error.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { readObjects, type SeenObject } from './read.js';
import { type Selection, selectObjects, stackNamed, type Viewpoint } from './selection.js';

/** An owner, and when it last wrote (RFC 3339, whole seconds). */
export interface DatedOwner extends FieldOwner {
  readonly time?: string;
}

export interface FieldView {
  /** Path such as `.spec.ports[port=443].name`. */
  readonly field: string;
  /** Masked in Secrets; absent where the field is owned and not there. */
  readonly value?: Json;
  /** All of them; nobody owns the field where there is none. */
  readonly owners: readonly DatedOwner[];
}

/** The fields of one object and who owns them. */
export interface ObjectOwners extends ObjectIdentity {
  readonly event: 'owners';
  /** `Kind namespace/name`. */
  readonly object: string;
  readonly uid?: string;
  readonly fields: readonly FieldView[];
  /** Why there are no fields. */
  readonly missing?: true;
  readonly error?: ReportedError;
}

export interface OwnersSummary {
  readonly event: 'owners-summary';
  readonly objects: number;
  readonly missing: number;
  readonly fields: number;
  readonly unowned: number;
  readonly exitCode: number;
}

export interface OwnersOptions extends Selection, Viewpoint {
  readonly inventoryNamespace?: string;
  readonly concurrency?: number;
}

/**
 * Tells each field of the selected objects with its owners. Changes nothing.
 *
 * @throws FieldwiseError: unknown stack or kind (usage), no connection, no authentication, unreadable inventory.
 */
export async function owners(
  cluster: Cluster,
  options: OwnersOptions,
  host: (event: ObjectOwners | OwnersSummary | RunWarning) => void,
): Promise<OwnersSummary> {
  const { seen, names } = await look(cluster, options, host);
  const all = seen.map(([object, sight]) => viewOf(object, sight, names));
  for (const view of all) host(view);
  const fields = all.flatMap((view) => view.fields);
  const summary: OwnersSummary = {
    event: 'owners-summary',
    objects: all.length,
    missing: all.filter(({ missing }) => missing).length,
    fields: fields.length,
    unowned: fields.filter((field) => field.owners.length === 0).length,
    exitCode: all.some(({ error }) => error) ? exitCodeOf('resource') : 0,
  };
  host(summary);
  return summary;
}

export interface ReleaseOptions extends OwnersOptions {
  /** The stack that would let its fields go. */
  readonly without: string;
  readonly simulate: StartSimulation;
}

/**
 * Tells what would become of the selected objects if a stack let go what it owns of them: which fields would be removed, defaulted or
 * kept. A dry run on the server, or by the schema where these credentials may not ask for one. Changes nothing.
 *
 * @returns the exit code.
 * @throws FieldwiseError as `owners`.
 */
export async function releases(
  cluster: Cluster,
  options: ReleaseOptions,
  host: (event: PlannedObject | RunWarning) => void,
): Promise<number> {
  const { seen, names, inventories } = await look(cluster, options, host);
  const { stack } = stackNamed(options.without, inventories, options);
  const keys = new DigestKeys(cluster, options.inventoryNamespace);
  const state = new SimulatedState(cluster, options.simulate, keys);
  const context = { cluster: applyingDynamically(cluster, keys), state, names, readOnly: false };
  const plans: PlannedObject[] = [];
  await inPool([...seen.entries()], options.concurrency ?? defaultConcurrency, async ([index, [object, { address, live, error }]]) => {
    const known = inventories.find((inventory) => inventory.stack === stack)?.entries.get(identityKey(object));
    const place = placeOf(stack.stack, stack.manager, { ...object, lifecycle: known?.lifecycle ?? 'share' });
    const constant = { event: 'plan' as const, ...place, declaredBy: [], source: 'server' as const };
    if (error) plans[index] = { ...constant, action: 'blocked', fields: [], error };
    else if (!address || !live) plans[index] = { ...constant, action: 'gone', fields: [] };
    else if (!applyEntryOf(live, stack.manager)) {
      plans[index] = { ...constant, action: 'unchanged', reason: 'the stack owns nothing of it', fields: [] };
    } else {
      const secrets = new SecretTexts([live]);
      try {
        const { rejection: _, ...answer } = await planRelease(context, address, live, stack);
        plans[index] = maskedPlan({ ...constant, ...answer }, secrets);
      } catch (cause) {
        if (cause instanceof FieldwiseError && (cause.kind === 'authentication' || cause.code === 'cluster-unreachable')) throw cause;
        plans[index] = maskedPlan({ ...constant, action: 'blocked', fields: [], error: explain(cause) }, secrets);
      }
    }
  });
  for (const planned of plans) host(planned);
  return plans.some(({ error }) => error) ? exitCodeOf('resource') : 0;
}

interface Look {
  readonly seen: readonly (readonly [ObjectIdentity, SeenObject])[];
  readonly names: StackNames;
  readonly inventories: readonly Inventory[];
}

async function look(cluster: Cluster, options: OwnersOptions, warn: (warning: RunWarning) => void): Promise<Look> {
  const inventories = await new InventoryStore(cluster, options.inventoryNamespace).read();
  const from = viewpoint(inventories, options);
  const wanted = new Map<string, ObjectIdentity>();
  for (const object of await selectObjects(cluster, inventories, options, from, warn)) {
    const { apiVersion, kind, namespace, name } = object;
    wanted.set(identityKey(object), { apiVersion, kind, ...(namespace === undefined ? {} : { namespace }), name });
  }
  const found = await readObjects(cluster, wanted, options.concurrency ?? defaultConcurrency);
  const names = new StackNames(from.app ?? '', from.instance ?? '', new Map());
  names.learn(inventories.map(({ stack }) => stack));
  const seen = [...wanted].map(([key, { namespace: _, ...object }]) => {
    const sight = found.get(key) ?? {};
    const namespace = sight.address ? sight.address.namespace : wanted.get(key)?.namespace;
    return [{ ...object, ...(namespace === undefined ? {} : { namespace }) }, sight] as const;
  });
  return { seen, names, inventories };
}

/** Stacks are named by their app and instance only where there are several of them. */
function viewpoint(inventories: readonly Inventory[], { app, instance, words }: OwnersOptions): Viewpoint {
  if (app !== undefined) return { app, instance: instance ?? 'default' };
  const named = inventories.filter(({ stack }) => words.includes(stack.stack));
  const all = named.length > 0 ? named : inventories;
  const [first] = all;
  const one = first && all.every(({ stack }) => stack.app === first.stack.app && stack.instance === first.stack.instance);
  return one ? { app: first.stack.app, instance: first.stack.instance } : {};
}

function viewOf(object: ObjectIdentity, { live, error }: SeenObject, names: StackNames): ObjectOwners {
  const constant = { event: 'owners' as const, object: objectText(object), ...object };
  if (!live) return { ...constant, fields: [], ...(error ? { error } : { missing: true }) };
  const uid = isJsonObject(live.metadata) ? live.metadata.uid : undefined;
  const fields = ownedFields(isSecret(live) ? (maskSecret(live) as JsonObject) : live).map(({ field, value, owners: entries }) => ({
    field,
    ...(value === undefined ? {} : { value }),
    owners: entries.map((entry) => datedOwner(entry, names)),
  }));
  return { ...constant, ...(typeof uid === 'string' ? { uid } : {}), fields };
}

export function datedOwner(entry: ManagedFieldsEntry, names: StackNames): DatedOwner {
  return { ...names.owner(entry), ...(entry.time === undefined ? {} : { time: entry.time }) };
}
