import { objectText } from '../assembly/identity.js';
import type { Assembly, StackManifest } from '../assembly/types.js';
import type { Cluster } from '../cluster/index.js';
import { FieldwiseError } from '../util/error.js';
import { applyStep } from './apply-step.js';
import { type EventHost, type ObjectReport, type RunSummary, untouched } from './events.js';
import { InventoryStore } from './inventory/store.js';
import { defaultConcurrency, defaultInventoryNamespace, type RunOptions } from './options.js';
import { placeOf } from './place.js';
import { inPool } from './pool.js';
import { askAll, pruneQuestion, undeclared } from './prune.js';
import { deletionOptions, inOrder, reportOf, retire, uidsOf } from './retire.js';
import { Run } from './run.js';
import { resolveScopes } from './scope.js';
import { StackState } from './stack-state.js';
import { type Step, stepsOf, wavesOf } from './waves.js';

/**
 * Brings the chosen stacks of an assembly into the cluster: applies each intent, then deletes or releases what their programs no
 * longer declare. Stacks that the assembly does not declare are never touched. A run that was killed is finished by running it again.
 *
 * @throws FieldwiseError of kind `usage`, before anything is changed: unknown stack, dependency cycle, `confirmation-needed`.
 *   Everything else ends in the reports and the summary.
 */
export async function deploy(assembly: Assembly, cluster: Cluster, options: RunOptions, host: EventHost): Promise<RunSummary> {
  const { app, instance } = assembly.manifest;
  const stacks = chooseStacks(assembly, options.stacks);
  const declared = stepsOf(assembly, stacks);
  wavesOf(declared); // a cycle is found before the first request
  const run = new Run('deploy', host, options.signal);
  const names = stacks.map((stack) => stack.name);
  host({ event: 'started', verb: 'deploy', app, instance, stacks: names, server: cluster.server, objects: declared.length });
  let steps: readonly Step[];
  let states: readonly StackState[];
  try {
    steps = await resolveScopes(cluster, declared);
    states = await readStates(assembly, stacks, steps, cluster, options);
    await askAll(
      states.map((state) => pruneQuestion(state.stack, state.before, state.steps, options)).filter((question) => question !== undefined),
      options,
    );
  } catch (error) {
    if (error instanceof FieldwiseError && error.kind === 'usage') throw error;
    const { message } = run.fail(error);
    for (const step of declared) run.report({ ...stepReport(step), result: 'skipped', reason: message });
    return run.finish();
  }
  const deployment = new Deployment(cluster, options, host, run, steps, states);
  await deployment.recordSuperset();
  await deployment.applyWaves();
  await deployment.prune();
  await deployment.recordEnd();
  return run.finish();
}

/** The stacks to work on, in deploy order. */
export function chooseStacks(assembly: Assembly, names: readonly string[] | undefined): readonly StackManifest[] {
  const { stacks } = assembly.manifest;
  const unknown = names?.find((name) => !stacks.some((stack) => stack.name === name));
  if (unknown !== undefined) {
    throw new FieldwiseError('stack-unknown', 'usage', `The program declares no stack ${unknown}`, {
      next: `Its stacks are: ${stacks.map((stack) => stack.name).join(', ') || 'none'}.`,
    });
  }
  return names && names.length > 0 ? stacks.filter((stack) => names.includes(stack.name)) : stacks;
}

async function readStates(
  assembly: Assembly,
  stacks: readonly StackManifest[],
  steps: readonly Step[],
  cluster: Cluster,
  options: RunOptions,
): Promise<readonly StackState[]> {
  const { app, instance } = assembly.manifest;
  const store = new InventoryStore(cluster, options.inventoryNamespace ?? defaultInventoryNamespace);
  return Promise.all(
    stacks.map(async (stack) => {
      const inventory = await store.readStack({ app, instance, stack: stack.name, manager: stack.manager });
      const own = steps.filter((step) => step.stack === stack);
      return new StackState(stack, own, inventory, store);
    }),
  );
}

/** A deploy under way. */
class Deployment {
  readonly #cluster: Cluster;
  readonly #options: RunOptions;
  readonly #host: EventHost;
  readonly #run: Run;
  readonly #steps: readonly Step[];
  readonly #states: ReadonlyMap<string, StackState>;
  readonly #concurrency: number;
  /** resourceVersion by uid after the last apply. */
  readonly #lastSeen = new Map<string, string>();
  /** Steps that did not succeed. */
  readonly #failed = new Set<Step>();

  constructor(cluster: Cluster, options: RunOptions, host: EventHost, run: Run, steps: readonly Step[], states: readonly StackState[]) {
    this.#cluster = cluster;
    this.#options = options;
    this.#host = host;
    this.#run = run;
    this.#steps = steps;
    this.#states = new Map(states.map((state) => [state.stack.name, state]));
    this.#concurrency = options.concurrency ?? defaultConcurrency;
  }

  async recordSuperset(): Promise<void> {
    await inPool([...this.#states.values()], this.#concurrency, (state) => state.recordSuperset(this.#run));
  }

  async applyWaves(): Promise<void> {
    for (const wave of wavesOf(this.#steps)) {
      await inPool(wave, this.#concurrency, async (step) => {
        const report = await this.#apply(step);
        if (!succeeded.has(report.result)) this.#failed.add(step);
        this.#run.report(report);
      });
    }
  }

  /** Deletes or releases what stacks no longer declare, where all that they do declare succeeded. */
  async prune(): Promise<void> {
    const ours = uidsOf([...this.#states.values()].map((state) => state.entries));
    for (const state of this.#states.values()) {
      const going = undeclared(state.before, state.steps);
      const { stack } = state.before;
      if (!this.#complete(state) && this.#run.stopped === undefined) {
        const reason = 'no longer declared, but kept because its stack did not fully succeed';
        for (const [, entry] of going) this.#run.report({ ...reportOf(stack, entry), result: 'skipped', reason });
        continue;
      }
      await inOrder(going, this.#concurrency, async ([key, entry]) => {
        const declaredElsewhere = this.#steps.some((step) => step.key === key && step.stack !== state.stack);
        const options = { ...deletionOptions(this.#options, ours), declaredElsewhere };
        if (await retire(this.#cluster, this.#run, stack, entry, options)) state.entries.delete(key);
      });
    }
  }

  async recordEnd(): Promise<void> {
    await inPool([...this.#states.values()], this.#concurrency, (state) => state.recordEnd(this.#run, this.#lastSeen));
  }

  async #apply(step: Step): Promise<ObjectReport> {
    const state = this.#states.get(step.stack.name) as StackState;
    const reason = this.#run.stopped ?? state.broken ?? this.#brokenDependency(step);
    if (reason !== undefined) return { ...stepReport(step), result: 'skipped', reason };
    try {
      const outcome = await applyStep(step, {
        cluster: this.#cluster,
        signal: this.#options.signal,
        known: state.before.entries.get(step.key),
        onWait: (wait) => this.#host({ event: 'waiting', stack: step.stack.name, object: objectText(step.intent), ...wait }),
        onApplied: (entry) => {
          state.entries.set(step.key, entry);
          if (entry.uid !== undefined && entry.resourceVersion !== undefined) this.#lastSeen.set(entry.uid, entry.resourceVersion);
        },
      });
      return { ...stepReport(step), ...outcome };
    } catch (error) {
      return { ...stepReport(step), result: 'failed', error: this.#run.note(error) };
    }
  }

  /** Declared dependencies that did not succeed; order by kind alone is no reason to give up. */
  #brokenDependency(step: Step): string | undefined {
    if (this.#failed.size === 0) return undefined;
    for (const failed of this.#failed) {
      if (failed.stack === step.stack && step.intent.dependsOn.includes(failed.index)) {
        return `it depends on ${objectText(failed.intent)}, which did not succeed`;
      }
      if (step.stack.dependsOn.includes(failed.stack.name)) return `its stack depends on ${failed.stack.name}, which did not succeed`;
    }
    return undefined;
  }

  #complete(state: StackState): boolean {
    return state.broken === undefined && !state.steps.some((step) => this.#failed.has(step));
  }
}

const succeeded: ReadonlySet<string> = new Set(['created', 'updated', 'unchanged', 'applied']);

function stepReport(step: Step): Omit<ObjectReport, 'result'> {
  return { ...untouched, ...placeOf(step.stack.name, step.stack.manager, step.intent), declaredBy: step.intent.declaredBy };
}
