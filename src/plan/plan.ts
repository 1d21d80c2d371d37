import { formerManagersOf, type ObjectIdentity, objectText } from '../assembly/identity.js';
import type { Assembly, StackManifest } from '../assembly/types.js';
import { applyingDynamically } from '../engine/client-side-apply/cluster.js';
import { DigestKeys } from '../engine/client-side-apply/digest-keys.js';
import { type Step, stepsOf, type Takeovers } from '../engine/graph/waves.js';
import type { InventoryEntry } from '../engine/inventory/entry.js';
import { findInventory } from '../engine/inventory/former-inventories.js';
import { defaultInventoryNamespace } from '../engine/inventory/namespace.js';
import { StackNames } from '../engine/inventory/owner-names.js';
import { type Inventory, InventoryStore } from '../engine/inventory/store.js';
import { LiveObjects } from '../engine/live/live-objects.js';
import { receiversIn } from '../engine/release/receivers.js';
import { deletionKey } from '../engine/removal/foreign.js';
import { containersLast } from '../engine/removal/held-back.js';
import { undeclared } from '../engine/removal/prune.js';
import { deletionOptions, objectsToDelete } from '../engine/removal/retire.js';
import { defaultConcurrency, type RunOptions } from '../engine/run/options.js';
import type { PlanEvent, PlannedObject, PlanSummary } from '../engine/run/plan-types.js';
import { inPool } from '../engine/run/pool.js';
import { type RunWarning, warnOnce } from '../engine/run/run-warning.js';
import type { StartSimulation } from '../engine/run/saved-plan.js';
import { maskedPlan } from '../engine/secrets/masked.js';
import { resolveReferences } from '../engine/secrets/references.js';
import { SecretTexts, watchSecrets } from '../engine/secrets/secrets.js';
import { addressIfServed } from '../engine/target/address.js';
import { chooseStacks } from '../engine/target/choose-stacks.js';
import { isCrd } from '../engine/target/established.js';
import { RemovedVersions } from '../engine/target/removed-versions.js';
import { stepsInForce } from '../engine/target/strategy.js';
import { leftBehind } from '../engine/transfer/left-behind.js';
import { findSuccessions, movesAmong } from '../engine/transfer/succession.js';
import { findTakeovers } from '../engine/transfer/takeovers.js';
import type { Cluster, ObjectAddress } from '../kubernetes/index.js';
import { forcedByBoth, type TakenField } from './forced-by-both.js';
import type { PlanRecorder } from './plan-recorder.js';
import { planRetirement } from './retirement.js';
import { SimulatedState } from './simulation.js';
import { StepPlanner } from './step-planner.js';
import { Summary } from './summary.js';

export interface PlanOptions extends RunOptions {
  /** Starts the engine that judges by the schema; called at most once, where the server cannot or must not be asked. */
  readonly simulate: StartSimulation;
  /** Only reads: everything is judged by the schema, on the live objects. */
  readonly readOnly?: boolean;
  /** Identities of the objects of which it is known whether they exist, where that is not so of all. */
  readonly known?: ReadonlySet<string>;
  /** Gets what a person should know of the plan as a whole. */
  readonly onWarning?: (warning: RunWarning) => void;
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
  options: PlanOptions,
  host: (event: PlanEvent) => void,
): Promise<PlanSummary> {
  const assembly = resolveReferences(written, chooseStacks(written, options.stacks), options.references);
  const secrets = new SecretTexts(assembly.objects.flat());
  const summary = new Summary();
  const { record } = options;
  const { deleteShared = false, deleteForeign = false, inventoryNamespace = defaultInventoryNamespace, strategy } = options;
  const stacks = chooseStacks(assembly, options.stacks).map(({ name }) => name);
  record?.begin(assembly, { stacks, inventoryNamespace, deleteShared, deleteForeign, ...(strategy ? { strategy } : {}) });
  for (const object of await planObjects(assembly, watchSecrets(cluster, secrets), { onWarning: host, ...options })) {
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
export async function planObjects(assembly: Assembly, server: Cluster, options: PlanOptions): Promise<readonly PlannedObject[]> {
  const onWarning = warnOnce(options.onWarning ?? (() => {}));
  const keys = new DigestKeys(server, options.inventoryNamespace, onWarning);
  const cluster = applyingDynamically(server, keys);
  const { app, instance } = assembly.manifest;
  const stacks = chooseStacks(assembly, options.stacks);
  const store = new InventoryStore(cluster, options.inventoryNamespace, onWarning);
  const steps = await stepsInForce(cluster, stepsOf(assembly, stacks), options, onWarning);
  const inventories = await Promise.all(
    stacks.map(async (stack) => ({
      stack,
      inventory: (await findInventory(store, { app, instance, stack: stack.name, manager: stack.manager }, stack)).whole,
    })),
  );
  const names = StackNames.of(assembly.manifest);
  const live = new LiveObjects(cluster, await addressesOf(cluster, steps, inventories));
  const state = new SimulatedState(cluster, options.simulate, keys);
  const readOnly = options.readOnly === true;
  const concurrency = options.concurrency ?? defaultConcurrency;
  const takeovers = await findTakeovers(cluster, assembly, steps, concurrency);
  const going = inventories.flatMap(({ stack, inventory }) =>
    undeclared(inventory, stepsOfStack(steps, stack)).map(([key, entry]) => ({ stack, inventory, key, entry })),
  );
  const parts = going.map(({ stack, inventory, key, entry }) => {
    return { stack: inventory.stack, formerManagers: formerManagersOf(stack), key, entry };
  });
  const others = stepsOf(
    assembly,
    assembly.manifest.stacks.filter((stack) => !stacks.includes(stack)),
  );
  const successions = await findSuccessions(parts, { app, instance, steps, others, inventories: () => store.read() });
  const heirs = new Set(parts.flatMap(({ entry, key }) => (successions.get(entry)?.heir ? [key] : [])));
  const movedFrom = movesAmong(parts, successions);
  const inherited = new Map(
    steps.filter(({ key, intent }) => heirs.has(key) && intent.lifecycle === 'own').map((step) => [step, movedFrom(step)]),
  );
  const isReceived = receiversIn(steps, takeovers, parts, successions);
  const asked = { cluster, state, names, isReceived };
  const removed = new RemovedVersions(cluster);
  const planner = new StepPlanner({ ...asked, steps, live, readOnly, known: options.known, takeovers, inherited });
  const known = new Map(inventories.map(({ stack, inventory }) => [stack, inventory.entries]));
  const results = new Map<Step | InventoryEntry, PlannedObject>();
  for (const phase of phasesOf(steps, takeovers)) {
    await inPool(phase, concurrency, async (step) => {
      results.set(step, await planner.plan(step, known.get(step.stack)?.get(step.key)));
    });
  }
  const ours = objectsToDelete(going, successions);
  const planEnd = async ({ stack, inventory, key, entry }: (typeof going)[number]) => {
    const succession = successions.get(entry);
    const handed = planner.handedTo(stack.manager, key)?.object ?? planner.inheritedBy(key);
    const formerManagers = formerManagersOf(stack);
    const retirement = { ...deletionOptions(options, ours), formerManagers, succession, names };
    const planned = await planRetirement(
      {
        ...{ ...asked, removed, partial: options.known !== undefined },
        ...(handed ? { live: { find: async () => handed }, readOnly: true } : { live, readOnly }),
      },
      inventory.stack,
      entry,
      retirement,
    );
    if (planned.action !== 'delete') ours.delete(deletionKey(entry.uid, entry));
    results.set(entry, planned);
  };
  for (const group of containersLast(going)) await inPool(group, concurrency, planEnd);
  const contacts = steps.flatMap((step) => {
    const owners = results.get(step)?.adopts?.owners;
    return owners && known.get(step.stack)?.get(step.key)?.uid === undefined ? [{ step, owners }] : [];
  });
  for (const warning of leftBehind(contacts, assembly.manifest, [])) options.onWarning?.(warning);
  const objects = stacks.flatMap((stack) => [
    ...stepsOfStack(steps, stack).map((step) => results.get(step) as PlannedObject),
    ...going.filter((item) => item.stack === stack).map(({ entry }) => results.get(entry) as PlannedObject),
  ]);
  for (const warning of await forcedByBoth(
    store,
    takenIn(objects, steps),
    new Set(assembly.manifest.stacks.map(({ manager }) => manager)),
  )) {
    options.onWarning?.(warning);
  }
  return names.cut ? withNames(objects, names, store) : objects;
}

/** The fields that a deploy would take from other appliers. */
function takenIn(objects: readonly PlannedObject[], steps: readonly Step[]): readonly TakenField[] {
  const keys = new Map(steps.map(({ stack, intent, key }) => [`${stack.name} ${objectText(intent)}`, key]));
  return objects.flatMap(({ object, stack, manager, fields }) => {
    const key = keys.get(`${stack} ${object}`);
    if (key === undefined) return [];
    return fields.flatMap(({ field, change, owners = [] }) =>
      change === 'take'
        ? owners.flatMap(({ manager: from, operation }) => (operation === 'Apply' ? [{ object, key, field, from, stack, manager }] : []))
        : [],
    );
  });
}

/** What others build on comes first. */
function phasesOf(steps: readonly Step[], takeovers: Takeovers): readonly (readonly Step[])[] {
  const rank = (step: Step) => {
    if (takeovers.has(step)) return 1;
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
async function withNames(objects: readonly PlannedObject[], names: StackNames, store: InventoryStore): Promise<readonly PlannedObject[]> {
  names.learn((await store.read()).map(({ stack }) => stack));
  return objects.map((object) => ({
    ...object,
    fields: object.fields.map((field) => ({
      ...field,
      ...(field.owners ? { owners: field.owners.map((owner) => names.owner(owner)) } : {}),
      ...(field.lost ? { lost: field.lost.map((lost) => ({ ...lost, owners: lost.owners.map((owner) => names.owner(owner)) })) } : {}),
    })),
    ...(object.adopts ? { adopts: { owners: object.adopts.owners.map((owner) => names.owner(owner)) } } : {}),
  }));
}
