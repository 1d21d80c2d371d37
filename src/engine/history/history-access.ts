import { preconditionsOf } from '../../fields/object.js';
import { ApiError, type ClusterClient, isNotFound, type ObjectAddress, type Resource } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import { defaultInventoryNamespace, inNamespace } from '../inventory/namespace.js';
import type { StackIdentity } from '../inventory/stack-identity.js';
import { lacksRight } from '../report/forbidden.js';
import { isHistoryOf } from './history-secrets.js';

const secrets: Resource = { apiVersion: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true };
const writer = 'fieldwise-inventory';

/** The requests for the Secrets of histories, each by its name. All of them throw FieldwiseError `history-forbidden`, and ApiError. */
export class HistoryAccess {
  readonly #cluster: ClusterClient;
  readonly namespace: string;

  constructor(cluster: ClusterClient, namespace = defaultInventoryNamespace) {
    this.#cluster = cluster;
    this.namespace = namespace;
  }

  find(name: string): Promise<JsonObject | undefined> {
    return this.#guard('read', name, () => this.#cluster.tryGet(this.#address(name)));
  }

  create(name: string, secret: JsonObject): Promise<JsonObject> {
    return this.#guard('create', name, () =>
      inNamespace(this.#cluster, this.namespace, writer, () => this.#cluster.createByName(this.#address(name), secret, writer)),
    );
  }

  /** Creates a Secret. @returns the Secret that has its name, if there is one; it stays as it is. */
  async createOrFind(name: string, secret: JsonObject): Promise<JsonObject | undefined> {
    try {
      await this.create(name, secret);
      return undefined;
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 409) throw error;
      const found = await this.find(name);
      if (found === undefined) throw error;
      return found;
    }
  }

  /** Replaces a Secret, if it is still as it was read. */
  replace(name: string, secret: JsonObject, before: JsonObject): Promise<JsonObject> {
    const metadata = { ...(secret.metadata as JsonObject), ...preconditionsOf(before) };
    return this.#guard('update', name, () => this.#cluster.replace(this.#address(name), { ...secret, metadata }, writer));
  }

  /** Deletes a Secret if it is still a part of the history of a stack. @returns the Secret itself if it is not one, and stays. */
  async remove(stack: StackIdentity, name: string): Promise<JsonObject | 'absent' | 'removed'> {
    const found = await this.find(name);
    if (found === undefined) return 'absent';
    if (!isHistoryOf(found, stack)) return found;
    await this.#guard('delete', name, async () => {
      try {
        await this.#cluster.delete(this.#address(name), { ...preconditionsOf(found), propagationPolicy: 'Background' });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    });
    return 'removed';
  }

  /** Returns the error about a Secret that cannot be used. */
  damaged(
    name: string,
    why: string,
    next = 'Find out who changed it. The history begins again after `kubectl delete` of this Secret; the objects of the stack do not depend on it.',
  ): FieldwiseError {
    return new FieldwiseError('history-damaged', 'resource', `Secret ${this.namespace}/${name} is not used: ${why}`, {
      location: { object: `Secret ${this.namespace}/${name}` },
      next,
    });
  }

  async #guard<T>(verb: string, name: string, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ApiError) || !lacksRight(error)) throw error;
      throw new FieldwiseError(
        'history-forbidden',
        'resource',
        `These credentials may not ${verb} the history of a stack: ${error.message}`,
        {
          location: { object: `Secret ${this.namespace}/${name}` },
          next: '`fieldwise rbac` prints the permissions; `history: false` in fieldwise.yaml records no revisions.',
          cause: error,
        },
      );
    }
  }

  #address(name: string): ObjectAddress {
    return { resource: secrets, namespace: this.namespace, name };
  }
}
