import { objectText } from '../../assembly/identity.js';
import type { Assembly } from '../../assembly/types.js';
import { ApiError, type Cluster, type ObjectAddress } from '../../cluster/index.js';
import { exitCodeOf, FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import { addressOf } from '../address.js';
import { applyIntent } from '../apply-intent.js';
import { chooseStacks } from '../deploy.js';
import type { ReportedError } from '../events.js';
import { explain } from '../explain.js';
import type { InventoryEntry } from '../inventory/entry.js';
import { type Inventory, InventoryStore } from '../inventory/store.js';
import { defaultConcurrency, defaultInventoryNamespace, type RunOptions } from '../options.js';
import { placeOf } from '../place.js';
import { inPool } from '../pool.js';
import { undeclared } from '../prune.js';
import { deletionOptions, uidsOf } from '../retire.js';
import { resolveScopes } from '../scope.js';
import { type Step, stepsOf } from '../waves.js';
import { allSet, contestedField, plannedFields } from './fields.js';
import { planRetirement } from './retirement.js';
import type { PlannedAction, PlannedObject, PlanSummary } from './types.js';

type Verdict = Pick<PlannedObject, 'action' | 'fields'> & Partial<Pick<PlannedObject, 'source' | 'reason' | 'error' | 'adopts'>>;

/**
 * What a deploy of the chosen stacks would do, object by object and field by field, asked of the server by dry runs. Changes nothing.
 *
 * @throws FieldwiseError: unknown stack (usage), no connection, no authentication, unreadable inventory.
 */
export async function plan(
  assembly: Assembly,
  cluster: Cluster,
  options: RunOptions,
  host: (event: PlannedObject | PlanSummary) => void,
): Promise<PlanSummary> {
  const { app, instance } = assembly.manifest;
  const stacks = chooseStacks(assembly, options.stacks);
  const store = new InventoryStore(cluster, options.inventoryNamespace ?? defaultInventoryNamespace);
  const steps = await resolveScopes(cluster, stepsOf(assembly, stacks));
  const summary = new Summary();
  for (const stack of stacks) {
    const inventory = await store.readStack({ app, instance, stack: stack.name, manager: stack.manager });
    const own = steps.filter((step) => step.stack === stack);
    const going = undeclared(inventory, own);
    const ours = uidsOf([inventory.entries]);
    const results = new Map<Step | InventoryEntry, PlannedObject>();
    await inPool<() => Promise<void>>(
      [
        ...own.map((step) => async () => void results.set(step, await planStep(cluster, step, steps, inventory))),
        ...going.map(([key, entry]) => async () => {
          const declaredElsewhere = steps.some((step) => step.key === key && step.stack !== stack);
          results.set(
            entry,
            await planRetirement(cluster, inventory.stack, entry, { ...deletionOptions(options, ours), declaredElsewhere }),
          );
        }),
      ],
      options.concurrency ?? defaultConcurrency,
      (task) => task(),
    );
    for (const item of [...own, ...going.map(([, entry]) => entry)]) summary.add(results.get(item) as PlannedObject, host);
  }
  const result = summary.finish();
  host(result);
  return result;
}

async function planStep(cluster: Cluster, step: Step, steps: readonly Step[], inventory: Inventory): Promise<PlannedObject> {
  const place = placeOf(step.stack.name, step.stack.manager, step.intent);
  const constant = { event: 'plan' as const, ...place, source: 'server' as const, declaredBy: step.intent.declaredBy };
  try {
    return { ...constant, ...(await judge(cluster, step, steps, inventory)) };
  } catch (error) {
    if (error instanceof FieldwiseError && (error.kind === 'authentication' || error.code === 'cluster-unreachable')) throw error;
    return { ...constant, action: 'blocked', fields: [], error: explain(error) };
  }
}

async function judge(cluster: Cluster, step: Step, steps: readonly Step[], inventory: Inventory): Promise<Verdict> {
  const missing = prerequisiteOf(step, steps);
  let address: ObjectAddress;
  try {
    address = await addressOf(cluster, step.intent);
  } catch (error) {
    if (missing && error instanceof FieldwiseError && error.code === 'kind-unknown') return fromAssembly(step, missing);
    throw error;
  }
  const live = await cluster.find(address);
  const known = inventory.entries.get(step.key);
  if (!live && step.intent.lifecycle === 'share' && (step.intent.policy.ifAbsent !== 'create' || known?.uid !== undefined)) {
    return absentShare(step, steps);
  }
  const task = { address, object: step.object, manager: step.stack.manager, policy: step.intent.policy, dryRun: true };
  try {
    const applied = await applyIntent(cluster, task);
    if (applied.outcome === 'conflict') {
      return { action: 'blocked', fields: applied.conflicts.map((conflict) => contestedField(conflict, 'conflict')) };
    }
    if (!live) return { action: 'create', fields: plannedFields(emptyOf(step), applied.answer.object, step.stack.manager, applied) };
    const fields = plannedFields(live, applied.answer.object, step.stack.manager, applied);
    const uid = (live.metadata as JsonObject).uid;
    const adopts = step.intent.lifecycle === 'own' && !(known?.lifecycle === 'own' && (known.uid === uid || known.uid === undefined));
    const first = known === undefined;
    const still = fields.every((field) => field.change === 'same' || field.change === 'yield' || (field.change === 'co-own' && !first));
    return { action: still ? 'unchanged' : 'update', fields, ...(adopts ? { adopts } : {}) };
  } catch (error) {
    if (missing && error instanceof ApiError && error.code === 404) return fromAssembly(step, missing);
    throw error;
  }
}

/** What this very deploy makes before the object, so that the server cannot be asked about it yet. */
function prerequisiteOf(step: Step, steps: readonly Step[]): string | undefined {
  const { namespace, kind } = step.intent;
  const before = steps.find(
    ({ intent, object }) =>
      (intent.kind === 'Namespace' && intent.name === namespace) ||
      (intent.kind === 'CustomResourceDefinition' &&
        ((object.spec as JsonObject | undefined)?.names as JsonObject | undefined)?.kind === kind),
  );
  return before && objectText(before.intent);
}

function fromAssembly(step: Step, missing: string): Verdict {
  const reason = `${missing} comes with this deploy, so the server cannot be asked yet`;
  return { action: 'create', source: 'assembly', reason, fields: allSet(step.object) };
}

function absentShare(step: Step, steps: readonly Step[]): Verdict {
  const owner = steps.find((other) => other.key === step.key && other.intent.lifecycle === 'own');
  if (owner) {
    const reason = `its object comes with stack ${owner.stack.name} of this deploy, so the server cannot be asked yet`;
    return { action: 'wait', source: 'assembly', reason, fields: allSet(step.object) };
  }
  if (step.intent.policy.ifAbsent === 'wait') {
    return { action: 'wait', reason: `its object does not exist; a deploy waits ${step.intent.policy.waitSeconds} s for it`, fields: [] };
  }
  return { action: 'blocked', reason: 'its object does not exist', fields: [] };
}

function emptyOf(step: Step): JsonObject {
  return { apiVersion: step.intent.apiVersion, kind: step.intent.kind, metadata: {} };
}

class Summary {
  readonly #counts: Partial<Record<PlannedAction, number>> = {};
  readonly #errors: ReportedError[] = [];
  #adopts = 0;
  #takes = 0;
  #conflicts = false;

  add(object: PlannedObject, host: (event: PlannedObject) => void): void {
    this.#counts[object.action] = (this.#counts[object.action] ?? 0) + 1;
    if (object.adopts) this.#adopts++;
    this.#takes += object.fields.filter((field) => field.change === 'take').length;
    this.#conflicts ||= object.fields.some((field) => field.change === 'conflict');
    if (object.error) this.#errors.push(object.error);
    host(object);
  }

  finish(): PlanSummary {
    const { unchanged: _, gone: __, ...changing } = this.#counts;
    const failed = this.#errors.length > 0 ? exitCodeOf('resource') : this.#conflicts ? exitCodeOf('conflict') : 0;
    return {
      event: 'plan-summary',
      counts: this.#counts,
      adopts: this.#adopts,
      takes: this.#takes,
      differs: Object.keys(changing).length > 0,
      exitCode: failed,
      errors: this.#errors,
    };
  }
}
