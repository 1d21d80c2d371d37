import { identityKey } from '../../assembly/identity.js';
import type { Assembly } from '../../assembly/types.js';
import { addressIfServed } from '../../engine/addresses/address.js';
import { ResourceWatch, type ResourceWatch as Watch } from '../../engine/readiness/resource-watch.js';
import { explain } from '../../engine/report/explain.js';
import { type RunDiagnostic, warnOnce } from '../../engine/report/run-diagnostic.js';
import { metadataOf } from '../../fields/object.js';
import type { ClusterClient, ObjectAddress } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import type { Machine } from '../../util/machine.js';
import { type Observation, type ObserveOptions, observeObjects } from '../status/status.js';

export interface FollowOptions extends ObserveOptions {
  /** Ends the watch. */
  readonly signal: AbortSignal;
  /** Receives the reason why objects cannot be observed at the moment; they are observed again. */
  readonly onWarning: (warning: RunDiagnostic) => void;
}

/** The time in which changes of several objects are collected before they are observed. */
const settleMs = 200; // milliseconds
const retryMs = 2_000; // milliseconds

/**
 * Observes the objects of the selected stacks, then those that change, until the signal aborts: by one watch per kind and namespace, which
 * begins again after it was dropped. Only the version of each object is remembered.
 *
 * @param onObserved receives all objects first, then those that have perhaps changed.
 * @throws FieldwiseError as `status`, and if the server no longer accepts the credentials.
 */
export async function followObjects(
  assembly: Assembly,
  cluster: ClusterClient,
  { signal, onWarning, ...rest }: FollowOptions,
  onObserved: (observations: readonly Observation[]) => void,
): Promise<void> {
  const warn = warnOnce(onWarning);
  const options = { ...rest, onWarning: warn };
  const first = await observeObjects(assembly, cluster, options);
  onObserved(first);
  const changes = new ChangedObjects(cluster.machine);
  const failed = (error: unknown) => (endsWatch(error) ? changes.fail(error) : warn(warningOf(error)));
  const watches = await watchAll(cluster, first, changes, failed);
  try {
    for (;;) {
      const keys = await changes.next(signal);
      if (keys === undefined) return;
      try {
        onObserved(await observeObjects(assembly, cluster, { ...options, only: keys }));
      } catch (error) {
        if (endsWatch(error)) throw error;
        warn(warningOf(error));
        changes.add(keys);
        await cluster.machine.pause(retryMs, signal).catch(() => undefined);
      }
    }
  } finally {
    for (const watch of watches) watch.close();
  }
}

function endsWatch(error: unknown): boolean {
  return error instanceof FieldwiseError && (error.kind === 'authentication' || error.kind === 'usage');
}

function warningOf(error: unknown): RunDiagnostic {
  const { code, message, next } = explain(error);
  return { event: 'warning', code, message, ...(next === undefined ? {} : { next }) };
}

/** Starts one watch per kind and namespace. */
async function watchAll(
  cluster: ClusterClient,
  observations: readonly Observation[],
  changes: ChangedObjects,
  onError: (error: unknown) => void,
): Promise<readonly Watch[]> {
  const groups = new Map<string, { readonly address: ObjectAddress; readonly keys: Map<string, string> }>();
  for (const { status } of observations) {
    const address = await addressIfServed(cluster, status);
    if (address === undefined) continue;
    const { resource, namespace, name } = address;
    const group = `${resource.apiVersion}/${resource.plural}/${namespace ?? ''}`;
    const { keys } = groups.get(group) ?? { keys: new Map<string, string>() };
    keys.set(name, identityKey(status));
    groups.set(group, { address, keys });
  }
  return [...groups.values()].map(({ address: { resource, namespace }, keys }) => {
    const onObject = (name: string, object: JsonObject | undefined) => changes.see(keys.get(name) as string, object);
    const watch = new ResourceWatch(cluster, { resource, namespace }, { onObject, onError });
    for (const name of keys.keys()) watch.add(name);
    watch.refresh();
    return watch;
  });
}

/** The objects that have changed since they were observed. */
class ChangedObjects {
  readonly #machine: Machine;
  readonly #versions = new Map<string, string>();
  #changed = new Set<string>();
  #error: unknown;
  #wake: () => void = () => {};

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  see(key: string, object: JsonObject | undefined): void {
    const { uid, resourceVersion } = object === undefined ? {} : metadataOf(object);
    const version = `${uid ?? ''} ${resourceVersion ?? ''}`;
    if (this.#versions.get(key) === version) return;
    this.#versions.set(key, version);
    this.add([key]);
  }

  add(keys: Iterable<string>): void {
    for (const key of keys) this.#changed.add(key);
    this.#wake();
  }

  fail(error: unknown): void {
    this.#error ??= error;
    this.#wake();
  }

  /** Waits for changes. @returns undefined when the signal aborts. */
  async next(signal: AbortSignal): Promise<ReadonlySet<string> | undefined> {
    while (this.#changed.size === 0 && this.#error === undefined && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    if (this.#error !== undefined) throw this.#error;
    await this.#machine.pause(settleMs, signal).catch(() => undefined);
    if (signal.aborted) return undefined;
    const changed = this.#changed;
    this.#changed = new Set();
    return changed;
  }
}
