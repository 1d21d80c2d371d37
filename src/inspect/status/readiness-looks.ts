import type { ObjectIdentity } from '../../assembly/identity.js';
import type { IntentPolicy } from '../../assembly/types.js';
import { CauseFinder } from '../../engine/readiness/causes/cause-finder.js';
import type { CauseSearch } from '../../engine/readiness/causes/cause-search.js';
import { hasPods } from '../../engine/readiness/causes/newest-pods.js';
import { OptionalReads } from '../../engine/readiness/causes/optional-reads.js';
import { waitLimits } from '../../engine/readiness/deploy-readiness.js';
import { expectsStatus } from '../../engine/readiness/expects-status.js';
import { explain } from '../../engine/readiness/explain-readiness.js';
import { isCustom, readiness } from '../../engine/readiness/readiness.js';
import type { Readiness, SettledReadiness } from '../../engine/report/readiness-state.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import type { JsonObject } from '../../util/json.js';

/** Looks at the readiness of live objects now. Shared parts of the looks of one run are read once. */
export class ReadinessLooks {
  readonly #cluster: ClusterClient;
  readonly #search: CauseSearch | undefined;
  /** For each kind, true if its controller is expected to write a status. */
  readonly #expectations = new Map<string, Promise<boolean>>();

  /** @param causes with what the causes for which workloads are not ready are searched for; absent: they are not. */
  constructor(cluster: ClusterClient, causes: Pick<CauseSearch, 'declared' | 'secrets'> | undefined) {
    this.#cluster = cluster;
    this.#search = causes && { ...causes, reads: new OptionalReads(cluster) };
  }

  /**
   * Returns the readiness of an object, of a workload with the cause that its pods show now: every failure that they show counts, however old. A cause
   * that is certain is a failure, as it is for a deploy that waits.
   *
   * @param policy that of its intent, where it is known.
   */
  async at(live: JsonObject, identity: ObjectIdentity, policy?: IntentPolicy): Promise<SettledReadiness> {
    const ready = await this.withoutCause(live, policy);
    const isWaiting = ready.state === 'in-progress' || ready.state === 'failed';
    if (this.#search === undefined || !isWaiting || !hasPods(identity)) return ready;
    const { machine } = this.#cluster;
    const { failFast, unschedulableSeconds } = waitLimits(policy, {});
    const finder = new CauseFinder(this.#search, { created: true, changedBy: undefined, unschedulableSeconds }, machine.wall());
    const explained = await explain(finder, live, ready, undefined, () => machine.wall());
    return failFast && explained.cause?.certain ? { ...explained, state: 'failed' } : explained;
  }

  /** Returns what an object itself says of its readiness. */
  async withoutCause(live: JsonObject, policy?: Pick<IntentPolicy, 'waitFor'>): Promise<Readiness> {
    const { waitFor } = policy ?? {};
    const type = { apiVersion: String(live.apiVersion), kind: String(live.kind) };
    const now = this.#cluster.machine.wall();
    if (!isCustom(type) || waitFor) return readiness(live, { waitFor, now });
    const key = `${type.apiVersion}/${type.kind}`;
    const expects = this.#expectations.get(key) ?? this.#expected(type).catch(() => false);
    this.#expectations.set(key, expects);
    return readiness(live, { expectsStatus: await expects, now });
  }

  async #expected({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): Promise<boolean> {
    return (await expectsStatus(this.#cluster, await this.#cluster.resourceOf(apiVersion, kind))) ?? false;
  }
}
