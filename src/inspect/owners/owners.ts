import { identityKey, type ObjectIdentity, objectText } from '../../assembly/identity.js';
import { objectReference } from '../../engine/addresses/object-reference.js';
import { withClientSideApply } from '../../engine/client-side-apply/with-client-side-apply.js';
import { DigestKeys } from '../../engine/inventory/digest-keys.js';
import { type Inventory, InventoryStore } from '../../engine/inventory/inventory-store.js';
import { OwnerNameResolver } from '../../engine/inventory/owner-name-resolver.js';
import { explain } from '../../engine/report/explain.js';
import type { FieldOwner, PlannedObject } from '../../engine/report/plan-types.js';
import type { ReportedError, RunDiagnostic } from '../../engine/report/run-diagnostic.js';
import { forEachConcurrent } from '../../engine/run/for-each-concurrent.js';
import { defaultConcurrency } from '../../engine/run/options.js';
import type { StartSimulation } from '../../engine/run/saved-plan.js';
import { maskedPlan } from '../../engine/secrets/masked-plan.js';
import { maskSecret, SecretMasker } from '../../engine/secrets/secret-masker.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { applyEntryOf, type ManagedFieldsEntry, ownedFields } from '../../ownership/index.js';
import { planRelease } from '../../plan/plan-removal.js';
import { SimulatedState } from '../../plan/simulation.js';
import { exitCodeOf, FieldwiseError } from '../../util/error.js';
import type { IntegersAsText } from '../../util/integers-as-text.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { readableInventories } from '../readable-inventories.js';
import { type ObjectTree, objectTree } from './object-tree.js';
import { type ObservedObject, readObjects } from './read-objects.js';
import { type ObjectSelection, type StackScope, selectObjects, stackNamed } from './select-objects.js';

/** An owner, and when it last wrote (RFC 3339, whole seconds). */
export interface DatedOwner extends FieldOwner {
  readonly time?: string;
}

export interface FieldView {
  /** Path such as `.spec.ports[port=443].name`. */
  readonly field: string;
  /** Masked in Secrets; absent if the field has owners and no value. */
  readonly value?: Json;
  /** All owners of the field; empty if it has none. */
  readonly owners: readonly DatedOwner[];
}

/** The fields of one object and who owns them. */
export interface ObjectOwners extends ObjectIdentity, IntegersAsText {
  readonly event: 'owners';
  /** `Kind namespace/name`. */
  readonly object: string;
  readonly uid?: string;
  readonly fields: readonly FieldView[];
  /** Present if the object does not exist. */
  readonly absent?: true;
  readonly error?: ReportedError;
}

export interface OwnersSummary {
  readonly event: 'owners-summary';
  readonly objects: number;
  readonly absent: number;
  readonly fields: number;
  readonly unowned: number;
  readonly exitCode: number;
}

export interface OwnersOptions extends ObjectSelection, StackScope {
  readonly inventoryNamespace?: string;
  readonly concurrency?: number;
  /** Objects as somebody declares them: values of Secrets among them are masked, too, whatever the cluster has. */
  readonly declared?: readonly JsonObject[];
  /** Receives the fields of each object as a tree, too. */
  readonly onTree?: (tree: ObjectTree) => void;
}

/**
 * Reports each field of the selected objects with its owners. Changes nothing.
 *
 * @throws FieldwiseError: unknown stack or kind (usage), no connection, no authentication, unreadable inventory.
 */
export async function owners(
  cluster: ClusterClient,
  options: OwnersOptions,
  host: (event: ObjectOwners | OwnersSummary | RunDiagnostic) => void,
): Promise<OwnersSummary> {
  const { observed, names, inventories } = await readSelected(cluster, options, host);
  const secrets = maskerOf(observed, options);
  for (const [object, observation] of options.onTree ? observed : [])
    options.onTree?.(objectTree(object, observation, { names, inventories, secrets }));
  const all = observed.map(([object, observation]) => viewOf(object, observation, names, secrets));
  for (const view of all) host(view);
  const fields = all.flatMap((view) => view.fields);
  const summary: OwnersSummary = {
    event: 'owners-summary',
    objects: all.length,
    absent: all.filter(({ absent }) => absent).length,
    fields: fields.length,
    unowned: fields.filter((field) => field.owners.length === 0).length,
    exitCode: all.some(({ error }) => error) ? exitCodeOf('resource') : 0,
  };
  host(summary);
  return summary;
}

/** Returns a masker of the values of the Secrets that were read, and of those that are declared. */
function maskerOf(
  observed: readonly (readonly [ObjectIdentity, ObservedObject])[],
  { declared = [] }: Pick<OwnersOptions, 'declared'>,
): SecretMasker {
  return new SecretMasker([...observed.flatMap(([, { live }]) => (live ? [live] : [])), ...declared]);
}

export interface SimulateReleaseOptions extends OwnersOptions {
  /** The stack whose fields would be released. */
  readonly without: string;
  readonly simulate: StartSimulation;
}

/**
 * Plans the release of a stack's fields of the selected objects: reports the fields that would be removed, defaulted or kept, by a dry run
 * on the server, or by the schema if these credentials do not permit one. Changes nothing.
 *
 * @returns the exit code.
 * @throws FieldwiseError as `owners`.
 */
export async function releases(
  cluster: ClusterClient,
  options: SimulateReleaseOptions,
  host: (event: PlannedObject | RunDiagnostic) => void,
): Promise<number> {
  const { observed, names, inventories } = await readSelected(cluster, options, host);
  const { stack } = stackNamed(options.without, inventories, options);
  const keys = new DigestKeys(cluster, options.inventoryNamespace);
  const state = new SimulatedState(cluster, options.simulate, keys);
  const context = { cluster: withClientSideApply(cluster, keys), state, names, readOnly: false };
  const secrets = maskerOf(observed, options);
  const plans: PlannedObject[] = [];
  await forEachConcurrent(
    [...observed.entries()],
    options.concurrency ?? defaultConcurrency,
    async ([index, [object, { address, live, error }]]) => {
      const known = inventories.find((inventory) => inventory.stack === stack)?.entries.get(identityKey(object));
      const reference = objectReference(stack.stack, stack.manager, { ...object, lifecycle: known?.lifecycle ?? 'share' });
      const common = { event: 'plan' as const, ...reference, declaredBy: [], source: 'server' as const };
      if (error) plans[index] = { ...common, action: 'blocked', fields: [], error: secrets.maskError(error) };
      else if (!address || !live) plans[index] = { ...common, action: 'absent', fields: [] };
      else if (!applyEntryOf(live, stack.manager)) {
        plans[index] = { ...common, action: 'unchanged', reason: 'the stack owns no fields of it', fields: [] };
      } else {
        try {
          const { rejection: _, ...response } = await planRelease(context, address, live, stack);
          plans[index] = maskedPlan({ ...common, ...response }, secrets);
        } catch (cause) {
          if (cause instanceof FieldwiseError && (cause.kind === 'authentication' || cause.code === 'cluster-unreachable')) throw cause;
          plans[index] = maskedPlan({ ...common, action: 'blocked', fields: [], error: explain(cause) }, secrets);
        }
      }
    },
  );
  for (const planned of plans) host(planned);
  return plans.some(({ error }) => error) ? exitCodeOf('resource') : 0;
}

interface SelectedObjects {
  readonly observed: readonly (readonly [ObjectIdentity, ObservedObject])[];
  readonly names: OwnerNameResolver;
  readonly inventories: readonly Inventory[];
}

async function readSelected(
  cluster: ClusterClient,
  options: OwnersOptions,
  warn: (warning: RunDiagnostic) => void,
): Promise<SelectedObjects> {
  // The name of a stack is found in them alone.
  const areObjects = options.names.length > 0 && options.names.every((name) => name.includes('/'));
  const inventories = areObjects
    ? await readableInventories(cluster, options.inventoryNamespace)
    : await new InventoryStore(cluster, options.inventoryNamespace).read();
  const from = stackScopeOf(inventories, options);
  const wanted = new Map<string, ObjectIdentity>();
  for (const object of await selectObjects(cluster, inventories, options, from, warn)) {
    const { apiVersion, kind, namespace, name } = object;
    wanted.set(identityKey(object), { apiVersion, kind, ...(namespace === undefined ? {} : { namespace }), name });
  }
  const found = await readObjects(cluster, wanted, options.concurrency ?? defaultConcurrency);
  const names = new OwnerNameResolver(from.app ?? '', from.instance ?? '', new Map());
  names.addStacks(inventories.map(({ stack }) => stack));
  const observed = [...wanted].map(([key, { namespace: _, ...object }]) => {
    const observation = found.get(key) ?? {};
    const namespace = observation.address ? observation.address.namespace : wanted.get(key)?.namespace;
    return [{ ...object, ...(namespace === undefined ? {} : { namespace }) }, observation] as const;
  });
  return { observed, names, inventories };
}

/** Returns the app and instance of the selected stacks if they are all of one; otherwise owners are shown with app and instance. */
function stackScopeOf(inventories: readonly Inventory[], { app, instance, names }: OwnersOptions): StackScope {
  if (app !== undefined) return { app, instance: instance ?? 'default' };
  const named = inventories.filter(({ stack }) => names.includes(stack.stack));
  const all = named.length > 0 ? named : inventories;
  const [first] = all;
  const one = first && all.every(({ stack }) => stack.app === first.stack.app && stack.instance === first.stack.instance);
  return one ? { app: first.stack.app, instance: first.stack.instance } : {};
}

function viewOf(object: ObjectIdentity, { live, error }: ObservedObject, names: OwnerNameResolver, secrets: SecretMasker): ObjectOwners {
  const common = { event: 'owners' as const, object: objectText(object), ...object };
  if (!live) return { ...common, fields: [], ...(error ? { error: secrets.maskError(error) } : { absent: true }) };
  const uid = isJsonObject(live.metadata) ? live.metadata.uid : undefined;
  const fields = ownedFields(maskSecret(live) as JsonObject).map(({ field, value, owners: entries }) => ({
    field,
    ...(value === undefined ? {} : { value: secrets.maskJson(value) }),
    owners: entries.map((entry) => datedOwner(entry, names)),
  }));
  return { ...common, ...(typeof uid === 'string' ? { uid } : {}), fields };
}

export function datedOwner(entry: ManagedFieldsEntry, names: OwnerNameResolver): DatedOwner {
  return { ...names.resolve(entry), ...(entry.time === undefined ? {} : { time: entry.time }) };
}
