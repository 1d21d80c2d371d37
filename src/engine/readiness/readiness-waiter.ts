import type { WaitFor } from '../../assembly/policy-vocabulary.js';
import { uidOf } from '../../fields/object.js';
import { type ClusterClient, isForbidden, type ObjectAddress } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import { every, poll } from '../../util/machine.js';
import { failed, inProgress, type Readiness, type SettledReadiness } from '../report/readiness-state.js';
import type { CauseFinder } from './causes/cause-finder.js';
import type { Explanation } from './causes/cause-search.js';
import { expectsStatus } from './expects-status.js';
import { explain, isObserved } from './explain-readiness.js';
import { evaluateReadiness, isCustom, type ReadinessEvaluation } from './readiness.js';
import { ResourceWatch } from './resource-watch.js';

/** An object that was applied and is to become ready. */
export interface FollowedObject {
  readonly address: ObjectAddress;
  readonly uid: string;
  readonly waitFor: WaitFor | undefined;
  /** The apply created it: nothing in its status is from before. */
  readonly created: boolean;
  /** Counted from now. */
  readonly timeoutSeconds: number;
  /** Looks for the cause if it stands still; absent for an object without pods. */
  readonly finder?: CauseFinder | undefined;
  /** False to wait until the timeout even if the cause of a failure is certain. */
  readonly failFast: boolean;
  readonly unschedulableSeconds: number;
  /** Called whenever its readiness changes, until it is settled. */
  readonly onChange: (readiness: Readiness) => void;
}

interface PendingObject extends FollowedObject {
  readonly expectsStatus: boolean;
  readonly deadline: number;
  readonly settle: (readiness: SettledReadiness) => void;
  last: Readiness;
  /** Time alone may change its readiness. */
  provisional: boolean;
  object: JsonObject | undefined;
  /** The object as it was first read after the apply, and the time of that. */
  applied: { readonly first: JsonObject; readonly at: number } | undefined;
  readError: string | undefined;
  /** The cause that `onChange` reported last. */
  reportedCause: string | undefined;
  /** A look at its pods is in progress. */
  isLooking: boolean;
  /** Its readiness is known, and the cause is being described. */
  isEnding: boolean;
}

/** The maximum number of looks at pods at the same time. */
const maxLooks = 4;
/** The milliseconds for which the end of a wait is put off to describe its cause. */
const describeMs = 8_000;

const tickMs = 500; // milliseconds

/** Seconds that a server may take to publish the schema of a kind that it already serves. */
const publishTimeoutSeconds = 5;

/** Waits until objects are ready, one list and watch per kind and namespace. */
export class ReadinessWaiter {
  readonly #cluster: ClusterClient;
  readonly #signal: AbortSignal | undefined;
  readonly #watches = new Map<string, ResourceWatch>();
  readonly #open = new Map<string, PendingObject[]>();
  readonly #expects = new Map<string, Promise<boolean>>();
  readonly #onAbort = () => this.#giveUp('interrupted while waiting for it');
  #endTicks: (() => void) | undefined;
  #looks = 0;

  constructor(cluster: ClusterClient, signal: AbortSignal | undefined) {
    this.#cluster = cluster;
    this.#signal = signal;
    signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Begins to follow an object; the next `refresh` reads it. The inner promise settles and never rejects. */
  async follow(followed: FollowedObject): Promise<{ readonly settled: Promise<SettledReadiness> }> {
    const { resource } = followed.address;
    const expects = isCustom(resource) && followed.waitFor === undefined ? await this.#expectsStatus(resource) : false;
    const settled = new Promise<SettledReadiness>((settle) => {
      const open: PendingObject = {
        ...followed,
        expectsStatus: expects,
        deadline: this.#cluster.machine.wall() + followed.timeoutSeconds * 1000,
        settle,
        last: inProgress('NotSeen', 'it has not been read yet'),
        provisional: false,
        object: undefined,
        applied: undefined,
        readError: undefined,
        reportedCause: undefined,
        isLooking: false,
        isEnding: false,
      };
      this.#watchOf(followed.address).add(followed.address.name);
      const key = addressKey(followed.address);
      this.#open.set(key, [...(this.#open.get(key) ?? []), open]);
    });
    this.#endTicks ??= every(this.#cluster.machine, tickMs, () => this.#onTick());
    if (this.#signal?.aborted) this.#onAbort();
    return { settled };
  }

  /** Reads every object that is followed since the last call. */
  refresh(): void {
    for (const watch of this.#watches.values()) watch.refresh();
  }

  close(): void {
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#endTicks?.();
    for (const watch of this.#watches.values()) watch.close();
  }

  #watchOf({ resource, namespace }: ObjectAddress): ResourceWatch {
    const key = `${resource.apiVersion} ${resource.plural} ${namespace ?? ''}`;
    let watch = this.#watches.get(key);
    if (!watch) {
      const at = (name: string): ObjectAddress => ({ resource, ...(namespace === undefined ? {} : { namespace }), name });
      watch = new ResourceWatch(
        this.#cluster,
        { resource, namespace },
        {
          onObject: (name, object) => this.#onObject(at(name), object),
          onError: (error, names) => names.forEach((name) => void this.#onError(at(name), error)),
        },
      );
      this.#watches.set(key, watch);
    }
    return watch;
  }

  #onObject(address: ObjectAddress, object: JsonObject | undefined): void {
    const now = this.#cluster.machine.wall();
    for (const open of this.#open.get(addressKey(address)) ?? []) {
      open.object = object;
      if (!open.created) open.applied ??= object && { first: object, at: now };
      open.readError = undefined;
      if (object) open.finder?.observe(object, now);
      this.#evaluate(open, evaluatePending(open, now));
    }
  }

  #onError(address: ObjectAddress, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    const final = isForbidden(error) || (error instanceof FieldwiseError && error.kind === 'authentication');
    for (const open of this.#open.get(addressKey(address)) ?? []) {
      open.readError = message;
      if (final) this.#settle(open, failed('Unreadable', `it cannot be read: ${message}`));
    }
  }

  #evaluate(open: PendingObject, { readiness: now, provisional }: ReadinessEvaluation): void {
    if (open.isEnding) return;
    const changed = now.state !== open.last.state || now.message !== open.last.message;
    open.last = now;
    open.provisional = provisional;
    if (now.state !== 'in-progress') this.#end(open, now);
    else if (changed) open.onChange(now);
  }

  #onTick(): void {
    const now = this.#cluster.machine.wall();
    for (const open of [...this.#open.values()].flat()) {
      if (open.isEnding) continue;
      if (open.object && open.provisional) this.#evaluate(open, evaluatePending(open, now));
      if (open.deadline <= now) {
        this.#end(open, { ...open.last, message: lastMessage(open), timedOutAfterSeconds: open.timeoutSeconds });
      } else if (open.finder?.isDue(now) && !open.isLooking && this.#looks < maxLooks) void this.#look(open, open.finder);
    }
  }

  /** Looks for the cause for which an object stands still. A cause that is certain ends the wait. */
  async #look(open: PendingObject, finder: CauseFinder): Promise<void> {
    const { object } = open;
    if (object === undefined || !isObserved(object)) return;
    open.isLooking = true;
    this.#looks += 1;
    const explanation = await finder.look(object, this.#cluster.machine.wall());
    this.#looks -= 1;
    open.isLooking = false;
    if (explanation === undefined || open.isEnding || open.object === undefined) return;
    const { symptom, certain } = explanation;
    if (certain && open.failFast && !wasReplaced(open)) {
      this.#end(open, failed(symptom.reason, lastMessage(open)), explanation);
    } else if (open.reportedCause !== symptom.key) {
      open.reportedCause = symptom.key;
      open.onChange(inProgress(symptom.reason, `${symptom.message}; ${open.last.message}`));
    }
  }

  /** Settles an object, after the cause of a failure or of a timeout is described. */
  #end(open: PendingObject, readiness: SettledReadiness, found?: Explanation): void {
    const { finder, object } = open;
    const explains = finder && object && readiness.state !== 'current' && readiness.state !== 'terminating' && !wasReplaced(open);
    if (!explains || this.#signal?.aborted) {
      this.#settle(open, readiness);
      return;
    }
    open.isEnding = true;
    const { machine } = this.#cluster;
    const plain = new Promise<SettledReadiness>((resolve) => {
      machine.after(describeMs, () => resolve(readiness), { unref: true });
    });
    void Promise.race([explain(finder, object, readiness, found, machine.wall), plain]).then((explained) => this.#settle(open, explained));
  }

  #giveUp(why: string): void {
    for (const open of [...this.#open.values()].flat()) this.#settle(open, { ...open.last, message: `${lastMessage(open)} (${why})` });
  }

  #settle(open: PendingObject, readiness: SettledReadiness): void {
    open.isEnding = true;
    const key = addressKey(open.address);
    const all = this.#open.get(key) ?? [];
    if (!all.includes(open)) return; // An interrupt has settled it.
    const others = all.filter((other) => other !== open);
    if (others.length > 0) this.#open.set(key, others);
    else {
      this.#open.delete(key);
      this.#watchOf(open.address).drop(open.address.name);
    }
    open.settle(readiness);
  }

  #expectsStatus(resource: ObjectAddress['resource']): Promise<boolean> {
    const key = `${resource.apiVersion} ${resource.kind}`;
    let expects = this.#expects.get(key);
    if (!expects) {
      // Without a schema nothing is known of the kind's status; that does not fail the wait.
      expects = poll(this.#cluster.machine, publishTimeoutSeconds, this.#signal, () => expectsStatus(this.#cluster, resource))
        .then((known) => known ?? false)
        .catch(() => false);
      this.#expects.set(key, expects);
    }
    return expects;
  }
}

function evaluatePending(open: PendingObject, now: number): ReadinessEvaluation {
  const { object, waitFor, expectsStatus, applied, failFast, unschedulableSeconds } = open;
  const final = (readiness: Readiness): ReadinessEvaluation => ({ readiness, provisional: false });
  if (!object) return final(failed('Deleted', 'it was deleted while waiting for it'));
  if (wasReplaced(open)) return final(failed('Replaced', 'it was replaced by another object of its name'));
  return evaluateReadiness(object, { waitFor, expectsStatus, now, failFast, unschedulableSeconds, ...(applied ? { applied } : {}) });
}

function wasReplaced({ object, uid }: PendingObject): boolean {
  return object !== undefined && uidOf(object) !== uid;
}

function lastMessage(open: PendingObject): string {
  return open.readError === undefined ? open.last.message : `${open.last.message}; it could not be read: ${open.readError}`;
}

function addressKey({ resource, namespace, name }: ObjectAddress): string {
  return `${resource.apiVersion} ${resource.plural} ${namespace ?? ''} ${name}`;
}
