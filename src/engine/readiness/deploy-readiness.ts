import { objectText } from '../../assembly/identity.js';
import type { Assembly, IntentManifest, StackManifest } from '../../assembly/types.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { addressOf } from '../addresses/address.js';
import type { Step } from '../graph/waves.js';
import type { EventHost } from '../report/events.js';
import type { SettledReadiness } from '../report/readiness-state.js';
import type { RunOptions } from '../run/options.js';
import type { SecretMasker } from '../secrets/secret-masker.js';
import { CauseFinder } from './causes/cause-finder.js';
import type { CauseSearch } from './causes/cause-search.js';
import { DeclaredFields } from './causes/declared-fields.js';
import { hasPods } from './causes/newest-pods.js';
import { OptionalReads } from './causes/optional-reads.js';
import { certainAfterSeconds } from './causes/symptom.js';
import { isWaitedFor } from './readiness.js';
import { ReadinessWaiter } from './readiness-waiter.js';

/** Waits for the objects that a deploy applied and records how they settled. */
export class DeployReadiness {
  readonly #cluster: ClusterClient;
  readonly #options: RunOptions;
  readonly #host: EventHost;
  readonly #waiter: ReadinessWaiter;
  /** By stack, then by index of the intent. */
  readonly #settling = new Map<string, Map<number, Promise<void>>>();
  readonly #groups = new Map<string, Promise<unknown>>();

  readonly #search: CauseSearch;

  /** @param program what the run deploys, to name the declarations of causes and to mask logs. */
  constructor(
    cluster: ClusterClient,
    options: RunOptions,
    host: EventHost,
    program: { readonly assembly: Assembly; readonly secrets: SecretMasker },
  ) {
    const { assembly, secrets } = program;
    this.#search = { reads: new OptionalReads(cluster), declared: new DeclaredFields(assembly), secrets };
    this.#cluster = cluster;
    this.#options = options;
    this.#host = host;
    this.#waiter = new ReadinessWaiter(cluster, options.signal);
  }

  /**
   * Follows the object of a step that was applied, where there is something to wait for.
   *
   * @param affected whether the apply may have changed the object's generation.
   * @param onSettled called once, when waiting ends; immediately, without readiness, where nothing is waited for.
   */
  async follow(
    step: Step,
    applied: { readonly uid: string; readonly affected: boolean; readonly created: boolean },
    onSettled: (readiness: SettledReadiness | undefined) => void,
  ): Promise<void> {
    const seconds = readinessTimeoutSeconds(step.intent, applied.affected, this.#options);
    if (seconds === undefined) return onSettled(undefined);
    const limits = waitLimits(step.intent.policy, this.#options);
    const searched = { created: applied.created, changedBy: applied.affected ? step.stack.manager : undefined, ...limits };
    const { settled } = await this.#waiter.follow({
      ...limits,
      finder: hasPods(step.intent) ? new CauseFinder(this.#search, searched, this.#cluster.machine.wall()) : undefined,
      address: await addressOf(this.#cluster, step.intent),
      uid: applied.uid,
      waitFor: step.intent.policy.waitFor,
      created: applied.created,
      timeoutSeconds: seconds,
      onChange: (readiness) => this.#host({ event: 'readiness', stack: step.stack.name, object: objectText(step.intent), readiness }),
    });
    const { name } = step.stack;
    const ofStack = this.#settling.get(name) ?? new Map<number, Promise<void>>();
    this.#settling.set(name, ofStack.set(step.index, settled.then(onSettled)));
  }

  /** Starts to watch objects applied since the last call; called after each wave. */
  refresh(): void {
    this.#waiter.refresh();
  }

  /** Waits for the declared dependencies of a step. Order by kind alone waits for nothing. */
  async dependenciesOf(step: Step): Promise<void> {
    if (this.#settling.size === 0) return;
    const stacks = step.stack.dependsOn.map((name) => this.#once(`stack ${name}`, () => [...(this.#settling.get(name)?.values() ?? [])]));
    await Promise.all([...stacks, ...step.intent.dependsOn.map((node) => this.#settled(step.stack, node))]);
  }

  /**
   * Waits for all remaining objects, each until it is ready, has failed, or its time is over: the failure of one does not end the wait for
   * others.
   */
  async waitForAll(): Promise<void> {
    this.#waiter.refresh();
    await Promise.all([...this.#settling.values()].flatMap((ofStack) => [...ofStack.values()]));
  }

  close(): void {
    this.#waiter.close();
  }

  /** Returns a promise for an intent of a stack, or for all members of a group. */
  #settled(stack: StackManifest, node: number): Promise<unknown> | undefined {
    if (node < stack.intents.length) return this.#settling.get(stack.name)?.get(node);
    const members = stack.groups?.[node - stack.intents.length] ?? [];
    return this.#once(`group ${node} ${stack.name}`, () => members.map((member) => this.#settled(stack, member)));
  }

  /**
   * Returns the same promise for every caller: all members of a group are applied, and so followed, before the first step that needs the
   * group.
   */
  #once(key: string, members: () => readonly (Promise<unknown> | undefined)[]): Promise<unknown> {
    let all = this.#groups.get(key);
    if (!all) {
      all = Promise.all(members());
      this.#groups.set(key, all);
    }
    return all;
  }
}

/** Returns the seconds to wait for an applied object; undefined where nothing is waited for. */
export function readinessTimeoutSeconds(
  { apiVersion, kind, lifecycle, policy }: IntentManifest,
  affected: boolean,
  options: Pick<RunOptions, 'wait' | 'waitSeconds'>,
): number | undefined {
  const wanted = options.wait ?? policy.wait !== false;
  if (!wanted) return undefined;
  const mayConcern = lifecycle === 'own' || affected || policy.waitFor !== undefined;
  if (!mayConcern || (policy.waitFor === undefined && !isWaitedFor({ apiVersion, kind }))) return undefined;
  return options.waitSeconds ?? (policy.wait === false ? defaultReadinessTimeoutSeconds : policy.wait.seconds);
}

/** Returns what ends the wait for an object before its timeout. */
export function waitLimits(
  policy: Pick<IntentManifest['policy'], 'wait'> | undefined,
  options: Pick<RunOptions, 'failFast'>,
): { readonly failFast: boolean; readonly unschedulableSeconds: number } {
  const { failFast = true, unschedulableSeconds = certainAfterSeconds.unschedulable } =
    policy === undefined || policy.wait === false ? {} : policy.wait;
  return { failFast: options.failFast ?? failFast, unschedulableSeconds };
}

const defaultReadinessTimeoutSeconds = 300;
