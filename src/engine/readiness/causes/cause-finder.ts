import { conditionOf, metadataOf, uidOf } from '../../../fields/object.js';
import { applyEntryOf } from '../../../ownership/index.js';
import type { JsonObject } from '../../../util/json.js';
import type { ReadinessCause } from '../../report/readiness-cause.js';
import { count, statusOf } from '../object.js';
import type { CauseSearch, Explanation } from './cause-search.js';
import { describeCause } from './describe-cause.js';
import { isPod, NewestPods } from './newest-pods.js';
import { isBeingCreated, isReady, podSymptoms } from './pod-symptoms.js';
import { failedVolume, refusedByEvents, refusedReplicas, timeOf } from './refusal-symptoms.js';
import { causeOrder, certainRestarts, oldFailureSeconds, type Symptom } from './symptom.js';

/** The workload whose causes are looked for. */
export interface SearchedObject {
  /** The apply created it: nothing of it is from before. */
  readonly created: boolean;
  /** The field manager whose apply may have changed its pods; absent if the apply changed nothing. */
  readonly changedBy: string | undefined;
  readonly unschedulableSeconds: number;
}

/** A symptom, with the time and the restarts of the first look that saw it. */
interface Sighting {
  readonly symptom: Symptom;
  readonly since: number;
  readonly firstRestarts: number;
}

/** Milliseconds without progress before the first look: a workload that makes progress costs no request. */
const standstillMs = 10_000;
/** Milliseconds between two looks; a cause takes longer than `idleMs` from its first sign until it is certain. */
const symptomMs = 4_000;
const idleMs = 15_000;
/** The maximum number of pods whose events are read in one look. */
const maxPodsWithEvents = 3;

/** Looks for the cause for which one workload stands still, in its pods and events. */
export class CauseFinder {
  readonly #search: CauseSearch;
  readonly #searched: SearchedObject;
  readonly #pods: NewestPods;
  readonly #sightings = new Map<string, Sighting>();
  readonly #notes = new Set<string>();
  readonly #progress = new Set<string>();
  #nextLookAt: number;

  /** @param now milliseconds since 1970, here and below. */
  constructor(search: CauseSearch, searched: SearchedObject, now: number) {
    this.#search = search;
    this.#searched = searched;
    this.#pods = new NewestPods(search.reads);
    this.#nextLookAt = now + standstillMs;
  }

  /** The reads that were refused or failed, such as `pods in namespace shop: forbidden`. */
  get notLookedAt(): readonly string[] {
    return [...this.#notes];
  }

  /**
   * Notes a new state of the workload. A state of its counts that it has not had yet is progress, which postpones the next look. A Job that
   * is about to fail deletes its pods: they are looked at now.
   */
  observe(workload: JsonObject, now: number): void {
    if (hasFailed(workload)) {
      this.#nextLookAt = now;
      return;
    }
    const counts = progressOf(workload);
    if (this.#progress.has(counts)) return;
    if (this.#progress.size < maxStates) this.#progress.add(counts);
    this.#nextLookAt = Math.max(this.#nextLookAt, now + standstillMs);
  }

  isDue(now: number): boolean {
    return now >= this.#nextLookAt;
  }

  /** Reads the pods of the newest revision, and events where they are needed. Never rejects. */
  async look(workload: JsonObject, now: number): Promise<Explanation | undefined> {
    this.#notes.clear();
    this.#hasNewPods = false;
    const seen = new Map<string, Sighting>();
    for (const symptom of await this.#symptomsOf(workload, now)) {
      const since = this.#sightings.get(symptom.key);
      seen.set(symptom.key, { since: since?.since ?? now, firstRestarts: since?.firstRestarts ?? symptom.restarts ?? 0, symptom });
    }
    // The pods of a Job that has failed are deleted: the last look at them has the cause.
    if (seen.size > 0 || !hasFailed(workload)) this.#sightings.clear();
    for (const [key, sighting] of seen) this.#sightings.set(key, sighting);
    this.#nextLookAt = now + (this.#sightings.size > 0 || this.#hasNewPods ? symptomMs : idleMs);
    return this.best(now);
  }

  /** Returns the best explanation of the last look: one that is certain, else by the order of causes, else the oldest. */
  best(now: number): Explanation | undefined {
    const explanations = [...this.#sightings.values()].map((sighting) => ({ ...sighting, certain: isCertain(sighting, now) }));
    const rank = ({ symptom, certain }: (typeof explanations)[number]) =>
      (certain ? 0 : causeOrder.length) + causeOrder.indexOf(symptom.cause);
    const [first] = explanations.sort((left, right) => rank(left) - rank(right) || left.since - right.since);
    return first && { symptom: first.symptom, certain: first.certain };
  }

  /** Reads the events and the log that belong to an explanation, and names the declaration of its field. Never rejects. */
  describe(explanation: Explanation, workload: JsonObject): Promise<ReadinessCause> {
    return describeCause(explanation, workload, this.#search, this.#notes);
  }

  async #symptomsOf(workload: JsonObject, now: number): Promise<readonly Symptom[]> {
    const refused = refusedReplicas(workload, !this.#isFresh(workload, workload));
    const pods = await this.#pods.of(workload, this.#notes);
    if (pods === undefined) return refused ? [refused] : [];
    const ofJob = workload.kind === 'Job' && (hasFailed(workload) ? 'failed' : 'running');
    const symptoms = pods.flatMap((pod) =>
      podSymptoms(pod, { isOld: !this.#isFresh(workload, pod), unschedulableSeconds: this.#searched.unschedulableSeconds, ofJob }),
    );
    if (refused) symptoms.unshift(refused);
    const isLacking = symptoms.length === 0 && !isPod(workload as { apiVersion: string; kind: string }) && pods.every(isReady);
    return [
      ...(await this.#confirmed(symptoms)),
      ...(await this.#volumesOf(pods, workload, now)),
      ...(isLacking ? await this.#refusedByEvents(workload) : []),
    ];
  }

  /** Confirms symptoms by the events of their pods, before their time. */
  async #confirmed(symptoms: readonly Symptom[]): Promise<readonly Symptom[]> {
    const open = symptoms.filter(({ isConfirmedBy, mayBeOld }) => isConfirmedBy && !mayBeOld).slice(0, 1);
    const [first] = open;
    if (!first?.pod || first.certainAfterSeconds === 0) return symptoms;
    const events = await this.#search.reads.eventsOf(first.pod, this.#notes);
    if (!events || first.isConfirmedBy?.(events) !== true) return symptoms;
    return symptoms.map((symptom) => (symptom === first ? { ...symptom, certainAfterSeconds: 0 } : symptom));
  }

  /** A volume that cannot be mounted shows only in events. They are read from the second look on. */
  async #volumesOf(pods: readonly JsonObject[], workload: JsonObject, now: number): Promise<readonly Symptom[]> {
    const creating = pods.filter(isBeingCreated).slice(0, maxPodsWithEvents);
    const early = creating.filter((pod) => !this.#creatingSince.has(uidOf(pod)));
    for (const pod of early) this.#creatingSince.set(uidOf(pod), now);
    this.#hasNewPods = early.length > 0;
    const found: Symptom[] = [];
    for (const pod of creating) {
      if (early.includes(pod)) continue;
      const events = await this.#search.reads.eventsOf(pod, this.#notes);
      const symptom = events && failedVolume(pod, events, !this.#isFresh(workload, pod));
      if (symptom) found.push(symptom);
    }
    return found;
  }

  /** The last look saw pods without containers for the first time: the next one reads their events. */
  #hasNewPods = false;
  readonly #creatingSince = new Map<string, number>();

  async #refusedByEvents(workload: JsonObject): Promise<readonly Symptom[]> {
    const events = await this.#search.reads.eventsOf(workload, this.#notes);
    const isOld = (event: JsonObject) => !this.#searched.created && timeOf(event) < this.#appliedAt(workload);
    const symptom = events && refusedByEvents(workload, events, isOld);
    return symptom ? [symptom] : [];
  }

  /** Returns true if an object is certainly from after the apply. Both times are of the server. */
  #isFresh(workload: JsonObject, object: JsonObject): boolean {
    if (this.#searched.created) return true;
    return Date.parse(String(metadataOf(object).creationTimestamp)) >= this.#appliedAt(workload);
  }

  #appliedAt(workload: JsonObject): number {
    const { changedBy } = this.#searched;
    const entry = changedBy === undefined ? undefined : applyEntryOf(workload, changedBy);
    return Date.parse(String(entry?.time)) || Number.POSITIVE_INFINITY;
  }
}

const maxStates = 1_000;

/** Numbers of a status that change although nothing makes progress. */
const restless: ReadonlySet<string> = new Set(['observedGeneration', 'collisionCount', 'failed', 'unavailableReplicas', 'terminating']);

function progressOf(workload: JsonObject): string {
  const numbers = Object.entries(statusOf(workload)).filter(([name, value]) => typeof value === 'number' && !restless.has(name));
  return `${count(metadataOf(workload).generation)} ${numbers.map(([name, value]) => `${name}=${String(value)}`).join(' ')}`;
}

/** Returns true if a Job has failed, or is about to fail and deletes its pods. Source: Kubernetes documentation "Jobs". */
function hasFailed(workload: JsonObject): boolean {
  return workload.kind === 'Job' && ['FailureTarget', 'Failed'].some((type) => conditionOf(workload, type)?.status === 'True');
}

function isCertain({ symptom, since, firstRestarts }: Sighting, now: number): boolean {
  const { certainAfterSeconds, mayBeOld, restarts } = symptom;
  if (certainAfterSeconds === undefined) return false;
  if (!mayBeOld) return now - since >= certainAfterSeconds * 1000;
  if (restarts !== undefined) return restarts >= certainRestarts && restarts > firstRestarts;
  return now - since >= Math.max(certainAfterSeconds, oldFailureSeconds) * 1000;
}
