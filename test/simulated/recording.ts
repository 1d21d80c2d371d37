import type { ResponseBody } from '../harness/api-client.js';
import { ref, type TestCluster } from '../harness/cluster.js';
import { watchObject } from '../harness/watch.js';
import { type Normalize, normalizer } from './normalize.js';
import type { Scenario, Step } from './scenario.js';

/** The life of a workload, as texts that can be compared. */
export interface Recording {
  readonly steps: readonly RecordedStep[];
  /** The events about workloads and what they make, without those of pods. */
  readonly events: readonly string[];
  /** What is there in the end, with the owners of its fields. */
  readonly objects: readonly string[];
}

export interface RecordedStep {
  readonly name: string;
  /** The conditions of the workload, each time that they are different. */
  readonly conditions: readonly string[];
  /** The rest of its status in the end. */
  readonly counts: string;
}

const kinds: readonly (readonly [apiVersion: string, kind: string])[] = [
  ['apps/v1', 'ControllerRevision'],
  ['v1', 'PersistentVolumeClaim'],
  ['v1', 'Pod'],
  ['apps/v1', 'ReplicaSet'],
];

/** Kinds of the objects that every namespace has. */
const kindsOfNamespace = [
  ['v1', 'ConfigMap'],
  ['v1', 'ServiceAccount'],
] as const;

/** Runs a scenario in a namespace of its own. `quietMs`: a workload that has not changed for so long has arrived. */
export async function record(cluster: TestCluster, scenario: Scenario, quietMs: number): Promise<Recording> {
  const namespace = `recorded-${scenario.name}`;
  const { metadata } = await cluster.create('test', ref('v1', 'Namespace', namespace));
  const { apiVersion, kind, spec } = scenario.workload;
  const workload = ref(apiVersion, kind, 'web', namespace);
  const watched = await watchObject(cluster, workload, { from: metadata.resourceVersion });
  await cluster.create('test', { ...workload, spec });
  try {
    const steps: (Omit<RecordedStep, 'counts'> & { readonly status: ResponseBody })[] = [];
    let seen = 0;
    for (const { name, patch, until } of scenario.steps) {
      if (patch !== undefined) await cluster.patch('test', workload, patch);
      await arrived(`${scenario.name}: ${name}`, watched.events, until, quietMs);
      const states = watched.events.slice(seen).map(({ object }) => conditionsText(object));
      seen = watched.events.length;
      steps.push({ name, conditions: states, status: watched.events.at(-1).object.status });
    }
    const objects = await objectsOf(cluster, namespace, scenario.recordsNamespace === true);
    const normalize = normalizer(namespace, [await cluster.get(workload), ...objects]);
    return {
      steps: withoutRepeats(
        steps.map(({ name, conditions, status }) => ({ name, conditions: conditions.map(normalize), counts: normalize(countsOf(status)) })),
      ),
      events: [...new Set((await cluster.list('v1', 'Event', namespace)).flatMap((event) => eventText(event, normalize)))].sort(),
      objects: [await cluster.get(workload), ...objects].map((object) => objectText(object, normalize)).sort(),
    };
  } finally {
    watched.stop();
  }
}

async function arrived(what: string, events: readonly ResponseBody[], until: Step['until'], quietMs: number): Promise<void> {
  const deadline = Date.now() + 90_000;
  let count = -1;
  let since = 0;
  while (count < 1 || Date.now() - since < quietMs || !until(events.at(-1).object)) {
    if (events.length !== count) [count, since] = [events.length, Date.now()];
    if (Date.now() > deadline) throw new Error(`${what}: it is still ${JSON.stringify(events.at(-1)?.object.status)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function conditionsText({ status }: ResponseBody): string {
  const conditions: readonly ResponseBody[] = status?.conditions ?? [];
  return conditions.map(({ type, status: value, reason, message }) => `${type} ${value} ${reason}: ${message}`).join(' | ');
}

function countsOf({ conditions: _, ...counts }: ResponseBody): object {
  return sorted(counts);
}

/** Leaves each state out that is the one before, of the step before included. */
function withoutRepeats(steps: readonly RecordedStep[]): readonly RecordedStep[] {
  let last = '';
  return steps.map((step) => {
    const conditions = step.conditions.filter((text) => {
      const isNew = text !== last;
      last = text;
      return isNew;
    });
    return { ...step, conditions };
  });
}

function eventText({ involvedObject, type, reason, message, source }: ResponseBody, normalize: Normalize): string[] {
  const { kind, name } = involvedObject;
  return kind === 'Pod' ? [] : [normalize(`${kind} ${name}: ${type} ${reason} by ${source.component}: ${message}`)];
}

async function objectsOf(cluster: TestCluster, namespace: string, ofNamespace: boolean): Promise<readonly ResponseBody[]> {
  const lists = await Promise.all(
    [...kinds, ...(ofNamespace ? kindsOfNamespace : [])].map(async ([apiVersion, kind]) =>
      (await cluster.list(apiVersion, kind, namespace)).map((object) => ({ apiVersion, kind, ...object })),
    ),
  );
  return lists.flat();
}

/** Returns an object as text: without the status of a pod, which the test writes, and without fields of the server. */
function objectText({ metadata, status, ...object }: ResponseBody, normalize: Normalize): string {
  const { creationTimestamp: _, resourceVersion: __, uid: ___, managedFields, ...others } = metadata;
  const owners = (managedFields ?? []).map(({ manager, operation, subresource, fieldsV1 }: ResponseBody) => ({
    ...{ manager, operation, ...(subresource === undefined ? {} : { subresource }) },
    fieldsV1: object.kind === 'Pod' && subresource === 'status' ? '…' : sorted(fieldsV1),
  }));
  const byManager = owners.map((owner: object) => JSON.stringify(owner)).sort();
  const own = object.kind === 'Pod' ? {} : { status: sorted(status) };
  return normalize({ ...sorted(object), metadata: sorted(others), ...own, owners: byManager.map((text: string) => JSON.parse(text)) });
}

function sorted(value: ResponseBody): ResponseBody {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted(value[name])]),
  );
}
