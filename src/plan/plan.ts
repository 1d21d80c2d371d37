import { formerManagersOf, type ObjectIdentity, objectText } from '../assembly/identity.js';
import type { Assembly, StackManifest } from '../assembly/types.js';
import { DigestKeys } from '../engine/client-side-apply/digest-keys.js';
import { withClientSideApply } from '../engine/client-side-apply/with-client-side-apply.js';
import { type Step, stepsOf, type TransfersByStep } from '../engine/graph/waves.js';
import { findInventory } from '../engine/inventory/former-inventories.js';
import type { InventoryEntry } from '../engine/inventory/inventory-entry.js';
import { type Inventory, InventoryStore } from '../engine/inventory/inventory-store.js';
import { defaultInventoryNamespace } from '../engine/inventory/namespace.js';
import { OwnerNameResolver } from '../engine/inventory/owner-name-resolver.js';
import { LiveObjects } from '../engine/live/live-objects.js';
import { isTransferredIn } from '../engine/release/is-transferred.js';
import { containersLast } from '../engine/removal/may-need.js';
import { undeclaredEntries } from '../engine/removal/prune-question.js';
import { deletionOptions, objectsToDelete } from '../engine/removal/remove-entry.js';
import { deletionKey } from '../engine/removal/unmanaged-contents.js';
import { forEachConcurrent } from '../engine/run/for-each-concurrent.js';
import { defaultConcurrency, type RunOptions } from '../engine/run/options.js';
import type { PlanEvent, PlannedObject, PlanSummary } from '../engine/run/plan-types.js';
import { type RunDiagnostic, warnOnce } from '../engine/run/run-diagnostic.js';
import type { StartSimulation } from '../engine/run/saved-plan.js';
import { maskedPlan } from '../engine/secrets/masked-plan.js';
import { resolveReferences } from '../engine/secrets/references.js';
import { SecretMasker, withSecretMasking } from '../engine/secrets/secret-masker.js';
import { addressIfServed } from '../engine/target/address.js';
import { effectiveSteps } from '../engine/target/effective-strategy.js';
import { RemovedVersions } from '../engine/target/removed-versions.js';
import { selectStacks } from '../engine/target/select-stacks.js';
import { isCrd } from '../engine/target/wait-for-established.js';
import { findFieldTransfers } from '../engine/transfer/field-transfers.js';
import { findOtherStacks, movedFromResolver } from '../engine/transfer/other-stacks.js';
import { undeclaredOwnerDiagnostics } from '../engine/transfer/undeclared-owners.js';
import type { Cluster, ObjectAddress } from '../kubernetes/index.js';
import { type ForcedConflict, forcedByBoth } from './forced-by-both.js';
import type { PlanRecorder } from './plan-recorder.js';
import { planRemoval } from './plan-removal.js';
import { PlanSummaryBuilder } from './plan-summary-builder.js';
import { SimulatedState } from './simulation.js';
import { StepPlanner } from './step-planner.js';

export interface PlannerOptions extends RunOptions {
  /** Starts the engine that judges by the schema; called at most once, where the server cannot or must not be asked. */
  readonly simulate: StartSimulation;
  /** Only reads: everything is judged by the schema, on the live objects. */
  readonly readOnly?: boolean;
  /** Identities of the objects of which it is known whether they exist, where that is not so of all. */
  readonly known?: ReadonlySet<string>;
  /** Gets what a person should know of the plan as a whole. */
  readonly onWarning?: (warning: RunDiagnostic) => void;
  /** Gets the plan as it can be saved. */
  readonly record?: PlanRecorder;
}

/**
 * What a deploy of the chosen stacks would do, object by object and field by field. Changes nothing. Values of Secrets are masked.
 *
 * @throws FieldwiseError: unknown stack (usage), no connection, no authentication, unreadable inventory.
 */
export async function plan(
  written: Assembly,
  cluster: Cluster,
  options: PlannerOptions,
  host: (event: PlanEvent) => void,
): Promise<PlanSummary> {
  const assembly = resolveReferences(written, selectStacks(written, options.stacks), options.references);
  const secrets = new SecretMasker(assembly.objects.flat());
  const summary = new PlanSummaryBuilder();
  const { record } = options;
  const { deleteShared = false, deleteForeign = false, inventoryNamespace = defaultInventoryNamespace, strategy } = options;
  const stacks = selectStacks(assembly, options.stacks).map(({ name }) => name);
  record?.begin(assembly, { stacks, inventoryNamespace, deleteShared, deleteForeign, ...(strategy ? { strategy } : {}) });
  for (const object of await planObjects(assembly, withSecretMasking(cluster, secrets), { onWarning: host, ...options })) {
    record?.add(object, secrets);
    const masked = maskedPlan(object, secrets);
    summary.add(masked);
    host(masked);
  }
  const result = summary.finish();
  host(result);
  return result;
}

/** The plan with the values of Secrets in it: not to be shown or written. In the order of the assembly, what goes after what stays. */
export async function planObjects(assembly: Assembly, server: Cluster, options: PlannerOptions): Promise<readonly PlannedObject[]> {
  const onWarning = warnOnce(options.onWarning ?? (() => {}));
  const keys = new DigestKeys(server, options.inventoryNamespace, onWarning);
  const cluster = withClientSideApply(server, keys);
  const { app, instance } = assembly.manifest;
  const stacks = selectStacks(assembly, options.stacks);
  const store = new InventoryStore(cluster, options.inventoryNamespace, onWarning);
  const steps = await effectiveSteps(cluster, stepsOf(assembly, stacks), options, onWarning);
  const inventories = await Promise.all(
    stacks.map(async (stack) => ({
      stack,
      inventory: (await findInventory(store, { app, instance, stack: stack.name, manager: stack.manager }, stack)).whole,
    })),
  );
  const names = OwnerNameResolver.of(assembly.manifest);
  const live = new LiveObjects(cluster, await addressesOf(cluster, steps, inventories));
  const state = new SimulatedState(cluster, options.simulate, keys);
  const readOnly = options.readOnly === true;
  const concurrency = options.concurrency ?? defaultConcurrency;
  const transfers = await findFieldTransfers(cluster, assembly, steps, concurrency);
  const candidates = inventories.flatMap(({ stack, inventory }) =>
    undeclaredEntries(inventory, stepsOfStack(steps, stack)).map(([key, entry]) => ({ stack, inventory, key, entry })),
  );
  const entryRemovals = candidates.map(({ stack, inventory, key, entry }) => {
    return { stack: inventory.stack, formerManagers: formerManagersOf(stack), key, entry };
  });
  const others = stepsOf(
    assembly,
    assembly.manifest.stacks.filter((stack) => !stacks.includes(stack)),
  );
  const otherStacks = await findOtherStacks(entryRemovals, { app, instance, steps, others, inventories: () => store.read() });
  const newOwners = new Set(entryRemovals.flatMap(({ entry, key }) => (otherStacks.get(entry)?.newOwner ? [key] : [])));
  const movedFrom = movedFromResolver(entryRemovals, otherStacks);
  const inherited = new Map(
    steps.filter(({ key, intent }) => newOwners.has(key) && intent.lifecycle === 'own').map((step) => [step, movedFrom(step)]),
  );
  const isTransferred = isTransferredIn(steps, transfers, entryRemovals, otherStacks);
  const dryRunContext = { cluster, state, names, isTransferred };
  const removed = new RemovedVersions(cluster);
  const planner = new StepPlanner({ ...dryRunContext, steps, live, readOnly, known: options.known, transfers, inherited });
  const known = new Map(inventories.map(({ stack, inventory }) => [stack, inventory.entries]));
  const results = new Map<Step | InventoryEntry, PlannedObject>();
  for (const phase of phasesOf(steps, transfers)) {
    await forEachConcurrent(phase, concurrency, async (step) => {
      results.set(step, await planner.plan(step, known.get(step.stack)?.get(step.key)));
    });
  }
  const ours = objectsToDelete(candidates, otherStacks);
  const planEnd = async ({ stack, inventory, key, entry }: (typeof candidates)[number]) => {
    const entryOtherStacks = otherStacks.get(entry);
    const transferred = planner.transferredFrom(stack.manager, key)?.object ?? planner.inheritedBy(key);
    const formerManagers = formerManagersOf(stack);
    const retirement = { ...deletionOptions(options, ours), formerManagers, otherStacks: entryOtherStacks, names };
    const planned = await planRemoval(
      {
        ...{ ...dryRunContext, removedVersions: removed, isSnapshot: options.known !== undefined },
        ...(transferred ? { live: { find: async () => transferred }, readOnly: true } : { live, readOnly }),
      },
      inventory.stack,
      entry,
      retirement,
    );
    if (planned.action !== 'delete') ours.delete(deletionKey(entry.uid, entry));
    results.set(entry, planned);
  };
  for (const group of containersLast(candidates)) await forEachConcurrent(group, concurrency, planEnd);
  const contacts = steps.flatMap((step) => {
    const owners = results.get(step)?.adopts?.owners;
    return owners && known.get(step.stack)?.get(step.key)?.uid === undefined ? [{ step, owners }] : [];
  });
  for (const warning of undeclaredOwnerDiagnostics(contacts, assembly.manifest, [])) options.onWarning?.(warning);
  const objects = stacks.flatMap((stack) => [
    ...stepsOfStack(steps, stack).map((step) => results.get(step) as PlannedObject),
    ...candidates.filter((item) => item.stack === stack).map(({ entry }) => results.get(entry) as PlannedObject),
  ]);
  for (const warning of await forcedByBoth(
    store,
    forcedConflictsIn(objects, steps),
    new Set(assembly.manifest.stacks.map(({ manager }) => manager)),
  )) {
    options.onWarning?.(warning);
  }
  return names.sawTruncated ? withNames(objects, names, store) : objects;
}

/** The fields that a deploy would take from other appliers. */
function forcedConflictsIn(objects: readonly PlannedObject[], steps: readonly Step[]): readonly ForcedConflict[] {
  const keys = new Map(steps.map(({ stack, intent, key }) => [`${stack.name} ${objectText(intent)}`, key]));
  return objects.flatMap(({ object, stack, manager, fields }) => {
    const key = keys.get(`${stack} ${object}`);
    if (key === undefined) return [];
    return fields.flatMap(({ field, change, owners = [] }) =>
      change === 'force'
        ? owners.flatMap(({ manager: from, operation }) => (operation === 'Apply' ? [{ object, key, field, from, stack, manager }] : []))
        : [],
    );
  });
}

/** What others build on comes first. */
function phasesOf(steps: readonly Step[], transfers: TransfersByStep): readonly (readonly Step[])[] {
  const rank = (step: Step) => {
    if (transfers.has(step)) return 1;
    const { intent } = step;
    return isCrd(intent) || intent.kind === 'Namespace' ? 0 : intent.lifecycle === 'own' ? 2 : 3;
  };
  return [0, 1, 2, 3].map((phase) => steps.filter((step) => rank(step) === phase));
}

function stepsOfStack(steps: readonly Step[], stack: StackManifest): readonly Step[] {
  return steps.filter((step) => step.stack === stack);
}

/** Where the objects are, as far as the server knows their kinds. */
async function addressesOf(
  cluster: Cluster,
  steps: readonly Step[],
  inventories: readonly { readonly inventory: Inventory }[],
): Promise<readonly ObjectAddress[]> {
  const objects = new Map<string, ObjectIdentity>([
    ...inventories.flatMap(({ inventory }) => [...inventory.entries]),
    ...steps.map((step) => [step.key, step.intent] as const),
  ]);
  const addresses = await Promise.all([...objects.values()].map((object) => addressIfServed(cluster, object)));
  return addresses.filter((address) => address !== undefined);
}

/** Long managers are cut and do not tell their stack; the inventories do. */
async function withNames(
  objects: readonly PlannedObject[],
  names: OwnerNameResolver,
  store: InventoryStore,
): Promise<readonly PlannedObject[]> {
  names.addStacks((await store.read()).map(({ stack }) => stack));
  return objects.map((object) => ({
    ...object,
    fields: object.fields.map((field) => ({
      ...field,
      ...(field.owners ? { owners: field.owners.map((owner) => names.resolve(owner)) } : {}),
      ...(field.collateral
        ? { collateral: field.collateral.map((lost) => ({ ...lost, owners: lost.owners.map((owner) => names.resolve(owner)) })) }
        : {}),
    })),
    ...(object.adopts ? { adopts: { owners: object.adopts.owners.map((owner) => names.resolve(owner)) } } : {}),
  }));
}
