import { type ClusterClient, isForbidden, type RequestContext } from '../../kubernetes/index.js';
import { type DigestKey, digestKey } from '../../merge/dynamic/index.js';
import type { RunDiagnostic } from '../report/run-diagnostic.js';
import { digestKeyName, readDigestKey } from './digest-key.js';
import { defaultInventoryNamespace } from './namespace.js';

/** The keys with which stacks record digests of Secret values: each is read once a run, when the first such Secret is met. */
export class DigestKeys {
  readonly #cluster: ClusterClient;
  readonly #namespace: string;
  readonly #onWarning: (warning: RunDiagnostic) => void;
  readonly #known: Map<string, Promise<DigestKey | undefined>>;

  /** @param onWarning receives a warning for each key that is unavailable. */
  constructor(
    cluster: ClusterClient,
    namespace = defaultInventoryNamespace,
    onWarning: (warning: RunDiagnostic) => void = () => {},
    known = new Map<string, Promise<DigestKey | undefined>>(),
  ) {
    this.#cluster = cluster;
    this.#namespace = namespace;
    this.#onWarning = onWarning;
    this.#known = known;
  }

  /**
   * Returns the key of a field manager.
   *
   * @param make whether to create the key where none exists; otherwise a key that is stored nowhere is returned, and no recorded digest
   * matches it.
   * @returns undefined where the key is unavailable: then no digest can be recorded, and none that is recorded can be read.
   */
  get(manager: string, make: boolean): Promise<DigestKey | undefined> {
    const key = `${make} ${manager}`;
    let found = this.#known.get(key);
    if (found === undefined) {
      found = this.#read(manager, make);
      this.#known.set(key, found);
      found.catch(() => this.#known.delete(key)); // it may become available
    }
    return found;
  }

  withContext(context: RequestContext): DigestKeys {
    return new DigestKeys(this.#cluster.withContext(context), this.#namespace, this.#onWarning, this.#known);
  }

  async #read(manager: string, make: boolean): Promise<DigestKey | undefined> {
    try {
      const key = await readDigestKey(this.#cluster, this.#namespace, manager, make);
      if (key !== 'unreadable') return key ?? digestKey(this.#cluster.machine.randomBytes(32));
      this.#warn(manager, 'its data holds no key', 'Delete it: the next deploy creates another.');
    } catch (error) {
      if (!isForbidden(error)) throw error;
      this.#warn(manager, error.message, 'Grant get, create, patch and delete on it: `fieldwise rbac` prints the permissions.');
    }
    return undefined;
  }

  #warn(manager: string, why: string, next: string): void {
    this.#onWarning({
      event: 'warning',
      code: 'digest-key-unavailable',
      message: `Secret ${this.#namespace}/${digestKeyName(manager)}, the key with which ${manager} records digests of Secret values, cannot be used: ${why}. Recorded values count as changed`,
      next,
    });
  }
}
