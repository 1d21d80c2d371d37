import { randomBytes } from 'node:crypto';
import { type Cluster, isForbidden, type RequestContext } from '../../kubernetes/index.js';
import { type DigestKey, digestKey } from '../../merge/dynamic/index.js';
import { digestKeyName, readDigestKey } from '../inventory/digest-key.js';
import { defaultInventoryNamespace } from '../inventory/namespace.js';
import type { RunDiagnostic } from '../run/run-diagnostic.js';

/** The keys by which stacks remember values of Secrets: each is read once a run, when the first such Secret is met. */
export class DigestKeys {
  readonly #cluster: Cluster;
  readonly #namespace: string;
  readonly #onWarning: (warning: RunDiagnostic) => void;
  readonly #known: Map<string, Promise<DigestKey | undefined>>;

  /** @param onWarning is told of keys that cannot be had. */
  constructor(
    cluster: Cluster,
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
   * The key of a field manager.
   *
   * @param make whether to make one where there is none; else it is one that is kept nowhere, and no remembered digest is by it.
   * @returns undefined where it cannot be had: then nothing can be remembered, and nothing that is remembered can be read.
   */
  get(manager: string, make: boolean): Promise<DigestKey | undefined> {
    const key = `${make} ${manager}`;
    let found = this.#known.get(key);
    if (found === undefined) {
      found = this.#read(manager, make);
      this.#known.set(key, found);
      found.catch(() => this.#known.delete(key)); // it may come yet
    }
    return found;
  }

  withContext(context: RequestContext): DigestKeys {
    return new DigestKeys(this.#cluster.withContext(context), this.#namespace, this.#onWarning, this.#known);
  }

  async #read(manager: string, make: boolean): Promise<DigestKey | undefined> {
    try {
      const key = await readDigestKey(this.#cluster, this.#namespace, manager, make);
      if (key !== 'unreadable') return key ?? digestKey(randomBytes(32));
      this.#warn(manager, 'its data holds no key', 'Delete it: the next deploy makes another.');
    } catch (error) {
      if (!isForbidden(error)) throw error;
      this.#warn(manager, error.message, 'Grant get, create and delete of it: `fieldwise rbac` prints the rights.');
    }
    return undefined;
  }

  #warn(manager: string, why: string, next: string): void {
    this.#onWarning({
      event: 'warning',
      code: 'digest-key-unavailable',
      message: `Secret ${this.#namespace}/${digestKeyName(manager)}, the key by which ${manager} remembers values of Secrets, cannot be used: ${why}. What it remembers of them counts as changed`,
      next,
    });
  }
}
