import { groupOf } from '../../../assembly/identity.js';
import { metadataOf, uidOf } from '../../../fields/object.js';
import type { JsonObject } from '../../../util/json.js';
import { count, listOf, member, specOf, statusOf } from '../object.js';
import type { OptionalReads } from './optional-reads.js';

/** The workloads whose pods are looked at, by group and kind, with the labels of their newest revision. */
const revisions: Readonly<Record<string, (pods: NewestPods, workload: JsonObject, notes: Set<string>) => Promise<Revision | undefined>>> = {
  'apps/Deployment': (pods, workload, notes) => pods.newestReplicaSet(workload, notes),
  'apps/StatefulSet': async (_, workload) => ({ owner: uidOf(workload), label: revisionLabel(statusOf(workload).updateRevision) }),
  'apps/DaemonSet': (pods, workload, notes) => pods.newestControllerRevision(workload, notes),
  'apps/ReplicaSet': async (_, workload) => ({ owner: uidOf(workload), label: '' }),
  '/ReplicationController': async (_, workload) => ({ owner: uidOf(workload), label: '' }),
  'batch/Job': async (_, workload) => ({ owner: uidOf(workload), label: '' }),
};

/** The newest revision of a workload: the uid of the controller of its pods, and their label. */
interface Revision {
  readonly owner: string;
  readonly label: string;
}

/** Returns true if causes are looked for in the pods of a kind, or in the pod itself. */
export function hasPods({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): boolean {
  return isPod({ apiVersion, kind }) || Object.hasOwn(revisions, `${groupOf(apiVersion)}/${kind}`);
}

export function isPod({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): boolean {
  return apiVersion === 'v1' && kind === 'Pod';
}

/** Finds the pods of the newest revision of a workload: the crash of an old revision says nothing of a new one. */
export class NewestPods {
  readonly #reads: OptionalReads;
  /** The revision of a generation, which does not change once it exists. */
  #known: { readonly generation: number; readonly revision: Revision } | undefined;

  constructor(reads: OptionalReads) {
    this.#reads = reads;
  }

  /** Returns the pods; undefined where they cannot be read, or where the newest revision does not exist yet. */
  async of(workload: JsonObject, notes: Set<string>): Promise<readonly JsonObject[] | undefined> {
    const { apiVersion, kind } = workload as { readonly apiVersion: string; readonly kind: string };
    if (isPod({ apiVersion, kind })) return [workload];
    const generation = count(metadataOf(workload).generation);
    const find = revisions[`${groupOf(apiVersion)}/${kind}`];
    const revision = this.#known?.generation === generation ? this.#known.revision : await find?.(this, workload, notes);
    const selector = selectorText(workload);
    if (!revision || selector === '') return undefined;
    this.#known = { generation, revision };
    const labelSelector = revision.label === '' ? selector : `${selector},${revision.label}`;
    const pods = await this.#reads.list('pods', { namespace: metadataOf(workload).namespace ?? '', labelSelector }, notes);
    return pods?.filter((pod) => isControlledBy(pod, revision.owner)).map((pod) => ({ ...pod, apiVersion: 'v1', kind: 'Pod' }));
  }

  async newestReplicaSet(workload: JsonObject, notes: Set<string>): Promise<Revision | undefined> {
    const revisionOf = (object: JsonObject) => Number(metadataOf(object).annotations?.['deployment.kubernetes.io/revision'] ?? 0);
    const newest = await this.#newestOwned('replicaSets', workload, revisionOf, notes);
    const hash = metadataOf(newest).labels?.['pod-template-hash'];
    return newest && { owner: uidOf(newest), label: hash === undefined ? '' : `pod-template-hash=${hash}` };
  }

  async newestControllerRevision(workload: JsonObject, notes: Set<string>): Promise<Revision | undefined> {
    const newest = await this.#newestOwned('controllerRevisions', workload, ({ revision }) => count(revision), notes);
    const hash = metadataOf(newest).labels?.['controller-revision-hash'];
    return hash === undefined ? undefined : { owner: uidOf(workload), label: revisionLabel(hash) };
  }

  async #newestOwned(
    what: 'replicaSets' | 'controllerRevisions',
    workload: JsonObject,
    rank: (object: JsonObject) => number,
    notes: Set<string>,
  ): Promise<JsonObject | undefined> {
    const scope = { namespace: metadataOf(workload).namespace ?? '', labelSelector: selectorText(workload) };
    const owned = (await this.#reads.list(what, scope, notes))?.filter((object) => isControlledBy(object, uidOf(workload)));
    return owned?.reduce<JsonObject | undefined>((best, next) => (best === undefined || rank(next) > rank(best) ? next : best), undefined);
  }
}

function isControlledBy(object: JsonObject, uid: string): boolean {
  return (metadataOf(object).ownerReferences ?? []).some((owner) => owner.controller === true && owner.uid === uid);
}

function revisionLabel(revision: unknown): string {
  return typeof revision === 'string' && revision !== '' ? `controller-revision-hash=${revision}` : '';
}

/** Writes the selector of a workload as the text of a list request; empty where it has none. Source: Kubernetes API, "Labels and Selectors". */
export function selectorText(workload: JsonObject): string {
  const selector = member(specOf(workload), 'selector');
  const isPlain = workload.kind === 'ReplicationController';
  const labels = Object.entries(isPlain ? selector : member(selector, 'matchLabels')).map(([name, value]) => `${name}=${String(value)}`);
  if (isPlain) return labels.join(',');
  const expressions = listOf(selector.matchExpressions).map(({ key, operator, values }) => {
    const list = Array.isArray(values) ? values.map(String).join(',') : '';
    if (operator === 'In' || operator === 'NotIn') return `${String(key)} ${operator.toLowerCase()} (${list})`;
    return operator === 'Exists' ? String(key) : `!${String(key)}`;
  });
  return [...labels, ...expressions].join(',');
}
